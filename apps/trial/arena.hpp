// SPDX-License-Identifier: BSD-3-Clause
//
// The memory of a group that other ranks read and write: one block of the heap of each rank, cut
// into arrays. Every rank cuts its own in the same order, so an array lies at the same distance
// from the start on every rank, and peer_address() gives the peer's address of it. Put and get take
// the owner's addresses; local_address() gives the address at which this rank can load and store
// there, where the memory is mapped.
//
// Collective set-up and ending, one thread. Peers may write only after a barrier that follows the
// last take(). Members of the team are the first ranks of the job, so their numbers are the job's.
#pragma once

#include <atoll/base/assert.hpp>
#include <atoll/base/error.hpp>
#include <atoll/base/text.hpp>
#include <atoll/coll/collectives.hpp>
#include <atoll/core/job/runtime.hpp>

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <vector>

namespace trial {

class arena {
 public:
  static constexpr std::size_t alignment = 64;

  /// Bytes that an array of `count` elements of `size` bytes takes.
  static constexpr std::size_t bytes_of(std::size_t count, std::size_t size) noexcept {
    return (count * size + alignment - 1) / alignment * alignment;
  }

  /// Takes `bytes`, zeroed, from the heap of each member; throws `atl::error` on all members when
  /// one has too little.
  arena(atl::team& members, std::size_t bytes)
      : team_(members), bytes_(bytes), bases_(members.size()) {
    base_ = static_cast<std::byte*>(job().heap().allocate(bytes, huge_page));
    const auto address = reinterpret_cast<std::uintptr_t>(base_);
    atl::coll::allgather(members, bases_.data(), &address, sizeof address);
    if (std::find(bases_.begin(), bases_.end(), 0U) != bases_.end()) {
      if (base_ != nullptr) job().heap().free(base_);
      throw atl::error("shared memory", "a heap has no " + atl::bytes_text(bytes) + " left",
                       "use a smaller problem, or raise ATOLL_SEGMENT_LIMIT");
    }
    std::memset(base_, 0, bytes);
  }
  arena(const arena&) = delete;
  arena& operator=(const arena&) = delete;
  ~arena() {
    team_.barrier();  // no rank accesses it any more
    job().heap().free(base_);
  }

  atl::runtime& job() const noexcept { return team_.owner(); }
  atl::team& team() const noexcept { return team_; }

  /// The next `count` elements; all arrays together must fit into the constructor's `bytes`.
  template <class Element>
  Element* take(std::size_t count) {
    std::byte* const start = base_ + used_;
    used_ += bytes_of(count, sizeof(Element));
    ATOLL_ASSERT(used_ <= bytes_, "more arrays than were planned", used_, bytes_);
    return reinterpret_cast<Element*>(start);
  }

  /// The place in rank `peer`'s memory that corresponds to `local` in this rank's, as an address
  /// that `peer` uses.
  template <class Element>
  Element* peer_address(atl::rank_id peer, Element* local) const noexcept {
    const auto distance = reinterpret_cast<std::uintptr_t>(local) - bases_[team_.rank()];
    return reinterpret_cast<Element*>(bases_[peer] + distance);
  }

  /// The address here of rank `peer`'s address `remote`; null when that memory is not mapped.
  template <class Element>
  Element* local_address(atl::rank_id peer, Element* remote) const noexcept {
    return reinterpret_cast<Element*>(job().heaps().routes()[peer].direct(remote, sizeof(Element)));
  }

 private:
  static constexpr std::size_t huge_page = std::size_t{2} << 20;

  atl::team& team_;
  std::byte* base_ = nullptr;
  std::size_t bytes_;
  std::size_t used_ = 0;
  std::vector<std::uintptr_t> bases_;  // by rank: each one's own address
};

}  // namespace trial
