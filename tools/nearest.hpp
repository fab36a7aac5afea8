// SPDX-License-Identifier: BSD-3-Clause
//
// "Did you mean": the known word that is closest to a mistyped one. For subcommands and options;
// the settings have their own in atoll/base, because the library warns of them without the tools.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace atl::tools {

/// The candidate with the fewest edits; empty when even that one is not near.
std::string nearest(std::string_view word, const std::vector<std::string>& candidates);

}  // namespace atl::tools
