// SPDX-License-Identifier: BSD-3-Clause
//
// The shared-memory transport keeps the promises of all transports; each rank has a mapping of its
// own.
#include <atoll/base/memory_file.hpp>
#include <atoll/transport/shm/context.hpp>
#include <tests/conformance/transport_suite.hpp>

namespace atl::transport {

struct shm_backend {
  static constexpr std::array<rank_id, 4> ranks{2, 3, 4, 8};
  std::vector<std::unique_ptr<memory::host_memory>> memories;

  std::vector<std::unique_ptr<transport>> make(rank_id size, bool threaded,
                                               const std::vector<receiver*>& to) {
    const shm::geometry shape;
    const memory::host_layout layout =
        memory::plan(size, shape.control_bytes(), {.heap_limit = 4 << 20});
    const descriptor file = make_memory_file();
    std::vector<std::unique_ptr<transport>> transports;
    memories.clear();
    for (rank_id rank = 0; rank < size; ++rank) {
      memories.push_back(
          std::make_unique<memory::host_memory>(descriptor(::dup(file.get())), layout, rank));
      transports.push_back(std::make_unique<shm::context>(
          shm::options{*memories.back(), rank, shape, threaded, *to[rank]}));
    }
    return transports;
  }
};

INSTANTIATE_TYPED_TEST_SUITE_P(shm, transport_suite, shm_backend);
INSTANTIATE_TYPED_TEST_SUITE_P(shm, transport_queue_suite, shm_backend);

}  // namespace atl::transport
