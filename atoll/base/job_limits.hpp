// SPDX-License-Identifier: BSD-3-Clause
//
// How large a job may be. The launcher refuses more, and what ranks and daemons tell each other has
// room for as much: one number for all of them.
#pragma once

#include <atoll/base/rank.hpp>

#include <cstdint>

namespace atl {

inline constexpr rank_id ranks_max = 16384;
inline constexpr rank_id hosts_max = ranks_max;  // each host has a rank

/// The most ranks that a setting may speak of: more than any launcher starts.
inline constexpr std::uint32_t settable_ranks_max = std::uint32_t{1} << 24;

}  // namespace atl
