// SPDX-License-Identifier: BSD-3-Clause
//
// The list of transports, and the choice of one per peer.
#include <atoll/transport/list.hpp>

#include <atoll/base/error.hpp>
#include <atoll/transport/loop/context.hpp>

namespace atl::transport {

opened open_all(const request& wanted) {
  opened all;
  const rank_id ranks = wanted.memory.layout().ranks;
  all.transports.push_back(
      std::make_unique<loop::context>(wanted.self, wanted.threaded, wanted.to));
  transport* const to_self = all.transports.back().get();
  all.routes.assign(ranks, to_self);
  if (ranks == 1) return all;
  all.transports.push_back(std::make_unique<shm::context>(shm::options{.memory = wanted.memory,
                                                                       .self = wanted.self,
                                                                       .shape = wanted.shape,
                                                                       .threaded = wanted.threaded,
                                                                       .to = wanted.to}));
  transport* const to_others = all.transports.back().get();
  for (rank_id rank = 0; rank < ranks; ++rank) {
    if (rank != wanted.self) all.routes[rank] = to_others;
  }
  all.polled.push_back(to_others);
  return all;
}

std::vector<availability> list() {
  std::vector<availability> all{{"loop", true, "a rank to itself"}};
  try {
    (void)memory::make_memory_file();
    all.push_back({"shm", true, "ranks of one host, through shared memory"});
  } catch (const error& refusal) {
    all.push_back({"shm", false, refusal.what()});
  }
  return all;
}

}  // namespace atl::transport
