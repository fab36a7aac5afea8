// SPDX-License-Identifier: BSD-3-Clause
//
// How large a job may be. The launcher refuses more, and what ranks and daemons tell each other has
// room for as much: one number for all of them.
#pragma once

#include <atoll/base/rank.hpp>

namespace atl {

inline constexpr rank_id ranks_max = 16384;
inline constexpr rank_id hosts_max = ranks_max;  // each host has a rank

}  // namespace atl
