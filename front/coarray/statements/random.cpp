// SPDX-License-Identifier: BSD-3-Clause
//
// Seeds for random numbers. A seed is made from a number (a constant, or one that image 1 has drawn
// for this run), from the number of the call, and from that of the image. So images agree without a
// message. Its words come from a counter that is mixed (SplitMix64; Steele, Lea and Flood, 2014):
// if the number differs, all words differ.
#include <front/coarray/statements/random.hpp>

#include <atoll/base/halves.hpp>

#include <front/coarray/process_state.hpp>

namespace atl::coarray {
namespace {

constexpr std::uint64_t step = 0x9e3779b97f4a7c15u;

std::uint64_t mixed(std::uint64_t number) noexcept {
  number = (number ^ number >> 30) * 0xbf58476d1ce4e5b9u;
  number = (number ^ number >> 27) * 0x94d049bb133111ebu;
  return number ^ number >> 31;
}

}  // namespace

void make_seed(bool is_repeatable, bool is_image_distinct, std::span<std::int32_t> words) noexcept {
  process_state& us = running();
  std::uint64_t state = step;
  if (!is_repeatable) state = mixed(us.random_number + ++us.seeds_made * step);
  if (is_image_distinct)
    state = mixed(state + static_cast<std::uint64_t>(us.runtime.rank() + 1) * step);
  for (std::int32_t& word : words) {
    state += step;
    word = static_cast<std::int32_t>(high_half(mixed(state)));
  }
}

}  // namespace atl::coarray
