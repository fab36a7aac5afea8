// SPDX-License-Identifier: BSD-3-Clause
//
// Registers the settings.
#include <atoll/memory/settings.hpp>

namespace atl {

ATOLL_REGISTER_SETTINGS rows_of_memory[] = {
    &setting::segment_limit,
    &setting::symmetric_limit,
    &setting::memory_limit,
    &setting::kernel_copy,
};

}  // namespace atl
