// SPDX-License-Identifier: BSD-3-Clause
//
// The options -freeze, -freeze-on-error, -backtrace and -abort of upcrun, which come by variables:
// UPC_FREEZE (yes: each thread, or a thread's number), UPC_FREEZE_ON_ERROR, GASNET_BACKTRACE and
// UPC_ABORT.
#pragma once

#include <atoll/core/job/runtime.hpp>

#include <string_view>

namespace atl::upc {

/// Waits for a debugger, which sets atoll_upc_frozen to 0, if this thread is asked to.
void freeze_if_asked(rank_id thread);

/// Called before the job is ended for `error`: writes the functions that led here, waits for a
/// debugger, and leaves a core file, as far as asked for. Returns where nothing ends the process.
void stop_for_error(rank_id thread, std::string_view error) noexcept;

}  // namespace atl::upc
