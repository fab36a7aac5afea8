// SPDX-License-Identifier: BSD-3-Clause
//
// Whether the program computes with real(16). No instruction does that, so the compiler calls
// functions of its own library, and the linker puts those into the program. It binds a weak and
// hidden name only to what is there for other reasons.
#pragma once

namespace atl::coarray {

bool program_has_kind_16() noexcept;

}  // namespace atl::coarray
