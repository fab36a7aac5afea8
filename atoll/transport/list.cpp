// SPDX-License-Identifier: BSD-3-Clause
//
// The list of transports, and the choice of one per peer.
#include <atoll/transport/list.hpp>

#include <atoll/base/error.hpp>
#include <atoll/transport/loop/context.hpp>

namespace atl::transport {

namespace {

enum network_choice : std::uint8_t { automatic, shm_only, ofi };  // as ATOLL_NETWORK names them

bool wants_network(const request& wanted) {
  if (wanted.neighbours == wanted.memory.layout().ranks) return false;
  return wanted.configuration.choice(setting::network) == network_choice::ofi;
}

// Ranks that are no neighbours go by the network, though they be on this machine.
void add_network(const request& wanted, opened& all) {
  const rank_id ranks = wanted.memory.layout().ranks;
  const module& plug = load_module("ofi", wanted.configuration.text(setting::module_path));
  std::byte* const heap = wanted.memory.heap(wanted.self);
  all.transports.push_back(plug.open({.self = wanted.self,
                                      .ranks = ranks,
                                      .segment = {heap, wanted.memory.layout().heap_limit},
                                      .threaded = wanted.threaded,
                                      .one_machine = true,
                                      .to = wanted.to,
                                      .configuration = wanted.configuration}));
  all.network = all.transports.back().get();
  const rank_id end = wanted.first_neighbour + wanted.neighbours;
  for (rank_id rank = 0; rank < ranks; ++rank) {
    if (rank < wanted.first_neighbour || rank >= end) all.routes[rank] = all.network;
  }
  all.polled.push_back(all.network);
}

}  // namespace

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
  if (wants_network(wanted)) add_network(wanted, all);
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
  try {
    const settings here = settings::from_environment();
    all.push_back(load_module("ofi", here.text(setting::module_path)).probe());
  } catch (const error& refusal) {
    all.push_back({"ofi", false, refusal.what()});
  }
  return all;
}

}  // namespace atl::transport
