// SPDX-License-Identifier: BSD-3-Clause
//
// Non-contiguous transfers: those of the core, on addresses of the owner.
#include <upcxx/vis.hpp>

#include <atoll/base/text.hpp>
#include <atoll/core/strided.hpp>
#include <front/upcxx/process.hpp>

namespace atl::upcxx_front {

void run_collector::add_remote(const place& at, std::size_t bytes) {
  need_job("non-contiguous transfer");
  if (at.kind == 0 && bytes != 0) {
    refuse("non-contiguous transfer", "a global pointer is null", "leave empty runs out");
  }
  if (rank_ != no_rank && rank_ != at.rank && bytes != 0) {
    job.runtime->fail("non-contiguous transfer",
                      text("its global pointers are of rank ", rank_, " and of rank ", at.rank),
                      "make one transfer per rank");
  }
  if (bytes == 0) return;
  rank_ = at.rank;
  runs_.push_back({job.at->bound().part(at.rank).base + at.offset, bytes});
}

void start_runs(bool puts, const run_collector& to, const run_collector& from,
                event& done) noexcept {
  const vector_transfer what{.to = run_list(to.runs()), .from = run_list(from.runs())};
  if (puts) {
    put_nb(*job.at, to.rank(), what, done);
  } else {
    get_nb(*job.at, from.rank(), what, done);
  }
}

void start_block(const block_transfer& what, event& done) noexcept {
  need_job("non-contiguous transfer");
  if (what.there.kind == 0) {
    refuse("non-contiguous transfer", "the global pointer is null",
           "pass a pointer to shared memory");
  }
  std::byte* const there = job.at->bound().part(what.there.rank).base + what.there.offset;
  if (what.puts) {
    put_nb(*job.at, what.there.rank,
           strided_transfer{.to = there,
                            .to_strides = what.there_strides,
                            .from = what.here,
                            .from_strides = what.here_strides,
                            .element_bytes = what.element_bytes,
                            .counts = what.counts},
           done);
  } else {
    get_nb(*job.at, what.there.rank,
           strided_transfer{.to = what.here,
                            .to_strides = what.here_strides,
                            .from = there,
                            .from_strides = what.there_strides,
                            .element_bytes = what.element_bytes,
                            .counts = what.counts},
           done);
  }
}

}  // namespace atl::upcxx_front
