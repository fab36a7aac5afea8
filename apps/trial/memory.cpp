// SPDX-License-Identifier: BSD-3-Clause
//
// Compares the plan with the least share of all ranks, so that all of them refuse the same.
#include <apps/trial/memory.hpp>
#include <atoll/base/error.hpp>
#include <atoll/base/text.hpp>

namespace trial {
namespace {

constexpr std::uint64_t heap_step = std::uint64_t{8} << 20;  // the heap grows in steps

// A double holds every number of bytes below 2^53, and is near enough above.
double least(group& ranks, std::uint64_t bytes) {
  return -ranks.greatest(-static_cast<double>(bytes));
}

std::string text_of(double bytes) { return atl::bytes_text(static_cast<std::uint64_t>(bytes)); }

}  // namespace

void check_memory(group& ranks, const work& planned, const memory_share& own) {
  const double heap = least(ranks, own.heap);
  const double all = least(ranks, own.all) * ranks.size();
  const auto heap_needed = static_cast<double>(planned.bytes_of_rank + heap_step);
  const auto all_needed = static_cast<double>(planned.bytes_in_all);
  if (heap_needed > heap) {
    throw atl::error("memory",
                     atl::text(text_of(heap_needed),
                               " of shared memory are needed in each rank, "
                               "and it may have ",
                               text_of(heap)),
                     "use a smaller problem or more ranks, or raise ATOLL_SEGMENT_LIMIT");
  }
  if (all_needed > all) {
    throw atl::error(
        "memory", atl::text(text_of(all_needed), " are needed, and there are now ", text_of(all)),
        "use a smaller problem or a machine with more memory");
  }
}

}  // namespace trial
