// SPDX-License-Identifier: BSD-3-Clause
//
// The handler indices of the runtime's own endpoint, all in one place so that no two collide. They
// are part of what two ranks of a job must agree on; both run the same library version.
#pragma once

#include <cstdint>

namespace atl::system_handler {

inline constexpr std::uint8_t barrier_plain = 1;
inline constexpr std::uint8_t barrier_named = 2;
inline constexpr std::uint8_t put_piece = 3;
inline constexpr std::uint8_t put_done = 4;
inline constexpr std::uint8_t get_piece = 5;
inline constexpr std::uint8_t get_data = 6;
inline constexpr std::uint8_t long_piece = 7;

}  // namespace atl::system_handler
