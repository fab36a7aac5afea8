// SPDX-License-Identifier: BSD-3-Clause
//
// The program that measures for `atoll tune`. The command itself links no collectives, so it does
// not know which algorithms there are: a table is read by that program too, as jobs read it.
#pragma once

#include <atoll/coll/tuned/table.hpp>

#include <filesystem>
#include <string>

namespace atl::tools {

/// The path of the program. Throws `launch_refusal` where it is not installed.
std::filesystem::path measuring_program();

/// The reason why jobs refuse the rules of a table that can be read; empty when they take them.
std::string refusal_of_rules(const std::string& path);

/// A table that jobs can use on the machine that it names. Throws `atl::error`.
coll::tuned_table read_usable_table(const std::string& path);

}  // namespace atl::tools
