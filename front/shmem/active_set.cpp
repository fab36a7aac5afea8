// SPDX-License-Identifier: BSD-3-Clause
//
// Finding and making the teams of active sets.
#include <front/shmem/active_set.hpp>

#include <atoll/base/error.hpp>
#include <atoll/base/text.hpp>
#include <atoll/coll/team_creation.hpp>
#include <front/shmem/checks.hpp>

namespace atl::shmem {
namespace {

void check(process_state& us, const char* call, const active_set_name& set) noexcept {
  const int start = set.start;
  const int log_stride = set.log_stride;
  const int size = set.size;
  const auto pes = std::int64_t{us.runtime.size()};
  const bool is_stride = log_stride >= 0 && log_stride < 31;
  const std::int64_t stride = is_stride ? std::int64_t{1} << log_stride : 0;
  if (is_stride && start >= 0 && size >= 1 && start + stride * (size - 1) < pes) return;
  refuse(call,
         text("there is no active set of PE_start ", start, ", logPE_stride ", log_stride,
              ", PE_size ", size, " among ", pes, " PEs"),
         "start + 2^log * (size - 1) is the last member");
}

std::unique_ptr<atl::team> make(process_state& us, const char* call,
                                const rank_set& members) noexcept {
  try {
    return coll::create_team_alone(us.runtime, members);
  } catch (const error& refused) {
    refuse(call, refused.what(), "only members of the active set call");
  }
}

}  // namespace

atl::team* find_active_set(const char* call, const active_set_name& set) noexcept {
  process_state& us = running(call);
  check(us, call, set);
  check_work_array(us, call, set.work);
  if (static_cast<rank_id>(set.size) == us.runtime.size()) return us.world;
  const rank_set members =
      rank_set::progression(static_cast<rank_id>(set.start), std::int64_t{1} << set.log_stride,
                            static_cast<rank_id>(set.size));
  if (members.find(us.runtime.rank()) == no_rank) return nullptr;
  {
    const std::lock_guard hold(us.guard);
    for (const auto& each : us.active_sets) {
      if (each->members() == members) return each.get();
    }
  }
  auto made = make(us, call, members);
  atl::team* const found = made.get();
  const std::lock_guard hold(us.guard);
  us.active_sets.push_back(std::move(made));
  return found;
}

}  // namespace atl::shmem
