// SPDX-License-Identifier: BSD-3-Clause
//
// Non-contiguous transfers: those of the core, on addresses of the owner.
#include <upcxx/vis.hpp>

#include <atoll/base/text.hpp>
#include <atoll/core/strided/strided.hpp>
#include <front/upcxx/process_state.hpp>

namespace atl::upcxx_front {

void run_collector::add_remote(const place& location, std::size_t bytes) {
  need_job("non-contiguous transfer");
  if (location.kind == 0 && bytes != 0) {
    refuse("non-contiguous transfer", "a global pointer is null", "leave empty runs out");
  }
  if (rank_ != no_rank && rank_ != location.rank && bytes != 0) {
    job.runtime->fail(
        "non-contiguous transfer",
        text("its global pointers are of rank ", rank_, " and of rank ", location.rank),
        "make one transfer per rank");
  }
  if (bytes == 0) return;
  rank_ = location.rank;
  runs_.push_back({job.endpoint->bound().part(location.rank).base + location.offset, bytes});
}

void start_runs(bool puts, const run_collector& to, const run_collector& from,
                event& done) noexcept {
  const vector_transfer transfer{.to = run_list(to.runs()), .from = run_list(from.runs())};
  if (puts) {
    put_nb(*job.endpoint, to.rank(), transfer, done);
  } else {
    get_nb(*job.endpoint, from.rank(), transfer, done);
  }
}

void start_block(const block_transfer& transfer, event& done) noexcept {
  need_job("non-contiguous transfer");
  if (transfer.remote.kind == 0) {
    refuse("non-contiguous transfer", "the global pointer is null",
           "pass a pointer to shared memory");
  }
  std::byte* const remote =
      job.endpoint->bound().part(transfer.remote.rank).base + transfer.remote.offset;
  if (transfer.puts) {
    put_nb(*job.endpoint, transfer.remote.rank,
           strided_transfer{.to = remote,
                            .to_strides = transfer.remote_strides,
                            .from = transfer.local,
                            .from_strides = transfer.local_strides,
                            .element_bytes = transfer.element_bytes,
                            .counts = transfer.counts},
           done);
  } else {
    get_nb(*job.endpoint, transfer.remote.rank,
           strided_transfer{.to = transfer.local,
                            .to_strides = transfer.local_strides,
                            .from = remote,
                            .from_strides = transfer.remote_strides,
                            .element_bytes = transfer.element_bytes,
                            .counts = transfer.counts},
           done);
  }
}

}  // namespace atl::upcxx_front
