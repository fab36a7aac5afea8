// SPDX-License-Identifier: BSD-3-Clause
//
// Tells whether the program computes with real(16). No instruction does that, so the compiler calls
// functions of its own library, and the linker puts those into the program. The linker binds a weak
// and hidden name only to a function that is in the program for another reason.
#pragma once

namespace atl::coarray {

bool program_has_kind_16() noexcept;

}  // namespace atl::coarray
