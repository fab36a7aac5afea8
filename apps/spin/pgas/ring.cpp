// SPDX-License-Identifier: BSD-3-Clause
//
// Multi-buffered puts. Two orders keep them right: a block's data are complete before the counter
// `arrived` is put, which the partner reads with acquire; and the partner's reads are over before
// it puts the counter `consumed`, which is read with acquire here before the place is used again.
// fence_stores() stands between the two halves of each.
//
// This cannot deadlock: a rank that waits keeps putting the blocks that it has offered, and it
// waits only for its partners' earlier blocks.
#include <apps/spin/pgas/ring.hpp>
#include <atoll/base/clock.hpp>

#include <algorithm>

namespace spin {

std::size_t ring::bytes(const exchange_shape& shape) noexcept {
  return shape.partners *
         (shared_area::bytes_of(shape.buffer_elements(), sizeof(double)) + sizeof(mailbox));
}

ring::ring(atl::runtime& job, shared_area& area, const exchange_shape& shape)
    : exchange(shape), job_(job), streams_(shape.partners) {
  for (unsigned bit = 0; bit < shape.partners; ++bit) {
    const atl::rank_id partner = partner_of(job.rank(), bit);
    double* const local = area.take<double>(shape.buffer_elements());
    mailbox* const reported = area.take<mailbox>(1);
    channels_.push_back({.bit = bit,
                         .partner = partner,
                         .local = local,
                         .reported = reported,
                         .remote = area.peer_address(partner, local),
                         .report = area.peer_address(partner, reported),
                         .events = std::vector<atl::event>(shape.buffers)});
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

void ring::pump() {
  for (channel& to : channels_) {
    if (to.announced == offered_) continue;
    const std::uint64_t room = read_counter(to.reported->consumed) + shape_.buffers;
    move(to, std::min(offered_, room));
  }
}

void ring::post(channel& to) noexcept {
  atl::put_nb(job_.primordial(), to.partner, to.remote + place_of(to.posted), block_of(to.posted),
              shape_.block_bytes(), event_of(to, to.posted));
  ++to.posted;
  moved_bytes_ += shape_.block_bytes();
}

void ring::post_implicit(channel& to) noexcept {
  atl::put_nbi(job_.primordial(), to.partner, to.remote + place_of(to.posted), block_of(to.posted),
               shape_.block_bytes());
  ++to.posted;
  moved_bytes_ += shape_.block_bytes();
}

void ring::announce(channel& to, std::uint64_t last) noexcept {
  if (last == to.announced) return;
  atl::fence_stores();
  atl::put_value(job_.primordial(), to.partner, &to.report->arrived, last);
  to.announced = last;
}

template <class Ready>
void ring::wait_until(Ready ready) {
  pump();
  if (ready()) return;
  const std::int64_t start_ns = atl::now_ns();
  const auto pump_and_test = [&] {
    pump();
    return ready();
  };
  job_.wait_until(pump_and_test, atl::runtime::silent_sleep_ns);
  waited_ns_ += atl::now_ns() - start_ns;
}

block_streams ring::wait_for(std::size_t block) {
  const std::uint64_t number = round_first_ + block;
  wait_until([&] {
    for (channel& from : channels_)
      if (!has_arrived(from, number)) return false;
    return true;
  });
  for (std::size_t i = 0; i < channels_.size(); ++i)
    streams_[i] = channels_[i].local + place_of(number);
  return {streams_.data(), streams_.size()};
}

void ring::release(std::size_t block) {
  const std::uint64_t number = round_first_ + block;
  for (channel& from : channels_) clear(from, number);
  atl::fence_stores();
  for (const channel& from : channels_)
    atl::put_value(job_.primordial(), from.partner, &from.report->consumed, number + 1);
}

void ring::finish() {
  wait_until([&] {
    for (const channel& to : channels_)
      if (to.announced != offered_) return false;
    return true;
  });
}

void ring::settle() {
  for (channel& to : channels_)
    for (atl::event& each : to.events) job_.wait(each);
}

}  // namespace spin
