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

/// The reason why jobs refuse the rules of a table that can be read, as that program tells it;
/// empty when they take them. Throws `launch_refusal` when the program gives no answer.
std::string refusal_by(const std::string& program, const std::string& table);

/// The same by the program of this installation.
std::string refusal_of_rules(const std::string& path);

/// A table that jobs can use on the machine that it names. Throws `atl::error`, or
/// `launch_refusal` when the measuring program cannot be asked.
coll::tuned_table read_usable_table(const std::string& path);

}  // namespace atl::tools
