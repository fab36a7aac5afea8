// SPDX-License-Identifier: BSD-3-Clause
//
// Rings of OpenSHMEM. A PE that waits keeps putting the blocks that it has offered, and sleeps only
// when none is left. It waits only for its partners' earlier blocks, so it cannot deadlock.
#include <apps/spin/shmem/ring.hpp>
#include <atoll/base/clock.hpp>
#include <atoll/base/error.hpp>
#include <atoll/base/text.hpp>

#include <sched.h>

#include <algorithm>

namespace spin {

template <class Element>
symmetric<Element>::symmetric(std::size_t count)
    : first_(static_cast<Element*>(
          shmem_align(64, std::max<std::size_t>(count, 1) * sizeof(Element)))) {
  if (first_ == nullptr) {
    throw atl::error("spin: symmetric memory",
                     atl::text("there are no ", atl::bytes_text(count * sizeof(Element)), " left"),
                     "use fewer sites or --buffers");
  }
  std::fill_n(first_, count, Element{});
}

template class symmetric<double>;
template class symmetric<std::uint64_t>;

namespace shm {
namespace {

constexpr std::size_t words_per_line = 8;

std::uint64_t read_counter(const std::uint64_t& counter) noexcept {
  return shmem_uint64_atomic_fetch(&counter, shmem_my_pe());
}

}  // namespace

ring::ring(const exchange_shape& shape)
    : exchange(shape),
      places_(shape.partners * shape.buffer_elements()),
      consumed_(shape.partners * words_per_line),
      streams_(shape.partners) {
  for (unsigned bit = 0; bit < shape.partners; ++bit) {
    channels_.push_back({.bit = bit,
                         .partner = shmem_my_pe() ^ 1 << bit,
                         .places = places_.data() + bit * shape.buffer_elements()});
  }
}

void ring::begin(const double* vector) {
  round_first_ = offered_;
  vector_ = vector;
}

void ring::offer(std::size_t blocks) {
  offered_ = round_first_ + blocks;
  pump();
}

bool ring::pump() {
  bool all = true;
  bool some = false;
  for (channel& to : channels_) {
    if (to.posted == offered_) continue;
    const std::uint64_t room = read_counter(consumed_[to.bit * words_per_line]) + shape_.buffers;
    for (const std::uint64_t last = std::min(offered_, room); to.posted < last; some = true) {
      post(to);
      moved_bytes_ += shape_.block_bytes();
    }
    all = all && to.posted == offered_;
  }
  if (some) posted();
  return all;
}

block_streams ring::wait_for(std::size_t block) {
  const std::uint64_t number = round_first_ + block;
  const std::int64_t start_ns = atl::now_ns();
  bool waited = false;
  for (std::size_t i = 0; i < channels_.size(); ++i) {
    const channel& from = channels_[i];
    while (!has_arrived(from, number)) {
      waited = true;
      if (pump()) {
        await(from, number);
      } else {
        sched_yield();
      }
    }
    streams_[i] = from.places + place_of(number);
  }
  if (waited) waited_ns_ += atl::now_ns() - start_ns;
  return {streams_.data(), streams_.size()};
}

void ring::release(std::size_t block) {
  const std::uint64_t number = round_first_ + block;
  for (const channel& from : channels_) clear(from, number);
  shmem_fence();  // what was written to the places here comes before the counters
  for (const channel& from : channels_) {
    shmem_uint64_atomic_set(&consumed_[from.bit * words_per_line], number + 1, from.partner);
  }
}

void ring::finish() {
  const std::int64_t start_ns = atl::now_ns();
  while (!pump()) sched_yield();
  shmem_quiet();  // the vector may change
  waited_ns_ += atl::now_ns() - start_ns;
}

}  // namespace shm
}  // namespace spin
