// SPDX-License-Identifier: BSD-3-Clause
//
// Words are looked at as integers, and 64 at a time, so that the compiler can use wide registers.
// Aligned words are written whole by every put there is. The places must be filled before partners
// write: ring's constructor leaves them zero, and the barrier that follows all constructors comes
// after ours.
#include <apps/spin/pgas/sentinel.hpp>

#include <algorithm>
#include <cstring>

namespace spin {
namespace {

constexpr std::uint64_t mark =
    0x7ff4'5350'494e'2121;  // a signalling NaN; arithmetic makes quiet ones
constexpr std::size_t stride = 64;

bool has_mark(const double* from, std::size_t count) noexcept {
  std::uint64_t found = 0;
  for (std::size_t i = 0; i < count; ++i) {
    std::uint64_t word;
    std::memcpy(&word, from + i, sizeof word);
    found |= static_cast<std::uint64_t>(word == mark);
  }
  return found != 0;
}

}  // namespace

sentinel::sentinel(atl::runtime& job, shared_area& area, const exchange_shape& shape)
    : ring(job, area, shape), seen_(shape.partners) {
  for_channels([&](channel& from) {
    for (std::size_t place = 0; place < shape.buffers; ++place)
      fill(from.here + place * shape.block_elements);
  });
}

void sentinel::fill(double* place) const noexcept {
  for (std::size_t i = 0; i < shape_.block_elements; ++i)
    std::memcpy(place + i, &mark, sizeof mark);
}

void sentinel::move(channel& to, std::uint64_t last) {
  // A place is posted from again when its last event is over, which may be after the data arrived.
  finish_posts(to);
  while (to.posted < std::min<std::uint64_t>(last, to.announced + shape_.buffers)) post(to);
  finish_posts(to);
}

void sentinel::finish_posts(channel& to) {
  while (to.announced < to.posted && job_.test(event_of(to, to.announced))) ++to.announced;
}

bool sentinel::is_here(channel& from, std::uint64_t number) {
  const double* const block = from.here + place_of(number);
  std::size_t& seen = seen_[from.bit];
  while (seen < shape_.block_elements) {
    const std::size_t count = std::min(stride, shape_.block_elements - seen);
    // Keeps the compiler from remembering earlier reads. The elements are their own flag.
    std::atomic_signal_fence(std::memory_order_acq_rel);
    if (has_mark(block + seen, count)) return false;
    seen += count;
  }
  return true;
}

void sentinel::clear(channel& from, std::uint64_t number) {
  fill(from.here + place_of(number));
  seen_[from.bit] = 0;
}

}  // namespace spin
