// SPDX-License-Identifier: BSD-3-Clause
//
// Copies of runs of elements that lie on threads whose memory is not mapped here: the functions
// that translated loops call (atoll_upc/run.h). Where values of other hosts are not kept, and on
// other threads of the process, each piece is moved by itself.
#include <atoll_upc/run.h>

#include <front/upc/process_state.hpp>
#include <front/upc/relaxed.hpp>
#include <front/upc/run_transfers.hpp>

#include <algorithm>
#include <memory>

using namespace atl;
using namespace atl::upc;

namespace {

constexpr std::size_t piece_bytes_max = run_transfers::piece_bytes_max;
// Shorter runs go like single values, because many more of those are under way at once.
constexpr std::size_t value_bytes_max = relaxed_accesses::largest_value;

/// Null where pieces are moved one by one, also where memory is mapped and accesses are counted.
run_transfers* overlapping_transfers(const atoll_upc_run& run) noexcept {
  relaxed_accesses* const relaxed = the_process->relaxed.get();
  const bool overlaps = relaxed != nullptr && relaxed->is_own_thread() &&
                        the_process->routes[run.from.thread].local == nullptr;
  return overlaps ? &relaxed->runs() : nullptr;
}

}  // namespace

ptrdiff_t atoll_upc_run_length_elsewhere(atoll_upc_pointer p, std::size_t element_bytes,
                                         ptrdiff_t most) {
  const atoll_route& row = atoll_upc_routes[p.thread];
  if (p.offset == 0 || p.offset >= row.bytes || most <= 0) return 0;
  const std::size_t held = std::min(piece_bytes_max, std::size_t{row.bytes - p.offset});
  return std::min(most, static_cast<ptrdiff_t>(held / element_bytes));
}

void* atoll_upc_run_fetch(atoll_upc_run* run, int is_read, std::size_t ahead) {
  run_transfers* const transfers = overlapping_transfers(*run);
  if (transfers == nullptr) {
    run->copy = std::make_unique_for_overwrite<std::byte[]>(piece_bytes_max).release();
    if (is_read != 0) atoll_upc_get(run->copy, run->from, run->bytes);
    return run->copy;
  }
  if (is_read != 0 && the_process->counted != nullptr)
    the_process->counted->add_read(run->from.thread, run->bytes);
  const bool is_value = is_read != 0 && ahead == 0 && run->bytes <= value_bytes_max &&
                        !transfers->holds(run->from, run->bytes);
  run_transfers::memory copy =
      is_read != 0 && !is_value
          ? transfers->read(run->from, run->bytes, ahead, run->is_written != 0)
          : transfers->take();
  if (is_value) the_process->relaxed->get(copy.get(), run->from, run->bytes);
  run->copy = copy.release();
  return run->copy;
}

void atoll_upc_run_store(atoll_upc_run* run) {
  run_transfers::memory copy(static_cast<std::byte*>(run->copy));
  run_transfers* const transfers = overlapping_transfers(*run);
  if (transfers == nullptr) {
    if (run->is_written != 0) atoll_upc_put(run->from, copy.get(), run->bytes);
  } else if (run->is_written == 0) {
    transfers->give_back(std::move(copy));
  } else {
    if (the_process->counted != nullptr)
      the_process->counted->add_write(run->from.thread, run->bytes);
    if (run->bytes > value_bytes_max) {
      transfers->store(std::move(copy), run->from, run->bytes);
    } else {
      the_process->relaxed->put(run->from, copy.get(), run->bytes);
      transfers->give_back(std::move(copy));
    }
  }
}
