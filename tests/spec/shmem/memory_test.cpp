// SPDX-License-Identifier: BSD-3-Clause
//
// Set-up and exit, queries, the symmetric heap, and static variables as symmetric objects.
#include <shmemx.h>
#include <tests/spec/shmem/job.hpp>

#include <pthread.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cstdint>
#include <cstring>
#include <random>
#include <vector>

namespace {

long initialized = 42;
long zero;
long* const relocated = &zero;  // a constant that the loader fills in
char sparse[64 << 20];
double last[512];

TEST(init, nests_and_tells) {
  int initialized_now = 0;
  shmem_query_initialized(&initialized_now);
  EXPECT_NE(initialized_now, 0);
  shmem_init();
  shmem_finalize();
  int level = -1;
  shmem_query_thread(&level);
  EXPECT_EQ(level, SHMEM_THREAD_MULTIPLE);
  int major = 0;
  int minor = 0;
  shmem_info_get_version(&major, &minor);
  EXPECT_EQ(major * 10 + minor, 16);
  char name[SHMEM_MAX_NAME_LEN];
  shmem_info_get_name(name);
  EXPECT_STREQ(name, SHMEM_VENDOR_STRING);
}

TEST(init, can_be_repeated_and_keeps_static_variables) {
  shmem_long_p(&zero, me() + 7, right());
  shmem_barrier_all();
  const int expected = left() + 7;
  shmem_finalize();
  int initialized_now = 1;
  shmem_query_initialized(&initialized_now);
  EXPECT_EQ(initialized_now, 0);
  EXPECT_EQ(zero, expected);
  zero = -1;
  EXPECT_EQ(shmem_init_thread(SHMEM_THREAD_MULTIPLE, nullptr), 0);
  EXPECT_EQ(shmem_long_g(&zero, right()), -1);
  shmem_barrier_all();
}

// Each time with a new team and a new block, which the finalization ends.
TEST(init, can_be_repeated_often) {
  constexpr int rounds = 10;
  zero = 0;
  shmem_barrier_all();
  for (int round = 0; round < rounds; ++round) {
    shmem_team_t team = SHMEM_TEAM_INVALID;
    EXPECT_EQ(shmem_team_split_strided(SHMEM_TEAM_WORLD, 0, 1, pes(), nullptr, 0, &team), 0);
    auto* const block = static_cast<long*>(shmem_malloc(1 << 20));
    ASSERT_NE(block, nullptr);
    shmem_long_atomic_inc(&zero, right());
    shmem_finalize();
    ASSERT_EQ(zero, round + 1);
    ASSERT_EQ(shmem_init_thread(SHMEM_THREAD_MULTIPLE, nullptr), 0);
  }
  shmem_barrier_all();
}

TEST(static_data, is_symmetric_wherever_it_lies) {
  static std::int64_t local = 5;
  *relocated = 0;
  shmem_barrier_all();
  shmem_int64_p(&local, me(), right());
  shmem_long_atomic_add(relocated, 3, right());
  shmem_char_p(&sparse[40 << 20], 'x', right());
  shmem_double_p(&last[511], 2.5, right());
  shmem_long_p(&initialized, me(), right());
  shmem_barrier_all();
  EXPECT_EQ(local, left());
  EXPECT_EQ(zero, 3);
  EXPECT_EQ(sparse[40 << 20], 'x');
  EXPECT_EQ(sparse[1 << 20], 0);
  EXPECT_EQ(last[511], 2.5);
  EXPECT_EQ(initialized, left());
  shmem_barrier_all();
}

// Also in the program's fork handlers, which run first in the child.
TEST(static_data, of_a_forked_child_is_its_own) {
  static const int registered =
      ::pthread_atfork([] { ++initialized; }, nullptr, [] { zero = 1000 + initialized; });
  ASSERT_EQ(registered, 0);
  zero = me();
  initialized = 1;
  shmem_barrier_all();
  const pid_t child = ::fork();
  if (child == 0) {
    const bool is_prepared = zero == 1002;
    zero = 3000;
    ::_exit(is_prepared ? 0 : 1);
  }
  int status = -1;
  ASSERT_EQ(::waitpid(child, &status, 0), child);
  EXPECT_EQ(status, 0);
  EXPECT_EQ(shmem_long_g(&zero, right()), right());
  shmem_barrier_all();
}

TEST(queries, know_symmetric_addresses) {
  int on_stack = 0;
  void* const block = shmem_malloc(8);
  for (int pe = 0; pe < pes(); ++pe) {
    EXPECT_EQ(shmem_pe_accessible(pe), 1);
    EXPECT_EQ(shmem_addr_accessible(&zero, pe), 1);
    EXPECT_EQ(shmem_addr_accessible(block, pe), 1);
    EXPECT_EQ(shmem_addr_accessible(&on_stack, pe), 0);
    EXPECT_EQ(shmem_ptr(&on_stack, pe), nullptr);
  }
  EXPECT_EQ(shmem_pe_accessible(pes()), 0);
  EXPECT_EQ(shmem_pe_accessible(-1), 0);
  EXPECT_EQ(shmem_ptr(&zero, pes()), nullptr);
  EXPECT_EQ(shmem_ptr(&zero, me()), &zero);
  shmem_free(block);
}

TEST(queries, pointers_reach_the_other_object) {
  zero = 100 + me();
  shmem_barrier_all();
  if (const auto* const remote = static_cast<long*>(shmem_ptr(&zero, right()))) {
    EXPECT_EQ(*remote, 100 + right());
  }
  EXPECT_EQ(shmem_team_ptr(SHMEM_TEAM_WORLD, &zero, right()), shmem_ptr(&zero, right()));
  EXPECT_EQ(shmem_team_ptr(SHMEM_TEAM_INVALID, &zero, 0), nullptr);
  shmem_barrier_all();
}

// An object has two addresses where static variables are in the shared memory.
TEST(queries, shared_pointers_are_for_other_models) {
  long on_stack = 0;
  auto* const block = static_cast<long*>(shmem_malloc(sizeof(long)));
  EXPECT_EQ(shmemx_shared_ptr(block, me()), block);
  EXPECT_EQ(shmemx_shared_ptr(&on_stack, me()), nullptr);
  EXPECT_EQ(shmemx_shared_ptr(&zero, -1), nullptr);
  EXPECT_EQ(shmemx_shared_ptr(&zero, pes()), nullptr);
  if (pes() > 1) {
    EXPECT_EQ(shmemx_shared_ptr(&zero, right()), shmem_ptr(&zero, right()));
  }
  if (auto* const shared = static_cast<long*>(shmemx_shared_ptr(&zero, me()))) {
    EXPECT_NE(shared, &zero);
    shmem_long_atomic_set(&zero, 5, me());
    EXPECT_EQ(__atomic_load_n(shared, __ATOMIC_ACQUIRE), 5);
    __atomic_store_n(shared, 6, __ATOMIC_RELEASE);
    EXPECT_EQ(shmem_long_g(&zero, me()), 6);
  }
  shmem_barrier_all();
  shmem_free(block);
}

TEST(heap, does_nothing_for_nothing) {
  EXPECT_EQ(shmem_malloc(0), nullptr);
  EXPECT_EQ(shmem_calloc(0, 8), nullptr);
  EXPECT_EQ(shmem_align(64, 0), nullptr);
  shmem_free(nullptr);
  EXPECT_EQ(shmem_realloc(nullptr, 0), nullptr);
}

TEST(heap, aligns_to_eight_mebibytes) {
  for (std::size_t alignment = sizeof(void*); alignment <= 8 << 20; alignment *= 2) {
    auto* const block = static_cast<long*>(shmem_align(alignment, sizeof(long)));
    ASSERT_NE(block, nullptr);
    EXPECT_EQ(reinterpret_cast<std::uintptr_t>(block) % alignment, 0u);
    shmem_long_p(block, me(), right());
    shmem_barrier_all();
    EXPECT_EQ(*block, left());
    shmem_free(block);
  }
}

TEST(heap, zeros_and_hints) {
  auto* const zeros = static_cast<char*>(shmem_calloc(1000, 3));
  for (int i = 0; i < 3000; ++i) ASSERT_EQ(zeros[i], 0);
  void* const hinted = shmem_malloc_with_hints(8, SHMEM_MALLOC_ATOMICS_REMOTE);
  EXPECT_EQ(reinterpret_cast<std::uintptr_t>(hinted) % 64, 0u);
  shmem_free(hinted);
  shmem_free(zeros);
}

TEST(heap, hints_survive_a_change_of_size) {
  void* const first = shmem_malloc_with_hints(8, SHMEM_MALLOC_SIGNAL_REMOTE);
  void* const in_the_way = shmem_malloc(8);
  void* const longer = shmem_realloc(first, 100);
  auto* const next = static_cast<char*>(shmem_malloc(8));
  EXPECT_EQ(reinterpret_cast<std::uintptr_t>(longer) % 64, 0u);
  const std::ptrdiff_t distance = next - static_cast<char*>(longer);
  EXPECT_TRUE(distance < 0 || distance >= 128) << distance;
  shmem_free(next);
  shmem_free(in_the_way);
  shmem_free(longer);
}

TEST(heap, gives_null_on_all_pes_for_what_can_never_fit_and_goes_on) {
  EXPECT_EQ(shmem_malloc(std::size_t{1} << 60), nullptr);
  EXPECT_EQ(shmem_calloc(SIZE_MAX, 16), nullptr);
  void* const block = shmem_malloc(1 << 20);
  EXPECT_NE(block, nullptr);
  EXPECT_EQ(shmem_realloc(block, std::size_t{1} << 60), nullptr);
  shmem_free(block);
}

TEST(heap, keeps_contents_and_offsets_in_any_order_of_calls) {
  std::mt19937 random(7);  // the same on all PEs
  std::vector<std::pair<unsigned char*, std::size_t>> blocks;
  for (int step = 0; step < 300; ++step) {
    const std::size_t bytes = 1 + random() % 5000;
    if (blocks.size() < 20 || random() % 2 == 0) {
      blocks.push_back({static_cast<unsigned char*>(shmem_malloc(bytes)), bytes});
    } else {
      auto& [block, size] = blocks[random() % blocks.size()];
      block = static_cast<unsigned char*>(shmem_realloc(block, bytes));
      size = bytes;
    }
    auto& [block, size] = blocks.back();
    ASSERT_NE(block, nullptr);
    std::memset(block, step % 200, size);
  }
  auto& [block, size] = blocks.back();
  shmem_barrier_all();
  shmem_uchar_p(block + size - 1, static_cast<unsigned char>(200 + me()), right());
  shmem_barrier_all();
  EXPECT_EQ(block[size - 1], 200 + left());
  for (auto& each : blocks) shmem_free(each.first);
}

}  // namespace

TEST_MAIN(SHMEM_THREAD_MULTIPLE)
