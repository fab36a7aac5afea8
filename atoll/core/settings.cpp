// SPDX-License-Identifier: BSD-3-Clause
//
// Registers the settings.
#include <atoll/core/settings.hpp>

namespace atl {

ATOLL_REGISTER_SETTINGS rows_of_core[] = {
    &setting::verbose,         &setting::checks,       &setting::threads,
    &setting::progress_thread, &setting::barrier,      &setting::barrier_radix,
    &setting::neighbourhood,   &setting::wait,         &setting::device_path,
    &setting::device_pin,      &setting::device_chunk, &setting::device_staging,
};

}  // namespace atl
