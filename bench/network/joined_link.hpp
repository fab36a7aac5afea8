// SPDX-License-Identifier: BSD-3-Clause
//
// A raw connection between the two ranks of a pair, made with the help of their job.
#pragma once

#include <bench/harness/rank_pair.hpp>
#include <bench/network/raw_link.hpp>

#include <string>

namespace bench {

/// Collective. Connects the two ends over `interface`, or where its name is empty over that by
/// which the launcher has reached the hosts, or over loopback. Uses the beginning of the pair's
/// area. Throws `std::runtime_error`.
raw_link joined_link(const rank_pair& pair, const std::string& interface);

}  // namespace bench
