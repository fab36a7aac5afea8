// SPDX-License-Identifier: BSD-3-Clause
//
// The list of transports: which of them a job opens, and which ranks each is for. Networks are
// modules, of which several may be open; where they reach is found later (core/job/router.hpp).
#include <atoll/transport/list.hpp>

#include <atoll/base/error.hpp>
#include <atoll/base/system/memory_file.hpp>
#include <atoll/base/text.hpp>
#include <atoll/memory/host_memory.hpp>
#include <atoll/transport/availability.hpp>
#include <atoll/transport/loop/context.hpp>
#include <atoll/transport/settings.hpp>
#include <atoll/transport/shm/context.hpp>
#include <atoll/transport/transport_module.hpp>

#include <utility>

namespace atl::transport {

namespace {

enum network_choice : std::uint8_t { automatic, shm_only, ofi };  // as ATOLL_NETWORK names them

// A job on several hosts needs a network; neighbourhoods of one host can send messages through
// memory, and use a network only when told to.
bool wants_network(const transport_request& wanted) {
  if (wanted.neighbours == wanted.ranks) return false;
  const std::uint64_t choice = wanted.configuration.choice(setting::network);
  if (wanted.hosts == 1) return choice == network_choice::ofi;
  if (choice != network_choice::shm_only) return true;
  throw error("ATOLL_NETWORK=shm",
              text("the job is on ", wanted.hosts, " hosts, which share no memory"),
              "unset it, or start the job on one host");
}

const transport_module& load_network(const transport_request& wanted) {
  try {
    return load_module("ofi", wanted.configuration.text(setting::module_path));
  } catch (const error& refused) {
    if (wanted.hosts == 1) throw;
    throw error(
        text("network between ", wanted.hosts, " hosts"), refused.what(),
        "install libfabric on every host and build Atoll again, or start the job on one host");
  }
}

// Networks reach all ranks that are not neighbours, also those on this machine. The first stands
// for all of them until it is known which network reaches which rank.
void add_networks(const transport_request& wanted, opened& result) {
  const rank_id ranks = wanted.ranks;
  const transport_module& plug = load_network(wanted);
  for (auto& network : plug.open({.self = wanted.self,
                                  .ranks = ranks,
                                  .threaded = wanted.threaded,
                                  .one_machine = wanted.hosts == 1,
                                  .to = wanted.to,
                                  .configuration = wanted.configuration})) {
    result.networks.push_back(network.get());
    result.polled.push_back(network.get());
    result.transports.push_back(std::move(network));
  }
  const rank_id end = wanted.first_neighbour + wanted.neighbours;
  for (rank_id rank = 0; rank < ranks; ++rank) {
    if (rank < wanted.first_neighbour || rank >= end) result.routes[rank] = result.networks.front();
  }
}

void add_shared_memory(const transport_request& wanted, opened& result) {
  result.transports.push_back(
      std::make_unique<shm::context>(shm::context_options{.memory = wanted.memory,
                                                          .self = wanted.self,
                                                          .shape = wanted.shape,
                                                          .threaded = wanted.threaded,
                                                          .to = wanted.to}));
  transport* const to_others = result.transports.back().get();
  const memory::host_layout& host = wanted.memory.layout();
  for (rank_id rank = host.first; rank < host.first + host.ranks; ++rank) {
    if (rank != wanted.self) result.routes[rank] = to_others;
  }
  result.polled.push_back(to_others);
}

}  // namespace

opened open_all(const transport_request& wanted) {
  opened result;
  const rank_id ranks = wanted.ranks;
  result.transports.push_back(
      std::make_unique<loop::context>(wanted.self, wanted.threaded, wanted.to));
  transport* const to_self = result.transports.back().get();
  result.routes.assign(ranks, to_self);
  if (wanted.memory.layout().ranks > 1) add_shared_memory(wanted, result);
  if (wants_network(wanted)) add_networks(wanted, result);
  return result;
}

availability network_choice_of(const settings& configuration) {
  try {
    return load_module("ofi", configuration.text(setting::module_path)).choice(configuration);
  } catch (const error& refused) {
    return {"ofi", false, refused.what()};
  }
}

std::vector<availability> list() {
  std::vector<availability> result{{"loop", true, "a rank to itself"}};
  try {
    (void)make_memory_file();
    result.push_back({"shm", true, "ranks of one host, through shared memory"});
  } catch (const error& refusal) {
    result.push_back({"shm", false, refusal.what()});
  }
  try {
    const settings configuration = settings::from_environment();
    const transport_module& plug = load_module("ofi", configuration.text(setting::module_path));
    result.push_back(plug.probe());
    const availability chosen = plug.choice(configuration);
    result.back().reason +=
        (chosen.usable ? "; between hosts by " : "; none between hosts: ") + chosen.reason;
  } catch (const error& refusal) {
    result.push_back({"ofi", false, refusal.what()});
  }
  return result;
}

}  // namespace atl::transport
