// SPDX-License-Identifier: BSD-3-Clause
//
// Compares two algorithms by the rounds in which both were measured, one shortly after the other.
// A machine may be twice as fast for some rounds as for others, which changes both times and not
// their ratio. So each round gives a ratio, and the ratios are averaged, not the times. Rounds that
// something disturbed have the lowest and the highest ratios, which do not count.
#pragma once

#include <tools/tune/rules.hpp>

#include <cstddef>
#include <optional>
#include <span>
#include <string>

namespace atl::tools {

/// The mean logarithm of the ratios of times to those of the same rounds in `base`, without the
/// lowest and the highest quarter of them; of all rounds, or of every `step`-th from the first on.
/// There must be one round, and `base` must have all of them.
double log_ratio(std::span<const double> times, std::span<const double> base, std::size_t step = 1);

/// The logarithm of the time of an algorithm relative to the built-in choice, the mean over passes.
struct comparison {
  double log_mean = 0;
  double error = 0;  // standard error, by how far halves and passes differ
};

/// Of the rounds that all algorithms have. None where a pass has left the algorithm out, or has
/// fewer than four rounds.
std::optional<comparison> compare(const tune_passes& point, const std::string& algorithm);

}  // namespace atl::tools
