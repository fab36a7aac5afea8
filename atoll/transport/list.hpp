// SPDX-License-Identifier: BSD-3-Clause
//
// The built-in transports. They are named here and nowhere else: no registration from static
// constructors, nothing decided by the order of linking. A new transport adds a few lines to
// list.cpp; one that needs a library which not every machine has is a module (transport_module.hpp)
// and is named there all the same.
#pragma once

#include <atoll/base/settings.hpp>
#include <atoll/transport/shm/geometry.hpp>
#include <atoll/transport/transport.hpp>

#include <memory>
#include <string>
#include <vector>

namespace atl::memory {
class host_memory;
}

namespace atl::transport {

struct availability;

/// The environment in which a transport is opened.
struct transport_request {
  rank_id self;
  memory::host_memory& memory;
  shm::geometry shape;
  bool threaded;
  receiver& to;
  rank_id ranks;            // of the job
  rank_id hosts;            // that they are on
  rank_id first_neighbour;  // the ranks that share memory, this one among them
  rank_id neighbours;
  const settings& configuration;
};

/// The transports of one runtime, the transport of each rank, and the transports that need polling.
struct opened {
  std::vector<std::unique_ptr<transport>> transports;
  std::vector<transport*> routes;  // by rank
  std::vector<transport*> polled;
  std::vector<transport*> networks;  // those of `transports` to ranks of other hosts, best first
};

/// Opens the transports that the job needs: loop to this rank itself, shared memory to the other
/// ranks of the host, and networks to other hosts. Which of several networks reaches which rank is
/// found when ranks have told each other what they have (core/job/router.hpp). Throws `atl::error`,
/// with a remedy when no network is available.
opened open_all(const transport_request& wanted);

std::vector<availability> list();

/// The networks that a job over several hosts would use from here, in words, or why there is none.
availability network_choice_of(const settings& configuration);

}  // namespace atl::transport
