// SPDX-License-Identifier: BSD-3-Clause
//
// The handler indices of the runtime's own endpoint, all in one place so that no two collide. They
// are part of what two ranks of a job must agree on; both run the same library version.
#pragma once

#include <cstdint>

namespace atl::system_handler {

inline constexpr std::uint8_t barrier = 1;
inline constexpr std::uint8_t put_piece = 3;
inline constexpr std::uint8_t put_done = 4;
inline constexpr std::uint8_t get_piece = 5;
inline constexpr std::uint8_t get_data = 6;
inline constexpr std::uint8_t long_piece = 7;
inline constexpr std::uint8_t atomic_request = 8;
inline constexpr std::uint8_t atomic_reply = 9;
inline constexpr std::uint8_t device_put = 10;
inline constexpr std::uint8_t device_get = 11;
inline constexpr std::uint8_t device_scatter = 12;
inline constexpr std::uint8_t device_gather = 13;
inline constexpr std::uint8_t coll_eager = 16;
inline constexpr std::uint8_t coll_ready = 17;
inline constexpr std::uint8_t coll_piece = 18;
inline constexpr std::uint8_t coll_offer = 19;
inline constexpr std::uint8_t coll_taken = 20;
inline constexpr std::uint8_t coll_recall = 21;
inline constexpr std::uint8_t coll_returned = 22;
inline constexpr std::uint8_t packed_put = 24;
inline constexpr std::uint8_t packed_notice = 25;
inline constexpr std::uint8_t packed_get = 26;
inline constexpr std::uint8_t packed_get_data = 27;

}  // namespace atl::system_handler
