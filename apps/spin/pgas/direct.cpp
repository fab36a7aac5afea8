// SPDX-License-Identifier: BSD-3-Clause
//
// The gets of the direct variant: final blocks are fetched into a ring, so that some are under way
// while one is read.
#include <apps/spin/pgas/direct.hpp>
#include <apps/spin/pgas/global_vector.hpp>

#include <algorithm>

namespace spin {

direct::direct(atl::runtime& job, shared_area& area, const exchange_shape& shape)
    : exchange(shape),
      job_(job),
      area_(area),
      progress_(job, area, shape),
      streams_(shape.partners) {
  for (unsigned bit = 0; bit < shape.partners; ++bit)
    channels_.push_back({.partner = partner_of(job.rank(), bit)});
}

void direct::begin(const double* vector) {
  progress_.begin();
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

// Gets the blocks before number `last` that are final and for which there is room.
void direct::ask(unsigned partner, std::size_t last) {
  channel& from = channels_[partner];
  for (; from.asked < last && progress_.is_final(partner, from.asked); ++from.asked) {
    const std::size_t place = from.asked % shape_.buffers;
    atl::get_nb(job_.primordial(), from.got.data() + place * shape_.block_elements, from.partner,
                from.remote + from.asked * shape_.block_elements, shape_.block_bytes(),
                from.events[place]);
  }
}

const double* direct::stream_of(unsigned partner, std::size_t block) {
  channel& from = channels_[partner];
  moved_bytes_ += shape_.block_bytes();
  if (from.local != nullptr) return from.local + block * shape_.block_elements;
  ask(partner, std::min(block + shape_.buffers, shape_.blocks));
  const std::size_t place = block % shape_.buffers;
  job_.wait(from.events[place]);
  return from.got.data() + place * shape_.block_elements;
}

block_streams direct::wait_for(std::size_t block) {
  progress_.wait_for(block);
  waited_ns_ = progress_.waited_ns();
  for (unsigned partner = 0; partner < channels_.size(); ++partner)
    streams_[partner] = stream_of(partner, block);
  return {streams_.data(), streams_.size()};
}

}  // namespace spin
