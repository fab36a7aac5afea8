// SPDX-License-Identifier: BSD-3-Clause
//
// A thread of the library that makes progress for its rank, and so runs message handlers: the
// progress thread that a setting asks for, and the serving thread of fronts.
#pragma once

#include <atoll/core/job/runtime.hpp>

#include <string_view>
#include <thread>

namespace atl {

/// Starts it; it ends when it is asked to stop and woken. It takes none of the program's signals.
/// Throws `atl::error`, with this remedy, when there can be no thread.
std::jthread start_progress_thread(runtime& served, std::string_view remedy);

}  // namespace atl
