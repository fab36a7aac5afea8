// SPDX-License-Identifier: BSD-3-Clause
//
// The settings of counters.
#pragma once

#include <atoll/base/settings.hpp>

namespace atl::setting {

inline constexpr setting_row counters{
    .name = "ATOLL_COUNTERS",
    .kind = setting_kind::flag,
    .default_value = "0",
    .help =
        "print a table of operations, bytes, polls and stalls at exit; nothing is inlined then"};

}  // namespace atl::setting
