// SPDX-License-Identifier: BSD-3-Clause
//
// The order that keeps it right: a block's data, then (its put being complete) the counter
// `arrived`, read with acquire by the partner; the partner's reads, then the counter `consumed`,
// read with acquire here before the place is used again. fence_stores() stands between the two
// halves of each pair.
//
// It cannot deadlock: a rank that waits keeps putting what it has offered, and what it waits for
// depends only on its partners' earlier blocks.
#include <apps/spin/exchange.hpp>
#include <atoll/base/clock.hpp>

#include <atomic>

namespace spin {
namespace {

// Acquire: pairs with the fence before the put that wrote the counter, so that what the writer did
// before is seen (a block) or over (the reading of a block).
std::uint64_t read_counter(const std::uint64_t& counter) noexcept {
  return std::atomic_ref<const std::uint64_t>(counter).load(std::memory_order_acquire);
}

}  // namespace

std::size_t exchange::bytes_needed(const exchange_shape& shape) noexcept {
  const std::size_t ring = shared_area::bytes_of(shape.buffers * shape.block_elements, 8);
  return shape.partners * (ring + sizeof(mailbox));
}

exchange::exchange(atl::runtime& job, shared_area& area, const exchange_shape& shape)
    : job_(job), shape_(shape), streams_(shape.partners) {
  for (unsigned bit = 0; bit < shape.partners; ++bit) {
    const atl::rank_id partner = job.rank() ^ atl::rank_id{1} << bit;
    double* const ring = area.take<double>(shape.buffers * shape.block_elements);
    mailbox* const reported = area.take<mailbox>(1);
    channels_.push_back({.partner = partner,
                         .ring = ring,
                         .reported = reported,
                         .partner_ring = area.at(partner, ring),
                         .partner_reported = area.at(partner, reported),
                         .events = std::vector<atl::event>(shape.buffers)});
  }
}

void exchange::begin(const double* vector) noexcept {
  round_first_ = offered_;
  vector_ = vector;
}

void exchange::offer(std::size_t blocks) noexcept {
  offered_ = round_first_ + blocks;
  pump();
}

void exchange::pump() noexcept {
  for (channel& to : channels_) {
    if (to.announced == offered_) continue;
    const std::uint64_t room = read_counter(to.reported->consumed) + shape_.buffers;
    while (to.posted < offered_ && to.posted < room) post(to);
    announce(to);
  }
}

void exchange::post(channel& to) noexcept {
  const std::size_t place = to.posted % shape_.buffers;
  const std::size_t block = to.posted - round_first_;
  atl::put_nb(job_.primordial(), to.partner, to.partner_ring + place * shape_.block_elements,
              vector_ + block * shape_.block_elements, block_bytes(), to.events[place]);
  ++to.posted;
  ++blocks_put_;
}

void exchange::announce(channel& to) noexcept {
  std::uint64_t complete = to.announced;
  while (complete < to.posted && job_.test(to.events[complete % shape_.buffers])) ++complete;
  if (complete == to.announced) return;
  atl::fence_stores();
  atl::put_value(job_.primordial(), to.partner, &to.partner_reported->arrived, complete);
  to.announced = complete;
}

template <class Ready>
void exchange::wait_until(Ready ready) {
  pump();
  if (ready()) return;
  const std::int64_t start_ns = atl::now_ns();
  const auto pump_and_look = [&] {
    pump();
    return ready();
  };
  job_.wait_until(pump_and_look, atl::runtime::silent_sleep_ns);
  waited_ns_ += atl::now_ns() - start_ns;
}

block_streams exchange::wait_for(std::size_t block) {
  const std::uint64_t number = round_first_ + block;
  wait_until([&] {
    for (const channel& from : channels_)
      if (read_counter(from.reported->arrived) <= number) return false;
    return true;
  });
  const std::size_t place = number % shape_.buffers;
  for (std::size_t i = 0; i < channels_.size(); ++i)
    streams_[i] = channels_[i].ring + place * shape_.block_elements;
  return {streams_.data(), streams_.size()};
}

void exchange::release(std::size_t block) noexcept {
  atl::fence_stores();
  for (const channel& from : channels_) {
    atl::put_value(job_.primordial(), from.partner, &from.partner_reported->consumed,
                   round_first_ + block + 1);
  }
}

void exchange::finish() {
  wait_until([&] {
    for (const channel& to : channels_)
      if (to.announced != offered_) return false;
    return true;
  });
}

}  // namespace spin
