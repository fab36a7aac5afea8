// SPDX-License-Identifier: BSD-3-Clause
//
// Where the program or shared library lies that some code belongs to: modules and commands of an
// installation are found from there. The loader remembers a program by the words that started it,
// which may name no folder or a relative one; the kernel knows it.
#pragma once

#include <string>

namespace atl {

/// The folder, as an absolute path without links, of what holds this address of code or data; empty
/// where that cannot be told.
std::string folder_of_code(const void* inside);

}  // namespace atl
