// SPDX-License-Identifier: BSD-3-Clause
//
// Team variables as gfortran passes them: by address, or one of several values that mean none where
// the statement names no team. Nothing here needs the C++ library.
#pragma once

#include <front/coarray/process_state.hpp>

#include <cstdint>

namespace atl::coarray {

/// The compiler passes null, or an integer of 32 bits, -1, where it has no team variable to name.
inline const image_team* team_at(image_team** variable) noexcept {
  const auto number = static_cast<std::int32_t>(reinterpret_cast<std::intptr_t>(variable));
  return variable == nullptr || number == -1 ? nullptr : *variable;
}

}  // namespace atl::coarray
