// SPDX-License-Identifier: BSD-3-Clause
//
// Tests many repetitions of frequent operations: initialization, teams, contexts, the symmetric
// heap. No resource may run out, and offsets of the heap stay the same on all PEs, whatever other
// models allocate. `endurance_test 1000` does 1,000 initializations, 10^5 teams, and 10^6 contexts
// and calls of the heap.
#include <tests/spec/shmem/job.hpp>

#include <atoll/abi.h>

#include <sys/prctl.h>
#include <unistd.h>

#include <cstdint>
#include <cstdio>
#include <random>
#include <vector>

// Sanitizers, where one is linked, keep freed memory for a while, and shadows of touched memory.
extern "C" [[gnu::weak]] void __asan_init();
extern "C" [[gnu::weak]] void __tsan_init();

namespace {

bool has_sanitizer() {
  return reinterpret_cast<void*>(&__asan_init) != nullptr ||
         reinterpret_cast<void*>(&__tsan_init) != nullptr;
}

/// The memory of this process that is in use, in bytes.
long resident_bytes() {
  std::FILE* const file = std::fopen("/proc/self/statm", "r");
  long pages = 0;
  long resident = 0;
  if (file == nullptr) return 0;
  if (std::fscanf(file, "%ld %ld", &pages, &resident) != 2) resident = 0;
  std::fclose(file);
  return resident * ::sysconf(_SC_PAGESIZE);
}

/// Calls `step(i)` `times` times; in the last three quarters memory must hardly grow.
template <class Step>
void repeat(long times, Step step) {
  ::prctl(PR_SET_THP_DISABLE, 1, 0, 0, 0);  // a huge page would count as a whole
  long before = 0;
  for (long i = 0; i < times; ++i) {
    if (i == times / 4) before = resident_bytes();
    ASSERT_NO_FATAL_FAILURE(step(i)) << i;
  }
  if (!has_sanitizer()) {
    EXPECT_LT(resident_bytes() - before, 4 << 20);
  }
}

TEST(endurance, of_initialization) {
  static long counter = 0;
  repeat(scale, [](long i) {
    shmem_atomic_inc(&counter, right());
    shmem_finalize();
    ASSERT_EQ(counter, i + 1);
    ASSERT_EQ(shmem_init_thread(SHMEM_THREAD_MULTIPLE, nullptr), 0);
  });
  shmem_barrier_all();
}

TEST(endurance, of_teams) {
  repeat(100 * scale, [](long i) {
    shmem_team_t halves = SHMEM_TEAM_INVALID;
    shmem_team_t reversed = SHMEM_TEAM_INVALID;
    const int first = static_cast<int>(i % pes());
    shmem_team_split_strided(SHMEM_TEAM_WORLD, first, 1, pes() - first, nullptr, 0, &halves);
    ASSERT_EQ(halves != SHMEM_TEAM_INVALID, me() >= first);
    shmem_team_split_strided(SHMEM_TEAM_WORLD, pes() - 1, pes() > 1 ? -1 : 0, pes(), nullptr, 0,
                             &reversed);
    ASSERT_EQ(shmem_team_my_pe(reversed), pes() - 1 - me());
    if (halves != SHMEM_TEAM_INVALID) shmem_team_sync(halves);
    shmem_team_destroy(reversed);
    shmem_team_destroy(halves);
  });
}

TEST(endurance, of_contexts) {
  static long target;
  repeat(1000 * scale, [](long i) {
    shmem_ctx_t ctx = SHMEM_CTX_INVALID;
    constexpr long kinds[] = {0, SHMEM_CTX_SERIALIZED, SHMEM_CTX_PRIVATE, SHMEM_CTX_NOSTORE};
    ASSERT_EQ(shmem_ctx_create(kinds[i % 4], &ctx), 0);
    shmem_put_nbi(ctx, &target, &i, 1, right());
    shmem_ctx_destroy(ctx);
  });
  shmem_barrier_all();
}

/// A block of the symmetric heap after a random call; all PEs make the same call.
void* call_of_the_heap(std::minstd_rand& random, void* block) {
  const std::size_t bytes = 1 + random() % (64 << 10);
  switch (random() % 4) {
    case 0:
      return shmem_realloc(block, bytes);
    case 1:
      shmem_free(block);
      return shmem_calloc(bytes, 1);
    case 2:
      shmem_free(block);
      return shmem_align(std::size_t{4} << random() % 22, bytes);  // to 8 MiB
    default:
      shmem_free(block);
      return random() % 2 == 0 ? nullptr : shmem_malloc(bytes);
  }
}

TEST(endurance, of_the_heap) {
  void* const own = atoll_library_allocate(1000 + 5000 * static_cast<std::size_t>(me()));
  static std::uint64_t lowest;
  static std::uint64_t highest;
  static std::uint64_t offsets = 0;  // a number made of all
  const auto base = reinterpret_cast<std::uintptr_t>(shmem_malloc(8));
  std::vector<void*> blocks(50);
  std::minstd_rand random(7);  // the same on all PEs
  repeat(1000 * scale, [&](long) {
    void*& block = blocks[random() % blocks.size()];
    block = call_of_the_heap(random, block);
    const auto address = reinterpret_cast<std::uintptr_t>(block);
    offsets = offsets * 31 + (block != nullptr ? address - base : 0);
  });
  shmem_min_reduce(SHMEM_TEAM_WORLD, &lowest, &offsets, 1);
  shmem_max_reduce(SHMEM_TEAM_WORLD, &highest, &offsets, 1);
  EXPECT_EQ(lowest, highest);
  for (void* each : blocks) shmem_free(each);
  atoll_library_free(own);
}

}  // namespace

TEST_MAIN(SHMEM_THREAD_MULTIPLE)
