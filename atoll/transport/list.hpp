// SPDX-License-Identifier: BSD-3-Clause
//
// What is built in. Transports are named here and nowhere else: no registration from static
// constructors, nothing decided by the order of linking. A new transport adds a few lines to
// list.cpp.
#pragma once

#include <atoll/memory/host_memory.hpp>
#include <atoll/transport/shm/context.hpp>
#include <atoll/transport/transport.hpp>

#include <memory>
#include <string>
#include <vector>

namespace atl::transport {

/// What a transport gets to work with.
struct request {
  rank_id self;
  memory::host_memory& memory;
  shm::geometry shape;
  bool threaded;
  sink& to;
};

/// The transports of one runtime, who goes by which, and which ones need polling.
struct opened {
  std::vector<std::unique_ptr<transport>> transports;
  std::vector<transport*> routes;  // by rank
  std::vector<transport*> polled;
};

/// Opens what the job needs: loop to oneself, shared memory to the other ranks of the host.
opened open_all(const request& wanted);

/// One line of `atoll info`.
struct availability {
  std::string name;
  bool usable;
  std::string why;  // what it is for, or why it cannot be used here
};
std::vector<availability> list();

}  // namespace atl::transport
