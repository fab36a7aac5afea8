// SPDX-License-Identifier: BSD-3-Clause
//
// Times other programs, with an empty input and without their output. The clock runs from before
// the first start until the last has ended. One thread; the call returns after it has waited for
// every child.
#pragma once

#include <string>
#include <vector>

namespace bench {

using command = std::vector<std::string>;

/// Starts `copies` of a command at once and waits for all; returns the nanoseconds that it took.
/// Throws `std::runtime_error` with the command's name when it fails.
double time_of_command(const command& arguments, unsigned copies = 1);

/// The path of a program of this name in PATH; empty when it is not installed.
std::string find_on_path(const std::string& name);

/// The folder of this benchmark's own program: the others lie beside it.
std::string own_folder();

/// The `atoll` command: beside this program in a build tree, in bin/ when both are installed.
std::string atoll_command();

}  // namespace bench
