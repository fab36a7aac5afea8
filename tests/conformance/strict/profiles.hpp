// SPDX-License-Identifier: BSD-3-Clause
//
// Demands of hardware providers on a program, as far as Atoll uses them: the attributes that their
// sources declare (libfabric 2.x: verbs under ofi_rxm, cxi, psm3, efa, opx), and one that asks for
// everything at once. The strict provider shows these and sees to it that they are obeyed.
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

/// Null when there is none of this name.
const profile* find_profile(std::string_view name) noexcept;

}  // namespace strict
