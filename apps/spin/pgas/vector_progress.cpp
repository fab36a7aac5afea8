// SPDX-License-Identifier: BSD-3-Clause
//
// Progress counters. A put of a counter sends no message, so a rank that waits asleep must wake and
// look again by itself.
#include <apps/spin/pgas/vector_progress.hpp>
#include <atoll/base/clock.hpp>
#include <atoll/core/rma/rma.hpp>

#include <algorithm>

namespace spin {

vector_progress::vector_progress(atl::runtime& job, shared_area& area, const exchange_shape& shape)
    : job_(job), blocks_(shape.blocks) {
  for (unsigned bit = 0; bit < shape.partners; ++bit) {
    const atl::rank_id partner = partner_of(job.rank(), bit);
    mailbox* const reported = area.take<mailbox>(1);
    channels_.push_back(
        {.partner = partner, .reported = reported, .report = area.peer_address(partner, reported)});
  }
}

template <class Ready>
void vector_progress::wait_until(Ready ready) {
  if (ready()) return;
  const std::int64_t start_ns = atl::now_ns();
  job_.wait_until(ready, atl::runtime::silent_sleep_ns);
  waited_ns_ += atl::now_ns() - start_ns;
}

void vector_progress::begin() {
  wait_until([&] {
    return std::ranges::all_of(channels_, [&](const channel& each) {
      return read_counter(each.reported->consumed) >= next_round_;
    });
  });
  round_first_ = next_round_;
  next_round_ += blocks_;
}

void vector_progress::offer(std::size_t blocks) {
  atl::fence_stores();
  for (const channel& to : channels_)
    atl::put_value(job_.primordial(), to.partner, &to.report->arrived, round_first_ + blocks);
}

void vector_progress::wait_for(std::size_t block) {
  wait_until([&] {
    for (unsigned partner = 0; partner < channels_.size(); ++partner)
      if (!is_final(partner, block)) return false;
    return true;
  });
}

void vector_progress::finish() {
  atl::fence_stores();
  for (const channel& from : channels_)
    atl::put_value(job_.primordial(), from.partner, &from.report->consumed, next_round_);
}

}  // namespace spin
