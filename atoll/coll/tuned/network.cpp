// SPDX-License-Identifier: BSD-3-Clause
//
// Times barriers of all ranks, whose rounds between hosts are a message each. Two barriers in a row
// are timed together: a rank that comes late to the first finds the messages of the others there,
// and waits the longer for those of the second. The fastest pair counts.
#include <atoll/coll/tuned/network.hpp>

#include <atoll/base/clock.hpp>
#include <atoll/core/job/runtime.hpp>

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstring>
#include <limits>
#include <span>

namespace atl::coll {

std::uint64_t measure_network_ns(runtime& job) {
  constexpr unsigned pairs = 4;
  team& world = job.world();
  const rank_id hosts = world.hosts().count();
  if (hosts < 2) return 0;
  std::int64_t least = std::numeric_limits<std::int64_t>::max();
  for (unsigned i = 0; i < pairs; ++i) {
    const std::int64_t begin = now_ns();
    world.barrier();
    world.barrier();
    least = std::min(least, (now_ns() - begin) / 2);
  }
  const auto rounds = static_cast<std::int64_t>(std::bit_width(hosts - 1));
  const std::uint64_t own = static_cast<std::uint64_t>(std::max(least / rounds, std::int64_t{1}));
  const bootstrap::blob_table all = job.exchange(std::as_bytes(std::span(&own, 1)));
  std::uint64_t of_all = own;
  for (rank_id rank = 0; rank < all.size(); ++rank) {
    std::uint64_t each = 0;
    std::memcpy(&each, all.at(rank).data(), std::min(all.at(rank).size(), sizeof each));
    of_all = std::min(of_all, each);
  }
  return of_all;
}

}  // namespace atl::coll
