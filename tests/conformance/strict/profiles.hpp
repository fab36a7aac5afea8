// SPDX-License-Identifier: BSD-3-Clause
//
// Profiles: the demands of hardware providers on a program, as far as they concern Atoll. They are
// the attributes that their sources declare (libfabric 2.x: verbs under ofi_rxm, cxi, psm3, efa,
// opx), and one profile demands everything at once. The strict provider shows and enforces them.
#pragma once

#include <rdma/fabric.h>

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace strict {

struct profile {
  std::string_view name;
  int registration = 0;            // mr_mode
  std::uint64_t mode = 0;          // what the program must do: contexts, vectors that stay
  std::size_t inject_max = 0;      // bytes
  std::size_t key_bytes = 8;       // of the keys of registered memory
  std::size_t message_max = 0;     // bytes; also of a put or get
  bool sleeps = false;             // its completion queue has a descriptor
  bool many_per_receive = false;   // FI_MULTI_RECV
  bool orders_messages = false;    // FI_ORDER_SAS
  bool progresses_itself = false;  // FI_PROGRESS_AUTO

  bool asks_for(int bit) const noexcept { return (registration & bit) != 0; }
};

/// The profile of this name; null when there is none.
const profile* find_profile(std::string_view name) noexcept;

}  // namespace strict
