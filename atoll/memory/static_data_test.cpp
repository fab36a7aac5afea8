// SPDX-License-Identifier: BSD-3-Clause
//
// Static variables of this test, moved into a host's file: the same addresses and values, one
// memory with the file, private again for a forked child and at the end.
#include <atoll/memory/static_data.hpp>

#include <atoll/base/system/memory_file.hpp>

#include <gtest/gtest.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cstring>
#include <thread>

namespace atl::memory {
namespace {

constexpr std::size_t mib = std::size_t{1} << 20;

volatile int initialized = 42;
volatile int zero;
std::array<char, 64 * mib> sparse;

host_layout small_host() {
  memory_wishes wishes;
  wishes.heap_limit = wishes.host_limit = 512 * mib;
  wishes.symmetric_limit = 2 * mib;
  return plan(1, rank_page_bytes, wishes);
}

struct moved_program {
  host_memory host{make_memory_file(), small_host(), 0};
  std::byte* block = host.heap(0);
  static_data variables{host, block};

  template <class T>
  volatile T& in_file(const volatile T& variable) {
    const auto address = reinterpret_cast<std::uintptr_t>(&variable);
    return *reinterpret_cast<volatile T*>(block + (address - variables.range().begin));
  }
};

TEST(static_data, holds_initialized_and_zero_variables_in_whole_pages) {
  const address_range found = program_data();
  EXPECT_EQ(found.begin % 4096, 0u);
  EXPECT_EQ(found.end % 4096, 0u);
  for (const volatile void* each :
       {static_cast<const volatile void*>(&initialized), static_cast<const volatile void*>(&zero),
        static_cast<const volatile void*>(&sparse)}) {
    EXPECT_TRUE(found.holds(range_of(const_cast<const void*>(each), 4)));
  }
}

TEST(static_data, keeps_values_and_shares_them_with_the_file) {
  moved_program program;
  initialized = 7;
  ASSERT_TRUE(program.variables.move());
  EXPECT_EQ(initialized, 7);
  EXPECT_EQ(program.in_file(initialized), 7);
  program.in_file(zero) = 3;
  EXPECT_EQ(zero, 3);
  zero = 4;
  EXPECT_EQ(program.in_file(zero), 4);
}

TEST(static_data, keeps_values_when_it_becomes_private_again) {
  {
    moved_program program;
    ASSERT_TRUE(program.variables.move());
    program.in_file(initialized) = 11;
    sparse[5 * mib] = 'x';
  }
  EXPECT_EQ(initialized, 11);
  EXPECT_EQ(sparse[5 * mib], 'x');
  initialized = 12;
  moved_program again;
  ASSERT_TRUE(again.variables.move());
  EXPECT_EQ(again.in_file(initialized), 12);
}

TEST(static_data, leaves_untouched_pages_without_memory) {
  moved_program program;
  ASSERT_TRUE(program.variables.move());
  std::byte* const end = program.block + program.variables.range().bytes();
  std::size_t bytes = 0;
  for (std::byte* position = program.block; position < end;) {
    const std::span<std::byte> existing = program.host.find_existing(position, end);
    if (existing.empty()) break;
    bytes += existing.size();
    position = existing.data() + existing.size();
  }
  EXPECT_LT(bytes, sparse.size() / 2);
}

TEST(static_data, gives_a_forked_child_a_copy_of_its_own) {
  moved_program program;
  ASSERT_TRUE(program.variables.move());
  initialized = 1;
  const pid_t child = ::fork();
  if (child == 0) {
    const bool kept = initialized == 1;
    initialized = 2;
    const pid_t grandchild = ::fork();
    if (grandchild == 0) ::_exit(initialized == 2 ? 0 : 1);
    int ended = 1;
    ::waitpid(grandchild, &ended, 0);
    ::_exit(kept && initialized == 2 && ended == 0 ? 0 : 1);
  }
  int status = 0;
  ASSERT_EQ(::waitpid(child, &status, 0), child);
  EXPECT_EQ(status, 0);
  EXPECT_EQ(initialized, 1);
  EXPECT_EQ(program.in_file(initialized), 1);
}

TEST(static_data, holds_a_running_thread_still) {
  static std::atomic<std::uint64_t> counter = 0;
  static std::atomic<bool> ends = false;
  std::thread writer([] {
    std::uint64_t expected = 0;
    while (!ends.load()) ASSERT_EQ(counter.fetch_add(1), expected++);
  });
  for (int round = 0; round < 20; ++round) {
    moved_program program;
    ASSERT_TRUE(program.variables.move());
    const std::uint64_t before = counter.load();
    while (counter.load() == before) std::this_thread::yield();
  }
  ends = true;
  writer.join();
}

}  // namespace
}  // namespace atl::memory
