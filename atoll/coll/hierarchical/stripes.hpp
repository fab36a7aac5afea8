// SPDX-License-Identifier: BSD-3-Clause
//
// Several leaders per host: the data, or each block of them, are cut into a stripe for each leader,
// and the members in the same place on each host, the first, the second and so on, exchange their
// stripe between the hosts. Several members then copy, combine and fill the network at once. A host
// has as many leaders as the choice says, and not more than the smallest host has members.
//
// Kept in the frame of the task that uses it; the same on all members but for own().
#pragma once

#include <atoll/coll/engine/block_pool.hpp>
#include <atoll/coll/hierarchical/hosts.hpp>
#include <atoll/coll/message/blocks.hpp>

#include <cstdint>

namespace atl::coll {

/// How many leaders each host has for this call where a choice says `wanted`; at least 1.
rank_id leaders_of(const call& c, unsigned wanted);

/// The turns of the host's lanes that a call with so many leaders takes, where a stripe runs in as
/// many `phases` on the host as the whole does with one.
struct stripe_turns {
  std::uint32_t of_phase;  // the most of one stripe
  std::uint32_t total;
};
stripe_turns turns_in_stripes(const call& c, unsigned phases, rank_id leaders);

class stripes {
 public:
  /// A stripe for each of c.leaders, which begin at multiples of `unit` bytes.
  stripes(const call& c, std::size_t unit);

  rank_id count() const noexcept { return count_; }
  std::size_t offset(rank_id k) const noexcept { return cut_.offset(k); }
  std::size_t bytes(rank_id k) const noexcept { return cut_.bytes(k); }  // the last ones may have 0

  /// Whether this member leads on its host, and its stripe.
  bool leads() const noexcept { return own_ < count_ && bytes(own_) != 0; }
  rank_id own() const noexcept { return own_; }

  /// A part of the call, for the stripe k alone. A buffer that is null here stays null.
  call of(call part, rank_id k) const noexcept;

  /// Copies stripe k of `count` blocks of the call to one place, where they follow each other, and
  /// back to their blocks.
  void pack(std::byte* to, const std::byte* blocks, rank_id k, rank_id count) const noexcept;
  void unpack(std::byte* blocks, const std::byte* from, rank_id k, rank_id count) const noexcept;

  /// The call of this member's stripe among its leaders, one per host. Only leaders may call it;
  /// this object must live as long as that call.
  call among_leaders(const call& c, unsigned phase) const noexcept;

  /// The member that leads stripe k on a host.
  static rank_id leader(const call& c, rank_id host, rank_id k);

 private:
  rank_id count_;
  rank_id own_;
  std::size_t block_;  // bytes of the whole
  std::size_t unit_;
  blocks cut_;
  scratch list_;  // of a leader: the leaders of its stripe, by host
};

/// The blocks of all members at the root of a scatter or gather, in slots of equal size, one per
/// host. In the slot of the root's host are whole blocks; in others the first stripe of each of its
/// members, then the second and so on, so that what a leader sends or gets lies together.
struct striped_slots {
  const host_map& map;
  const stripes& cut;
  std::size_t block;  // bytes

  std::size_t slot() const noexcept { return map.most * block; }
  std::size_t offset(rank_id host, rank_id k) const noexcept {
    return host * slot() + map.most * cut.offset(k);
  }
  void to_blocks(std::byte* blocks, const std::byte* slots, rank_id root_host) const noexcept;
  void from_blocks(std::byte* slots, const std::byte* blocks, rank_id root_host) const noexcept;

 private:
  template <class Copy>
  void for_each_part(rank_id root_host, const Copy& copy) const noexcept;
};

}  // namespace atl::coll
