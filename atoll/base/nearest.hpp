// SPDX-License-Identifier: BSD-3-Clause
//
// "Did you mean": the known name that is closest to a mistyped one, for settings, subcommands and
// options. Names are short, so the plain table of edits is fast enough.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace atl {

/// Edits (insert, delete, replace, swap of neighbours) between two names, over at most 48
/// characters of each.
std::size_t edit_distance(std::string_view a, std::string_view b) noexcept;

/// The candidate with the fewest edits; empty when even that one differs in more than half of the
/// characters of `name`, because then it would be no help.
std::string nearest(std::string_view name, const std::vector<std::string>& candidates);

}  // namespace atl
