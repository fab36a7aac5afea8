// SPDX-License-Identifier: BSD-3-Clause
//
// Barriers of a team: what each member did before is visible to all after. Collective; by the
// holder of the master persona. Spec: 12.2.
#pragma once

#include <atoll/base/language.hpp>
#include <upcxx/team.hpp>

#include <type_traits>
#include <utility>

namespace atl::upcxx_front {

/// Starts a barrier of the team into `done`.
void start_barrier(const upcxx::team& team, event& done) noexcept;
/// Ends the job unless a collective may begin here: the master persona is held.
void need_collective(const char* call) noexcept;

}  // namespace atl::upcxx_front

namespace upcxx {

/// Waits for all members, with user-level progress. Must not be called in the restricted context.
void barrier(const team& team = world());

/// Starts a barrier; operation completion when all members have started theirs.
template <class Cx = atl::upcxx_front::default_cx>
auto barrier_async(const team& team = world(), Cx&& completions = Cx()) {
  namespace front = atl::upcxx_front;
  front::check_completions<Cx, false, false>();
  return front::launch<>(
      atl::without_cvref<Cx>(std::forward<Cx>(completions)), front::job.rank, front::no_results(),
      [&](front::no_results&, atl::event& done) { front::start_barrier(team, done); });
}

}  // namespace upcxx
