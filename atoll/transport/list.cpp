// SPDX-License-Identifier: BSD-3-Clause
//
// The list of transports, and the choice of one per peer.
#include <atoll/transport/list.hpp>

#include <atoll/base/error.hpp>
#include <atoll/base/memory_file.hpp>
#include <atoll/base/text.hpp>
#include <atoll/transport/loop/context.hpp>

namespace atl::transport {

namespace {

enum network_choice : std::uint8_t { automatic, shm_only, ofi };  // as ATOLL_NETWORK names them

// Other hosts need one; neighbourhoods of one host have memory to send messages through, and take
// the network only when told to.
bool wants_network(const request& wanted) {
  if (wanted.neighbours == wanted.ranks) return false;
  const std::uint64_t choice = wanted.configuration.choice(setting::network);
  if (wanted.hosts == 1) return choice == network_choice::ofi;
  if (choice != network_choice::shm_only) return true;
  throw error("ATOLL_NETWORK=shm",
              text("the job is on ", wanted.hosts, " hosts, which share no memory"),
              "unset it, or start the job on one host");
}

const module& load_network(const request& wanted) {
  try {
    return load_module("ofi", wanted.configuration.text(setting::module_path));
  } catch (const error& refused) {
    if (wanted.hosts == 1) throw;
    throw error(
        text("network between ", wanted.hosts, " hosts"), refused.what(),
        "install libfabric on every host and build Atoll again, or start the job on one host");
  }
}

// Ranks that are no neighbours go by the network, though they be on this machine.
void add_network(const request& wanted, opened& all) {
  const rank_id ranks = wanted.ranks;
  const module& plug = load_network(wanted);
  all.transports.push_back(plug.open({.self = wanted.self,
                                      .ranks = ranks,
                                      .threaded = wanted.threaded,
                                      .one_machine = wanted.hosts == 1,
                                      .to = wanted.to,
                                      .configuration = wanted.configuration}));
  all.network = all.transports.back().get();
  const rank_id end = wanted.first_neighbour + wanted.neighbours;
  for (rank_id rank = 0; rank < ranks; ++rank) {
    if (rank < wanted.first_neighbour || rank >= end) all.routes[rank] = all.network;
  }
  all.polled.push_back(all.network);
}

void add_shared_memory(const request& wanted, opened& all) {
  all.transports.push_back(std::make_unique<shm::context>(shm::options{.memory = wanted.memory,
                                                                       .self = wanted.self,
                                                                       .shape = wanted.shape,
                                                                       .threaded = wanted.threaded,
                                                                       .to = wanted.to}));
  transport* const to_others = all.transports.back().get();
  const memory::host_layout& here = wanted.memory.layout();
  for (rank_id rank = here.first; rank < here.first + here.ranks; ++rank) {
    if (rank != wanted.self) all.routes[rank] = to_others;
  }
  all.polled.push_back(to_others);
}

}  // namespace

opened open_all(const request& wanted) {
  opened all;
  const rank_id ranks = wanted.ranks;
  all.transports.push_back(
      std::make_unique<loop::context>(wanted.self, wanted.threaded, wanted.to));
  transport* const to_self = all.transports.back().get();
  all.routes.assign(ranks, to_self);
  if (wanted.memory.layout().ranks > 1) add_shared_memory(wanted, all);
  if (wants_network(wanted)) add_network(wanted, all);
  return all;
}

availability network_choice_of(const settings& configuration) {
  try {
    return load_module("ofi", configuration.text(setting::module_path)).choice(configuration);
  } catch (const error& refused) {
    return {"ofi", false, refused.what()};
  }
}

std::vector<availability> list() {
  std::vector<availability> all{{"loop", true, "a rank to itself"}};
  try {
    (void)make_memory_file();
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
