// SPDX-License-Identifier: BSD-3-Clause
//
// Which machine a process is on: the kernel that it runs on. Hosts that are containers or network
// namespaces of one machine have the same, whatever they are called.
#pragma once

#include <cstdint>
#include <string>

namespace atl {

/// A hash of the kernel's boot identifier, below `root`; 0: it is not known.
std::uint64_t machine_id(const std::string& root = "");

}  // namespace atl
