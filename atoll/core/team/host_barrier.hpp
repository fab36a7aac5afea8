// SPDX-License-Identifier: BSD-3-Clause
//
// The two barriers over shared memory, among the members of a team on one host. Both count epochs:
// a member can be at most one epoch ahead of the slowest, so two slots per tag suffice and epochs
// are compared by signed difference.
#pragma once

#include <atoll/core/team/barrier.hpp>
#include <atoll/core/team/member_bells.hpp>
#include <atoll/core/team/team_block.hpp>

#include <cstddef>
#include <memory>

namespace atl {

/// The local members of a team as a host barrier needs them.
struct host_members {
  team_block* block = nullptr;
  rank_id self = 0;  // which of the local members this rank is
  member_bells bells;
  std::uint32_t epoch = 0;  // that of the block: 0, but where a test begins near a wrap

  rank_id count() const noexcept { return bells.count(); }
  void ring_others() const noexcept { bells.ring_others(self); }
};

/// Every member writes its own line and reads those of all.
class flags_barrier final : public barrier {
 public:
  flags_barrier(host_members members, barrier_use use) noexcept
      : members_(std::move(members)), use_(use), epoch_(members_.epoch) {}

  void arrive(barrier_tag tag) noexcept override;
  bool test() noexcept override;
  barrier_tag result() const noexcept override { return result_; }

 private:
  host_members members_;
  barrier_use use_;
  std::uint32_t epoch_;
  rank_id seen_ = 0;  // members known to have arrived in this epoch
  barrier_tag result_ = barrier_tag::anonymous();
};

/// One counter per host. If all members are on one host, the last to arrive opens the next epoch
/// and wakes the others. With several hosts the leader (local member 0) does this: it sees all
/// arrive, runs the barrier `between_hosts` among the leaders, and then opens the epoch.
class counter_barrier final : public barrier {
 public:
  counter_barrier(host_members members, barrier_use use, bool one_host,
                  std::unique_ptr<barrier> between_hosts = {}) noexcept
      : members_(std::move(members)),
        state_(members_.block->counters[static_cast<std::size_t>(use)]),
        one_host_(one_host),
        between_hosts_(std::move(between_hosts)),
        epoch_(members_.epoch) {}

  void arrive(barrier_tag tag) noexcept override;
  bool test() noexcept override;
  barrier_tag result() const noexcept override { return result_; }
  void use_radix(unsigned radix) noexcept override;

 private:
  void gather(barrier_tag tag) noexcept;
  void open(barrier_tag result) noexcept;
  void ask_hosts() noexcept;
  barrier_tag gathered() const noexcept;

  host_members members_;
  counting_barrier& state_;
  bool one_host_;
  std::unique_ptr<barrier> between_hosts_;  // of the leader of one of several hosts
  bool hosts_asked_ = true;                 // in this epoch; before the first there is no need
  std::uint32_t epoch_;
  barrier_tag result_ = barrier_tag::anonymous();
};

/// Whether the barriers of a team are of flags: all members on this host, few, and each with a
/// core. The same for all members. A front may then let them meet in its own memory as well.
bool meets_by_flags(team& members);

}  // namespace atl
