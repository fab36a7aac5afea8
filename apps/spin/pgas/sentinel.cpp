// SPDX-License-Identifier: BSD-3-Clause
//
// The sentinel variant. Places must be filled with marks before partners write: the constructor
// does it after ring's, which leaves zeros, and before the barrier that follows all constructors.
#include <apps/spin/marked_words.hpp>
#include <apps/spin/pgas/sentinel.hpp>

#include <algorithm>

namespace spin {

sentinel::sentinel(atl::runtime& job, shared_area& area, const exchange_shape& shape)
    : ring(job, area, shape), seen_(shape.partners) {
  for_channels([&](channel& from) {
    for (std::size_t place = 0; place < shape.buffers; ++place)
      fill_with_marks(from.local + place * shape.block_elements, shape.block_elements);
  });
}

void sentinel::move(channel& to, std::uint64_t last) {
  // A place is reused when its last event is complete, which may be later than the data's arrival.
  finish_posts(to);
  while (to.posted < std::min<std::uint64_t>(last, to.announced + shape_.buffers)) post(to);
  finish_posts(to);
}

void sentinel::finish_posts(channel& to) {
  while (to.announced < to.posted && job_.test(event_of(to, to.announced))) ++to.announced;
}

bool sentinel::has_arrived(channel& from, std::uint64_t number) {
  return have_arrived(from.local + place_of(number), shape_.block_elements, seen_[from.bit]);
}

void sentinel::clear(channel& from, std::uint64_t number) {
  fill_with_marks(from.local + place_of(number), shape_.block_elements);
  seen_[from.bit] = 0;
}

}  // namespace spin
