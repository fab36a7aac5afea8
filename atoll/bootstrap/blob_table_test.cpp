// SPDX-License-Identifier: BSD-3-Clause
//
// Tables of blobs: what goes in comes out, in memory and in a file that nobody can change; blocks
// that are not whole are refused.
#include <atoll/bootstrap/blob_table.hpp>

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>

namespace atl::bootstrap {
namespace {

blob some_bytes(std::size_t size, int first) {
  blob made(size);
  for (std::size_t i = 0; i < size; ++i)
    made[i] = static_cast<std::byte>(first + static_cast<int>(i));
  return made;
}

const std::vector<blob> sent{
    some_bytes(0, 0), some_bytes(1, 7), some_bytes(65536, 3), {}, some_bytes(100, 9)};

void expect_sent(const blob_table& table) {
  ASSERT_EQ(table.size(), sent.size());
  for (rank_id rank = 0; rank < table.size(); ++rank)
    EXPECT_TRUE(std::ranges::equal(table[rank], sent[rank])) << rank;
}

TEST(blob_table, is_read_where_it_lies_in_a_block_or_a_file) {
  const auto block = block_of(sent);
  const auto read = blob_table::of_block(block, 5);
  ASSERT_TRUE(read);
  expect_sent(*read);
  descriptor file = make_block_file(block);
  auto mapped = blob_table::of_file(file, 5);
  ASSERT_TRUE(mapped);
  file.reset();
  const blob_table copy = *mapped;
  mapped.reset();
  expect_sent(copy);
}

TEST(blob_table, a_file_cannot_be_written_by_those_who_share_it) {
  const descriptor file = make_block_file(block_of(sent));
  EXPECT_EQ(pwrite(file.get(), "x", 1, 0), -1);
  EXPECT_NE(ftruncate(file.get(), 0), 0);
  EXPECT_EQ(mmap(nullptr, 64, PROT_READ | PROT_WRITE, MAP_SHARED, file.get(), 0), MAP_FAILED);
}

TEST(blob_table, a_block_that_does_not_hold_so_many_blobs_is_refused) {
  const auto block = block_of(sent);
  for (const rank_id ranks : {0u, 1u, 4u, 6u, 1'000'000u, ~0u})
    EXPECT_FALSE(blob_table::of_block(block, ranks)) << ranks;
  auto shorter = block;
  shorter.pop_back();
  EXPECT_FALSE(blob_table::of_block(shorter, 5));
  auto longer = block;
  longer.push_back({});
  EXPECT_FALSE(blob_table::of_block(longer, 5));
  auto falling = block;
  const std::uint64_t far = ~std::uint64_t{0};
  std::memcpy(falling.data() + 8, &far, sizeof far);
  EXPECT_FALSE(blob_table::of_block(falling, 5));
  EXPECT_TRUE(blob_table::of_block({}, 0));
}

}  // namespace
}  // namespace atl::bootstrap
