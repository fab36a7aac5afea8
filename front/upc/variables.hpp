// SPDX-License-Identifier: BSD-3-Clause
//
// The variables that translated units read and that the start of a program sets: see
// variables.cpp.
#pragma once

namespace atl::upc {

struct process_state;

/// Sets all of them for this process.
void set_variables(const process_state& us) noexcept;

}  // namespace atl::upc
