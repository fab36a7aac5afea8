// SPDX-License-Identifier: BSD-3-Clause
//
// Starting and ending UPC++, and who we are. init() and finalize() may be called several times;
// only the first and its match do something. Spec: chapter 2, and 11.3 for the ranks of the whole
// job.
#pragma once

#include <upcxx/job.hpp>
#include <upcxx/version.hpp>

#include <cstdint>

namespace upcxx {

/// A rank or a number of ranks.
using intrank_t = std::int32_t;
using uintrank_t = std::uint32_t;

/// Joins the job; collective. The calling thread gets the master persona. A job that cannot start
/// ends the process with a message that says why.
void init();

/// Matches one init(); after a barrier, the last one leaves the job. Collective, by the holder of
/// the master persona.
void finalize();

/// Whether init() has been called more often than finalize().
inline bool initialized() noexcept { return atl::upcxx_front::job.runtime != nullptr; }

/// This rank among all of the job, and their number.
inline intrank_t rank_me() noexcept {
  atl::upcxx_front::need_job("upcxx::rank_me");
  return static_cast<intrank_t>(atl::upcxx_front::job.rank);
}
inline intrank_t rank_n() noexcept {
  atl::upcxx_front::need_job("upcxx::rank_n");
  return static_cast<intrank_t>(atl::upcxx_front::job.size);
}

/// A variable of the environment that the launcher was started in; null when it is not set.
char* getenv_console(const char* name) noexcept;

}  // namespace upcxx
