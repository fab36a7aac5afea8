// SPDX-License-Identifier: BSD-3-Clause
//
// The version of the library, one string. Two ranks of one job must run the same one: layouts of
// shared memory and internal messages may change with every version.
#pragma once

namespace atl {

inline constexpr char version_text[] = "0.1.0";

}  // namespace atl
