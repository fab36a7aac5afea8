// SPDX-License-Identifier: BSD-3-Clause
//
// Runs other programs for their time: silent input, start, wait, output thrown away. The clock
// runs from before the first start until the last has been waited for. One thread; every child is
// waited for before the call returns.
#pragma once

#include <string>
#include <vector>

namespace bench {

using command = std::vector<std::string>;

/// Starts `copies` of a command at once and waits for all; returns the nanoseconds that it took.
/// Throws `std::runtime_error` with the command's name when it fails.
double time_of_command(const command& arguments, unsigned copies = 1);

/// Where a program of this name is along PATH, empty when it is not installed.
std::string find_on_path(const std::string& name);

/// The folder of this benchmark's own program: the others lie beside it.
std::string own_folder();

/// The `atoll` command: beside this program in a build tree, in bin/ when both are installed.
std::string atoll_command();

}  // namespace bench
