// SPDX-License-Identifier: BSD-3-Clause
//
// Data and flag in one put: the reader fills a place with a number that no computation yields, a
// particular signalling NaN, and polls the place until no such word is left. Every word is its own
// flag, so the order in which a put writes does not matter, and no counter is sent. The cost is one
// pass over each block to check it and one to fill it again.
#pragma once

#include <apps/spin/pgas/ring.hpp>

#include <vector>

namespace spin {

class sentinel final : public ring {
 public:
  sentinel(atl::runtime& job, shared_area& area, const exchange_shape& shape);

 private:
  void move(channel& to, std::uint64_t last) override;
  bool has_arrived(channel& from, std::uint64_t number) override;
  void clear(channel& from, std::uint64_t number) override;
  void finish_posts(channel& to);

  std::vector<std::size_t> seen_;  // elements of the channel's next block that have arrived
};

}  // namespace spin
