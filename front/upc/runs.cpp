// SPDX-License-Identifier: BSD-3-Clause
//
// Copies of runs of elements that lie on threads whose memory is not mapped here. Their memory is
// kept for the next run: loops follow each other, and a run has at most copy_bytes_max.
#include <atoll_upc/run.h>

#include <front/upc/process.hpp>

#include <algorithm>
#include <memory>
#include <vector>

namespace atl::upc {
namespace {

constexpr std::size_t copy_bytes_max = std::size_t{64} << 10;

// Translated code runs on one thread of each process.
std::vector<std::unique_ptr<std::byte[]>> unused_copies;

std::byte* take_copy() {
  if (unused_copies.empty())
    return std::make_unique_for_overwrite<std::byte[]>(copy_bytes_max).release();
  std::byte* const taken = unused_copies.back().release();
  unused_copies.pop_back();
  return taken;
}

}  // namespace
}  // namespace atl::upc

using namespace atl;
using namespace atl::upc;

ptrdiff_t atoll_upc_run_length_elsewhere(atoll_upc_pointer p, std::size_t element_bytes,
                                         ptrdiff_t most) {
  const atoll_route& row = atoll_upc_routes[p.thread];
  if (p.offset == 0 || p.offset >= row.bytes || most <= 0) return 0;
  const std::size_t held = std::min(copy_bytes_max, std::size_t{row.bytes - p.offset});
  return std::min(most, static_cast<ptrdiff_t>(held / element_bytes));
}

void* atoll_upc_run_fetch(atoll_upc_run* run, int is_read) {
  run->copy = take_copy();
  if (is_read != 0) atoll_upc_get(run->copy, run->from, run->bytes);
  return run->copy;
}

void atoll_upc_run_store(atoll_upc_run* run) {
  if (run->is_written != 0) atoll_upc_put(run->from, run->copy, run->bytes);
  unused_copies.emplace_back(static_cast<std::byte*>(run->copy));
}
