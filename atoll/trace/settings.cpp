// SPDX-License-Identifier: BSD-3-Clause
//
// Registers the settings.
#include <atoll/trace/settings.hpp>

namespace atl {

ATOLL_REGISTER_SETTINGS rows_of_trace[] = {
    &setting::counters,
};

}  // namespace atl
