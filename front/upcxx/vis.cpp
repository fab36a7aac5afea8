// SPDX-License-Identifier: BSD-3-Clause
//
// Non-contiguous transfers: those of the core, on addresses of the owner.
#include <upcxx/vis.hpp>

#include <atoll/base/text.hpp>
#include <atoll/core/strided/strided.hpp>
#include <front/upcxx/process_state.hpp>

namespace atl::upcxx_front {
namespace {

constexpr const char* transfer_name = "non-contiguous transfer";

}  // namespace

void run_collector::add_remote(const place& location, std::size_t bytes) {
  if (bytes == 0) return;
  std::byte* const remote = owners_address(location, transfer_name);
  if (rank_ != no_rank && rank_ != location.rank) {
    job.runtime->fail(
        transfer_name,
        text("its global pointers are of rank ", rank_, " and of rank ", location.rank),
        "make one transfer per rank");
  }
  rank_ = location.rank;
  runs_.push_back({remote, bytes});
}

void start_runs(bool puts, const run_collector& to, const run_collector& from,
                event& done) noexcept {
  need_job(transfer_name);
  const vector_transfer transfer{.to = run_list(to.runs()), .from = run_list(from.runs())};
  if (puts) {
    put_nb(*job.endpoint, to.rank(), transfer, done);
  } else {
    get_nb(*job.endpoint, from.rank(), transfer, done);
  }
}

void start_block(const block_transfer& transfer, event& done) noexcept {
  std::byte* const remote = owners_address(transfer.remote, transfer_name);
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
