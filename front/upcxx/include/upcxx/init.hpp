// SPDX-License-Identifier: BSD-3-Clause
//
// Starting and ending UPC++, and who we are. init() and finalize() may be called several times;
// only the first and its match do something. Spec: chapter 2, and 11.3 for the ranks of the whole
// job.
#pragma once

#include <atoll/abi.h>
#include <atoll/base/layout_stamp.hpp>
#include <atoll/core/progress/event.hpp>
#include <atoll/trace/counters.hpp>
#include <atoll/transport/message.hpp>
#include <upcxx/job.hpp>
#include <upcxx/mail.hpp>
#include <upcxx/persona.hpp>
#include <upcxx/version.hpp>

#include <cstdint>

namespace atl::upcxx_front {

/// The stamp of these headers, and of the routes that they read, that is compiled into a program.
/// Raise its count where inline functions here and the library change together and no size does.
inline constexpr std::uint64_t layout =
    layout_stamp<job_view, persona_state, upcxx::persona, upcxx::persona_scope, work, cell,
                 cell_continuation, arrived_message, waiting_call, outgoing, event, operation,
                 transport::message, trace::thread_counters>(ATOLL_ABI_VERSION << 16 | 6u);

/// init() of a program that was compiled for this layout.
void start(std::uint64_t compiled_for);

/// Runs before main, because UPC++ is part of this program: a runtime that another front starts
/// first is then made for several threads. Returns true, so that it can initialize a variable.
bool expect() noexcept;

/// A program asks for ranks outside of init() and finalize(): an error, or else -1 and one warning
/// per process.
[[gnu::cold]] std::int32_t rank_outside_of_job(const char* call, bool is_error) noexcept;

}  // namespace atl::upcxx_front

namespace upcxx {

/// A rank or a number of ranks.
using intrank_t = std::int32_t;
using uintrank_t = std::uint32_t;

/// Joins the job; collective. The calling thread gets the master persona. A job that cannot start
/// ends the process with a message that says why.
inline void init() { atl::upcxx_front::start(atl::upcxx_front::layout); }

/// Matches one init(); after a barrier, the last one leaves the job. Collective, by the holder of
/// the master persona.
void finalize();

/// Whether init() has been called more often than finalize().
inline bool initialized() noexcept { return atl::upcxx_front::job.runtime != nullptr; }

/// This rank among all of the job, and their number. Before init() and after finalize() there is
/// neither: both are -1 then, with a warning; where UPCXX_ASSERT_ENABLED is 1, they end the job.
inline intrank_t rank_me() noexcept {
  if (!initialized()) [[unlikely]]
    return atl::upcxx_front::rank_outside_of_job("upcxx::rank_me", UPCXX_ASSERT_ENABLED != 0);
  return static_cast<intrank_t>(atl::upcxx_front::job.rank);
}
inline intrank_t rank_n() noexcept {
  if (!initialized()) [[unlikely]]
    return atl::upcxx_front::rank_outside_of_job("upcxx::rank_n", UPCXX_ASSERT_ENABLED != 0);
  return static_cast<intrank_t>(atl::upcxx_front::job.size);
}

/// A variable of the environment that the launcher was started in; null when it is not set.
char* getenv_console(const char* name) noexcept;

}  // namespace upcxx
