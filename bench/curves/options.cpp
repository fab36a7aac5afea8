// SPDX-License-Identifier: BSD-3-Clause
//
// The list of sizes. A size beyond the area that buffers rotate in is refused: it would be measured
// on one buffer while all others rotate.
#include <bench/curves/cases.hpp>
#include <bench/curves/options.hpp>
#include <bench/harness/command_line.hpp>

namespace bench {

namespace {

constexpr std::size_t least_bytes = 8;
constexpr std::size_t most_bytes = std::size_t{4} << 20;
constexpr std::size_t quick_bytes = std::size_t{64} << 10;
constexpr std::size_t size_limit = curve_area_bytes_max / 2;

}  // namespace

std::vector<std::size_t> curve_options::sizes_to_measure(bool quick) const {
  if (!sizes.empty()) return sizes;
  if (set == "rate") return {least_bytes};
  std::vector<std::size_t> result;
  for (std::size_t bytes = least_bytes; bytes <= (quick ? quick_bytes : most_bytes); bytes *= 2)
    result.push_back(bytes);
  return result;
}

void add_curve_options(command_line& line, curve_options& chosen) {
  line.add_numbers("--sizes", chosen.sizes, "Bytes, separated by commas (default 8,16,...,4194304)",
                   1, size_limit);
}

}  // namespace bench
