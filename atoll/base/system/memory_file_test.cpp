// SPDX-License-Identifier: BSD-3-Clause
//
// The memory file is sealed, and several processes that size it never take pages from each other.
#include <atoll/base/system/memory_file.hpp>

#include <atoll/base/error.hpp>

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <thread>
#include <vector>

namespace atl {
namespace {

constexpr std::size_t mib = std::size_t{1} << 20;

std::size_t size_of(const descriptor& file) {
  struct stat about{};
  EXPECT_EQ(::fstat(file.get(), &about), 0);
  return static_cast<std::size_t>(about.st_size);
}

TEST(memory_file, grows_and_never_shrinks) {
  const descriptor file = make_memory_file();
  EXPECT_EQ(size_of(file), 0u);
  grow_memory_file(file, 4 * mib);
  grow_memory_file(file, mib);
  EXPECT_EQ(size_of(file), 4 * mib) << "a rank with a smaller plan took the pages of the others";
  EXPECT_NE(::ftruncate(file.get(), mib), 0);
  EXPECT_EQ(errno, EPERM);
  grow_memory_file(file, 8 * mib);
  EXPECT_EQ(size_of(file), 8 * mib);
}

TEST(memory_file, takes_the_largest_of_sizes_asked_for_at_the_same_time) {
  for (int turn = 0; turn < 200; ++turn) {
    const descriptor file = make_memory_file();
    std::vector<std::thread> ranks;
    for (std::size_t rank = 1; rank <= 4; ++rank)
      ranks.emplace_back([&, rank] { grow_memory_file(file, rank * mib); });
    for (auto& each : ranks) each.join();
    ASSERT_EQ(size_of(file), 4 * mib);
  }
}

TEST(memory_file, is_no_program_where_the_kernel_can_say_so) {
  const descriptor file = make_memory_file();
  const int seals = ::fcntl(file.get(), F_GET_SEALS);
  ASSERT_GE(seals, 0);
  EXPECT_NE(seals & F_SEAL_SHRINK, 0);
  constexpr int exec_seal = 0x20;  // F_SEAL_EXEC of Linux 6.3
  if ((seals & exec_seal) == 0) GTEST_SKIP() << "this kernel has no such seal";
  EXPECT_NE(::fchmod(file.get(), 0777), 0);
}

}  // namespace
}  // namespace atl
