// SPDX-License-Identifier: BSD-3-Clause
//
// Finds the folder of the program or shared library that contains some code; modules and commands
// of an installation are found from there. The loader knows a program by the name it was started
// with, which may have no folder or a relative one; the kernel knows the file.
#pragma once

#include <string>

namespace atl {

/// The folder of the program or library that holds this address of code or data: an absolute path
/// without links, or empty where it is unknown.
std::string folder_of_code(const void* inside);

}  // namespace atl
