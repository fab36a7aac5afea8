// SPDX-License-Identifier: BSD-3-Clause
//
// Turns a process that no launcher has started into a job of several ranks: it becomes the
// launcher, which starts the same program with the same arguments as often as asked. For the
// variables by which programs of other libraries ask for ranks without a command.
#pragma once

#include <atoll/base/rank.hpp>

#include <span>
#include <string_view>

namespace atl::bootstrap {

/// Replaces this process by `atoll run -n RANKS OPTIONS...` of its own program. `asked_by` is the
/// variable to name when that fails. Throws `atl::error`; does not return.
[[noreturn]] void restart_as_job(rank_id ranks, std::string_view asked_by,
                                 std::span<const std::string_view> options = {});

}  // namespace atl::bootstrap
