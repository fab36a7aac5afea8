// SPDX-License-Identifier: BSD-3-Clause
//
// How fast the network between the hosts of a job is, in one figure: a rule over hosts says for
// which it was made, because a slow and a fast network of one provider have the same name. Told
// apart are networks whose figures differ by more than a factor, which is larger than the noise.
#pragma once

#include <cstdint>

namespace atl {
class runtime;
}

namespace atl::coll {

/// Figures that differ by no more than this factor are of one kind of network.
inline constexpr double network_factor = 4;
constexpr bool is_same_network(double left_ns, double right_ns) noexcept {
  return left_ns <= network_factor * right_ns && right_ns <= network_factor * left_ns;
}

/// About how many nanoseconds a message takes from one host to another, the same on all ranks; 0 on
/// one host. Collective over all ranks, which meet in eight barriers and one exchange of the
/// launcher.
std::uint64_t measure_network_ns(runtime& job);

}  // namespace atl::coll
