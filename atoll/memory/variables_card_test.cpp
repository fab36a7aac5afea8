// SPDX-License-Identifier: BSD-3-Clause
//
// Static variables in a heap that does not promise their pages: what is left for others, and what
// the counter of promises holds before, during and after.
#include <atoll/memory/variables_card.hpp>

#include <atoll/base/system/memory_file.hpp>
#include <atoll/memory/heap.hpp>
#include <atoll/memory/host_memory.hpp>

#include <gtest/gtest.h>

#include <cstring>

namespace atl::memory {
namespace {

constexpr std::size_t mib = std::size_t{1} << 20;

struct rank_with_heap {
  host_layout layout = plan(2, rank_page_bytes, {.heap_limit = 64 * mib, .host_limit = 32 * mib});
  host_memory host{make_memory_file(), layout, 1};
  heap shared{{.base = host.heap(1),
               .limit_bytes = layout.heap_limit,
               .commit = [this, committed = std::size_t{0}](std::size_t wanted) mutable {
                 if (!commit_growth(host, 1, committed, wanted - committed)) return false;
                 committed = wanted;
                 return true;
               }}};

  std::size_t promised() const { return host.header().committed_bytes.load(); }
  std::byte* allocate(std::size_t bytes, std::size_t promised_bytes) {
    return allocate_for_variables(host, shared, 1, bytes, promised_bytes);
  }
};

TEST(variables_card, a_sparse_block_larger_than_the_host_leaves_memory_to_the_heap) {
  rank_with_heap rank;
  std::byte* const block = rank.allocate(48 * mib, 4096);
  ASSERT_NE(block, nullptr);
  EXPECT_LT(rank.promised(), 2 * mib);
  EXPECT_EQ(rank.promised(), rank.shared.usage().committed_bytes - 48 * mib + 4096);
  EXPECT_NE(rank.shared.allocate(8 * mib), nullptr);
  EXPECT_EQ(rank.promised(), rank.shared.usage().committed_bytes - 48 * mib + 4096);
  std::memset(block, 1, 48 * mib);
  EXPECT_NE(rank.shared.allocate(mib), nullptr) << "touched pages may pass the host's limit";
}

TEST(variables_card, touched_variables_do_not_stand_for_promised_pages) {
  rank_with_heap rank;
  ASSERT_NE(rank.shared.allocate(16 * mib), nullptr);
  std::byte* const block = rank.allocate(16 * mib, 2 * mib);
  ASSERT_NE(block, nullptr);
  const std::size_t before = rank.host.untouched_bytes();
  EXPECT_GE(before, 18 * mib - 8192) << "all but the heap's headers";
  std::memset(block, 1, 2 * mib);
  EXPECT_EQ(rank.host.untouched_bytes(), before - 2 * mib) << "these were promised";
  std::memset(block, 1, 16 * mib);
  EXPECT_EQ(rank.host.untouched_bytes(), before - 2 * mib);
}

TEST(variables_card, a_block_of_memory_that_the_heap_has_already_gives_its_promise_back) {
  rank_with_heap rank;
  void* const earlier = rank.shared.allocate(16 * mib);
  std::memset(earlier, 1, 16 * mib);
  rank.shared.free(earlier);
  std::byte* const block = rank.allocate(8 * mib, mib);
  ASSERT_NE(block, nullptr);
  EXPECT_EQ(block[0], std::byte{0});
  EXPECT_EQ(rank.promised(), rank.shared.usage().committed_bytes - 7 * mib);
}

TEST(variables_card, a_block_is_promised_again_when_it_is_given_back) {
  rank_with_heap rank;
  std::byte* const block = rank.allocate(16 * mib, mib);
  ASSERT_NE(block, nullptr);
  std::memset(block, 1, 16 * mib);
  free_of_variables(rank.host, rank.shared, 1, block);
  EXPECT_EQ(rank.promised(), rank.shared.usage().committed_bytes);
  EXPECT_EQ(rank.shared.usage().blocks, 0u);
  EXPECT_LE(rank.host.untouched_bytes(), rank.promised());
  EXPECT_GE(rank.host.untouched_bytes(), 15 * mib);
}

TEST(variables_card, the_heap_keeps_a_block_that_the_host_cannot_promise_again) {
  rank_with_heap rank;
  std::byte* const block = rank.allocate(48 * mib, mib);
  ASSERT_NE(block, nullptr);
  free_of_variables(rank.host, rank.shared, 1, block);
  EXPECT_EQ(rank.promised(), rank.shared.usage().committed_bytes - 48 * mib);
  EXPECT_EQ(rank.shared.usage().blocks, 1u);
}

TEST(variables_card, nothing_changes_where_there_is_no_room_or_no_promise) {
  rank_with_heap rank;
  EXPECT_EQ(rank.allocate(65 * mib, mib), nullptr) << "more than the heap's addresses";
  EXPECT_EQ(rank.allocate(48 * mib, 33 * mib), nullptr) << "more pages than the host's limit";
  EXPECT_EQ(rank.promised(), 0u);
  EXPECT_EQ(rank.shared.usage().committed_bytes, 0u);
  EXPECT_EQ(rank.shared.allocate(33 * mib), nullptr) << "the heap grows with promises again";
}

}  // namespace
}  // namespace atl::memory
