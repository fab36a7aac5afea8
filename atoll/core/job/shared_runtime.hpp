// SPDX-License-Identifier: BSD-3-Clause
//
// The runtime that the fronts of one process share, so that a program that uses several of them is
// one job with one heap. The first front to start makes it, and the last to release it ends it. A
// front that starts later takes it as it is: the job, its ranks and its settings are already
// chosen.
//
// Only for fronts whose standard has one global state: they do not know each other, so they share
// this runtime. The fronts hold it; programs in C++ make runtimes of their own.
//
// Starting and ending are collective: all ranks start and end their fronts in the same order. Any
// thread.
#pragma once

#include <atoll/core/job/runtime.hpp>

#include <memory>
#include <optional>
#include <string_view>

namespace atl {

/// The runtime of this process; null when no front has started, or all have ended.
std::shared_ptr<runtime> find_shared_runtime() noexcept;

/// The same without a hold on it, and without a lock: for calls that the program may make only
/// while the job lasts.
runtime* running_runtime() noexcept;

/// Starts the runtime. Throws `atl::error`, also when there is one already.
std::shared_ptr<runtime> start_shared_runtime(runtime_options options);

/// Says which threads a front that is linked into this program will need. A constructor of the
/// program calls it before main, so that a runtime which another front makes first is made for
/// those threads too. nullopt: what ATOLL_THREADS says.
void expect_threads(std::optional<thread_mode> wanted) noexcept;

/// Throws `atl::error`, which names `caller`, when the runtime was started for fewer threads than
/// `wanted`.
void need_threads(const runtime& shared, thread_mode wanted, std::string_view caller);

}  // namespace atl
