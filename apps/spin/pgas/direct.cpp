// SPDX-License-Identifier: BSD-3-Clause
//
// The order that keeps it right: a block's numbers, a fence, the counter `arrived`, read with
// acquire before the block; the last reading of a vector, a fence, the counter `consumed`, read
// with acquire before the vector changes.
//
// It cannot deadlock: blocks are offered without waiting, and begin() waits only for partners that
// have all that they need.
#include <apps/spin/pgas/direct.hpp>
#include <apps/spin/pgas/global_vector.hpp>
#include <atoll/base/clock.hpp>

#include <algorithm>

namespace spin {

direct::direct(atl::runtime& job, shared_area& area, const exchange_shape& shape)
    : exchange(shape), job_(job), area_(area), streams_(shape.partners) {
  for (unsigned bit = 0; bit < shape.partners; ++bit) {
    const atl::rank_id partner = partner_of(job.rank(), bit);
    mailbox* const reported = area.take<mailbox>(1);
    channels_.push_back(
        {.partner = partner, .reported = reported, .report = area.peer_address(partner, reported)});
  }
}

void direct::begin(const double* vector) {
  wait_until([&] {
    return std::all_of(channels_.begin(), channels_.end(), [&](const channel& each) {
      return read_counter(each.reported->consumed) >= next_round_;
    });
  });
  round_first_ = next_round_;
  next_round_ += shape_.blocks;
  const std::size_t count = shape_.blocks * shape_.block_elements;
  for (channel& each : channels_) {
    each.remote = area_.peer_address(each.partner, vector);
    each.local = mapped(job_.primordial(), each.partner, each.remote, count);
    each.asked = 0;
    if (each.local == nullptr && each.got.empty()) {
      each.got = aligned_numbers(shape_.buffer_elements());
      each.events = std::vector<atl::event>(shape_.buffers);
    }
  }
}

void direct::offer(std::size_t blocks) {
  atl::fence_stores();
  for (const channel& to : channels_)
    atl::put_value(job_.primordial(), to.partner, &to.report->arrived, round_first_ + blocks);
}

// Gets the blocks before number `last` that are final and for which there is room.
void direct::ask(channel& from, std::size_t last) {
  for (; from.asked < last && is_final(from, from.asked); ++from.asked) {
    const std::size_t place = from.asked % shape_.buffers;
    atl::get_nb(job_.primordial(), from.got.data() + place * shape_.block_elements, from.partner,
                from.remote + from.asked * shape_.block_elements, shape_.block_bytes(),
                from.events[place]);
  }
}

const double* direct::stream_of(channel& from, std::size_t block) {
  moved_bytes_ += shape_.block_bytes();
  if (from.local != nullptr) return from.local + block * shape_.block_elements;
  ask(from, std::min(block + shape_.buffers, shape_.blocks));
  const std::size_t place = block % shape_.buffers;
  job_.wait(from.events[place]);
  return from.got.data() + place * shape_.block_elements;
}

template <class Ready>
void direct::wait_until(Ready ready) {
  if (ready()) return;
  const std::int64_t start_ns = atl::now_ns();
  job_.wait_until(ready, atl::runtime::silent_sleep_ns);
  waited_ns_ += atl::now_ns() - start_ns;
}

block_streams direct::wait_for(std::size_t block) {
  wait_until([&] {
    return std::all_of(channels_.begin(), channels_.end(),
                       [&](const channel& each) { return is_final(each, block); });
  });
  for (std::size_t i = 0; i < channels_.size(); ++i) streams_[i] = stream_of(channels_[i], block);
  return {streams_.data(), streams_.size()};
}

void direct::finish() {
  atl::fence_stores();
  for (const channel& from : channels_)
    atl::put_value(job_.primordial(), from.partner, &from.report->consumed, next_round_);
}

}  // namespace spin
