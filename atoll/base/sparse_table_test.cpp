// SPDX-License-Identifier: BSD-3-Clause
//
// Rows are zero, keep what is written, and only the pages of those take memory.
#include <atoll/base/sparse_table.hpp>

#include <atoll/base/error.hpp>

#include <gtest/gtest.h>
#include <sys/mman.h>
#include <sys/prctl.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace atl {
namespace {

struct row {
  std::uint64_t number;
  void* pointer;
};

TEST(sparse_table, rows_are_zero_and_keep_what_is_written) {
  const sparse_table<row> made(1000);
  for (std::size_t i = 0; i < 1000; ++i) {
    EXPECT_EQ(made[i].number, 0u);
    EXPECT_EQ(made[i].pointer, nullptr);
  }
  made[7] = {.number = 8, .pointer = nullptr};
  EXPECT_EQ(made[7].number, 8u);
  EXPECT_EQ(made.data() + 7, &made[7]);
}

TEST(sparse_table, only_what_is_written_takes_memory) {
  ::prctl(PR_SET_THP_DISABLE, 1, 0, 0, 0);  // a huge page would be counted as several
  constexpr std::size_t page = 4096, pages = 64;
  const sparse_table<std::byte> made(pages * page);
  for (const std::size_t written : {3u, 40u, 41u}) made[written * page + 5] = std::byte{1};
  std::vector<unsigned char> present(pages);
  ASSERT_EQ(::mincore(&made[0], pages * page, present.data()), 0);
  EXPECT_EQ(std::ranges::count_if(present, [](unsigned char each) { return (each & 1) != 0; }), 3);
}

TEST(sparse_table, moves_and_may_be_empty) {
  sparse_table<int> first(10);
  first[9] = 4;
  const sparse_table<int> second(std::move(first));
  EXPECT_EQ(second[9], 4);
  const sparse_table<int> none(0);
  EXPECT_NE(none.data(), nullptr);
}

TEST(sparse_table, says_what_it_was_refused) {
  constexpr std::size_t rows = std::size_t{1} << 52;  // more addresses than there are
  try {
    const sparse_table<std::uint64_t> made(rows);
    FAIL() << "there is no such table";
  } catch (const error& refused) {
    EXPECT_NE(refused.object().find("4503599627370496 rows"), std::string::npos) << refused.what();
    EXPECT_FALSE(refused.cause().empty());
    EXPECT_NE(refused.remedy().find("ulimit -v"), std::string::npos);
  }
}

}  // namespace
}  // namespace atl
