// SPDX-License-Identifier: BSD-3-Clause
//
// The segment heap over plain reserved memory: placement, growth, limits, misuse, and long random
// runs in which every block carries a pattern that must still be there when it is freed.
#include <atoll/base/clock.hpp>
#include <atoll/memory/heap.hpp>

#include <gtest/gtest.h>

#include <sys/mman.h>
#include <sys/prctl.h>

#include <algorithm>
#include <cstring>
#include <new>
#include <random>
#include <set>
#include <thread>
#include <vector>

namespace {

using atl::memory::heap;

constexpr std::size_t mib = std::size_t{1} << 20;
constexpr std::size_t gib = std::size_t{1} << 30;

/// Reserved address space; pages appear when touched.
class reservation {
 public:
  explicit reservation(std::size_t size_bytes) : size_bytes_(size_bytes) {
    base_ = ::mmap(nullptr, size_bytes, PROT_READ | PROT_WRITE,
                   MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (base_ == MAP_FAILED) throw std::bad_alloc();
  }
  reservation(const reservation&) = delete;
  reservation& operator=(const reservation&) = delete;
  ~reservation() { ::munmap(base_, size_bytes_); }
  std::byte* base() const { return static_cast<std::byte*>(base_); }

 private:
  std::size_t size_bytes_;
  void* base_;
};

/// A heap in memory of its own that records what it committed and refuses beyond `room`.
struct test_heap {
  explicit test_heap(std::size_t limit_bytes)
      : memory(limit_bytes),
        room_bytes(limit_bytes),
        heap({memory.base(), limit_bytes, [this](std::size_t size_bytes) {
                if (size_bytes > room_bytes) return false;
                EXPECT_GT(size_bytes, committed_bytes);
                EXPECT_EQ(size_bytes % 4096, 0u);
                committed_bytes = size_bytes;
                return true;
              }}) {}

  reservation memory;
  std::size_t room_bytes;
  std::size_t committed_bytes = 0;
  atl::memory::heap heap;
};

TEST(heap, starts_with_nothing_committed) {
  test_heap test(64 * mib);
  const auto usage = test.heap.usage();
  EXPECT_EQ(usage.committed_bytes, 0u);
  EXPECT_EQ(usage.limit_bytes, 64 * mib);
  EXPECT_EQ(usage.largest_free_bytes, 0u);
  EXPECT_EQ(test.heap.find_damage(), "");
}

TEST(heap, gives_blocks_that_are_large_enough_aligned_and_apart) {
  test_heap test(64 * mib);
  std::set<std::byte*> ends;
  std::byte* previous_end = nullptr;
  for (std::size_t size = 0; size < 600; ++size) {
    auto* p = static_cast<std::byte*>(test.heap.allocate(size));
    ASSERT_NE(p, nullptr);
    EXPECT_EQ(reinterpret_cast<std::uintptr_t>(p) % 16, 0u);
    EXPECT_GE(test.heap.usable_size(p), std::max<std::size_t>(size, 16));
    EXPECT_GE(p, previous_end);
    previous_end = p + test.heap.usable_size(p);
    std::memset(p, 0xff, test.heap.usable_size(p));
  }
  EXPECT_EQ(test.heap.find_damage(), "");
  EXPECT_EQ(test.heap.usage().blocks, 600u);
}

TEST(heap, blocks_of_no_bytes_are_distinct) {
  test_heap test(mib);
  void* a = test.heap.allocate(0);
  void* b = test.heap.allocate(0);
  EXPECT_NE(a, nullptr);
  EXPECT_NE(a, b);
  test.heap.free(a);
  test.heap.free(b);
  test.heap.free(nullptr);
}

TEST(heap, everything_freed_is_one_block_again_in_any_order) {
  test_heap test(64 * mib);
  std::mt19937 random(7);
  std::vector<void*> blocks;
  for (int i = 0; i < 1000; ++i) blocks.push_back(test.heap.allocate(random() % 5000));
  std::ranges::shuffle(blocks, random);
  for (void* p : blocks) test.heap.free(p);
  const auto usage = test.heap.usage();
  EXPECT_EQ(usage.used_bytes, 0u);
  EXPECT_EQ(usage.blocks, 0u);
  EXPECT_EQ(usage.free_bytes, usage.committed_bytes);
  EXPECT_EQ(usage.largest_free_bytes, usage.committed_bytes);
  EXPECT_EQ(test.heap.find_damage(), "");
}

TEST(heap, aligns_up_to_a_gibibyte) {
  test_heap test(4 * gib);
  for (std::size_t alignment = 1; alignment <= gib; alignment *= 2) {
    void* p = test.heap.allocate(24, alignment);
    ASSERT_NE(p, nullptr) << alignment;
    EXPECT_EQ(reinterpret_cast<std::uintptr_t>(p) % alignment, 0u);
    test.heap.free(p);
  }
  EXPECT_EQ(test.heap.find_damage(), "");
}

TEST(heap, an_aligned_block_given_back_is_used_again) {
  test_heap test(64 * mib);
  std::vector<void*> aligned, fences;
  for (int i = 0; i < 10; ++i) {
    aligned.push_back(test.heap.allocate(4096, 4096));
    fences.push_back(test.heap.allocate(16));
  }
  const auto committed = test.heap.usage().committed_bytes;
  std::set<void*> before(aligned.begin(), aligned.end());
  for (void* p : aligned) test.heap.free(p);
  for (int i = 0; i < 10; ++i) before.insert(test.heap.allocate(4096, 4096));
  EXPECT_EQ(test.heap.usage().committed_bytes, committed);
  EXPECT_LE(before.size(), 12u);
}

TEST(heap, refuses_alignments_that_are_not_powers_of_two_or_too_large) {
  test_heap test(mib);
  EXPECT_EQ(test.heap.allocate(8, 0), nullptr);
  EXPECT_EQ(test.heap.allocate(8, 24), nullptr);
  EXPECT_EQ(test.heap.allocate(8, 2 * gib), nullptr);
}

TEST(heap, sizes_beyond_the_limit_and_near_overflow_are_refused) {
  test_heap test(2 * mib);
  for (std::size_t size : {2 * mib, 2 * mib + 1, ~std::size_t{0}, ~std::size_t{0} - 15,
                           ~std::size_t{0} / 2 + 1, std::size_t{1} << 47})
    for (std::size_t alignment : {std::size_t{16}, std::size_t{4096}, gib})
      EXPECT_EQ(test.heap.allocate(size, alignment), nullptr) << size;
  EXPECT_EQ(test.heap.usage().committed_bytes, 0u);
}

TEST(heap, can_hand_out_all_but_one_header_of_its_limit) {
  test_heap test(8 * mib);
  void* all = test.heap.allocate(8 * mib - 16);
  ASSERT_NE(all, nullptr);
  EXPECT_EQ(test.heap.usage().free_bytes, 0u);
  EXPECT_EQ(test.heap.allocate(0), nullptr);
  test.heap.free(all);
  EXPECT_EQ(test.heap.allocate(8 * mib - 15), nullptr);
  EXPECT_NE(test.heap.allocate(8 * mib - 16), nullptr);
}

TEST(heap, grows_in_steps_that_double_up_to_64_mib) {
  test_heap test(gib);
  ASSERT_NE(test.heap.allocate(1), nullptr);
  EXPECT_EQ(test.committed_bytes, mib);
  ASSERT_NE(test.heap.allocate(mib), nullptr);
  EXPECT_EQ(test.committed_bytes, 2 * mib);
  while (test.committed_bytes < 512 * mib) {
    const auto before = test.committed_bytes;
    ASSERT_NE(test.heap.allocate(mib - 64), nullptr);
    EXPECT_LE(test.committed_bytes - before, 64 * mib);
  }
  EXPECT_EQ(test.committed_bytes % (64 * mib), 0u);
}

TEST(heap, takes_just_enough_where_a_comfortable_step_is_refused) {
  test_heap test(64 * mib);
  test.room_bytes = 12288;
  void* p = test.heap.allocate(5000);
  ASSERT_NE(p, nullptr);
  EXPECT_EQ(test.committed_bytes, 8192u);
  EXPECT_NE(test.heap.allocate(4000), nullptr);
  EXPECT_EQ(test.heap.allocate(8000), nullptr);
  EXPECT_EQ(test.committed_bytes, 12288u);
  test.room_bytes = 64 * mib;
  EXPECT_NE(test.heap.allocate(8000), nullptr);
  EXPECT_EQ(test.heap.find_damage(), "");
}

TEST(heap, growth_counts_the_free_space_at_the_end) {
  test_heap test(64 * mib);
  test.heap.free(test.heap.allocate(mib - 16));
  ASSERT_NE(test.heap.allocate(2 * mib - 16), nullptr);
  EXPECT_EQ(test.committed_bytes, 2 * mib);
}

TEST(heap, tells_the_largest_block_that_it_could_give) {
  test_heap test(8 * mib);
  EXPECT_EQ(test.heap.largest_block(64 * mib), 8 * mib);
  EXPECT_EQ(test.heap.largest_block(5 * mib), 5 * mib);
  void* const first = test.heap.allocate(3 * mib - 16);
  void* const second = test.heap.allocate(mib - 16);
  EXPECT_EQ(test.heap.largest_block(8 * mib), 4 * mib);
  test.heap.free(first);
  EXPECT_EQ(test.heap.largest_block(6 * mib), 3 * mib) << "the hole is larger than the rest";
  EXPECT_EQ(test.heap.allocate(4 * mib - 15), nullptr);
  EXPECT_NE(test.heap.allocate(test.heap.largest_block(8 * mib) - 16), nullptr);
  EXPECT_EQ(test.heap.largest_block(8 * mib), 3 * mib);
  test.heap.free(second);
}

TEST(heap, touches_no_more_pages_than_it_hands_out) {
  ::prctl(PR_SET_THP_DISABLE, 1, 0, 0, 0);  // a huge page would be counted as 512
  test_heap test(gib);
  void* large = test.heap.allocate(512 * mib);
  ASSERT_NE(large, nullptr);
  test.heap.free(large);
  ASSERT_NE(test.heap.allocate(300 * mib), nullptr);
  std::vector<unsigned char> resident(gib / 4096);
  ASSERT_EQ(::mincore(test.memory.base(), gib, resident.data()), 0);
  EXPECT_LE(std::ranges::count_if(resident, [](unsigned char page) { return (page & 1) != 0; }), 8);
}

TEST(heap, tells_its_own_addresses) {
  test_heap test(mib);
  void* p = test.heap.allocate(100);
  int other = 0;
  EXPECT_TRUE(test.heap.contains(p));
  EXPECT_FALSE(test.heap.contains(&other));
  EXPECT_FALSE(test.heap.contains(test.memory.base() + mib));
  EXPECT_FALSE(test.heap.contains(nullptr));
}

TEST(heap_death, freeing_twice_names_the_address) {
  test_heap test(mib);
  auto* fence = test.heap.allocate(10);
  void* p = test.heap.allocate(100);
  test.heap.free(p);
  EXPECT_DEATH(test.heap.free(p), "freed before.*address=0x.*heap_begin=0x.*heap_end=0x");
  test.heap.free(fence);
  EXPECT_DEATH(test.heap.free(p), "freed before");
}

TEST(heap_death, foreign_and_inner_pointers_are_refused) {
  test_heap test(mib);
  auto* p = static_cast<std::byte*>(test.heap.allocate(100));
  std::memset(p, 0, 100);
  int other = 0;
  EXPECT_DEATH(test.heap.free(&other), "not of this segment's heap");
  EXPECT_DEATH(test.heap.free(p + 1), "not the start of a block");
  EXPECT_DEATH(test.heap.free(p + 32), "not the start of a block");
  EXPECT_DEATH(test.heap.usable_size(test.memory.base()), "not of this segment's heap");
}

TEST(heap, tells_what_is_wrong_with_a_pointer_and_leaves_it) {
  test_heap test(mib);
  auto* p = static_cast<std::byte*>(test.heap.allocate(64));
  EXPECT_EQ(test.heap.find_misuse(p), "");
  EXPECT_EQ(test.heap.try_free(p + 16), test.heap.find_misuse(p + 16));
  EXPECT_NE(test.heap.try_free(p + 16), "");
  EXPECT_NE(test.heap.try_free(&test), "");
  EXPECT_EQ(test.heap.try_free(p), "");
  EXPECT_EQ(test.heap.try_free(p), "the block was freed before");
  EXPECT_EQ(test.heap.try_free(nullptr), "");
  EXPECT_EQ(test.heap.find_damage(), "");
}

TEST(heap_death, a_header_written_over_is_noticed) {
  test_heap test(mib);
  auto* a = static_cast<std::byte*>(test.heap.allocate(16));
  auto* b = static_cast<std::byte*>(test.heap.allocate(16));
  EXPECT_DEATH(
      {
        std::memset(a, 0x55, 24);
        test.heap.free(b);
      },
      "overwritten");
  EXPECT_DEATH(
      {
        std::memset(a + 24, 0x55, 8);
        test.heap.free(a);
      },
      "overwritten");
}

/// A block with a pattern in its first and last bytes.
struct patterned {
  unsigned char* address;
  std::size_t size_bytes;
  unsigned char seed;
};

constexpr std::size_t pattern_bytes = 48;

void fill(const patterned& block) {
  const std::size_t edge = std::min(block.size_bytes, pattern_bytes);
  std::memset(block.address, block.seed, edge);
  std::memset(block.address + block.size_bytes - edge, block.seed, edge);
}

bool intact(const patterned& block) {
  const std::size_t edge = std::min(block.size_bytes, pattern_bytes);
  auto same = [&](unsigned char byte) { return byte == block.seed; };
  return std::all_of(block.address, block.address + edge, same) &&
         std::all_of(block.address + block.size_bytes - edge, block.address + block.size_bytes,
                     same);
}

/// Sizes as programs have them: mostly small, some large, few huge.
std::size_t random_size(std::mt19937_64& random) {
  const auto kind = random() % 100;
  if (kind < 70) return random() % 256;
  if (kind < 95) return random() % 8192;
  return random() % (256 * 1024);
}

std::size_t random_alignment(std::mt19937_64& random) {
  return random() % 10 == 0 ? std::size_t{1} << (random() % 14) : std::size_t{16};
}

/// Random allocations and frees until `operations` are done; returns how many failed.
std::size_t exercise(heap& heap, std::uint64_t seed, std::size_t operations,
                     std::size_t live_most) {
  std::mt19937_64 random(seed);
  std::vector<patterned> live;
  std::size_t refused = 0;
  for (std::size_t i = 0; i < operations; ++i) {
    if (live.size() < live_most && random() % 100 < 55) {
      patterned block = {nullptr, random_size(random), static_cast<unsigned char>(random())};
      const auto alignment = random_alignment(random);
      block.address = static_cast<unsigned char*>(heap.allocate(block.size_bytes, alignment));
      if (block.address == nullptr) {
        ++refused;
        continue;
      }
      EXPECT_EQ(reinterpret_cast<std::uintptr_t>(block.address) % alignment, 0u);
      fill(block);
      live.push_back(block);
    } else if (!live.empty()) {
      std::swap(live[random() % live.size()], live.back());
      EXPECT_TRUE(intact(live.back()));
      heap.free(live.back().address);
      live.pop_back();
    }
    if (i % 50'000 == 0) {
      EXPECT_EQ(heap.find_damage(), "");
    }
  }
  for (const auto& block : live) {
    EXPECT_TRUE(intact(block));
    heap.free(block.address);
  }
  return refused;
}

TEST(heap, a_million_random_operations_keep_every_pattern) {
  test_heap test(gib);
  EXPECT_EQ(exercise(test.heap, 1, 1'000'000, 5'000), 0u);
  EXPECT_EQ(test.heap.find_damage(), "");
  EXPECT_EQ(test.heap.usage().used_bytes, 0u);
  EXPECT_EQ(test.heap.usage().largest_free_bytes, test.heap.usage().committed_bytes);
}

TEST(heap, a_heap_that_is_always_nearly_full_stays_whole) {
  test_heap test(4 * mib);
  EXPECT_GT(exercise(test.heap, 2, 200'000, 100'000), 0u);
  EXPECT_EQ(test.heap.find_damage(), "");
  EXPECT_EQ(test.heap.usage().used_bytes, 0u);
}

TEST(heap, threads_may_allocate_and_free_at_the_same_time) {
  test_heap test(gib);
  std::vector<std::thread> threads;
  for (std::uint64_t seed = 0; seed < 4; ++seed)
    threads.emplace_back([&, seed] { exercise(test.heap, 100 + seed, 50'000, 500); });
  for (auto& thread : threads) thread.join();
  EXPECT_EQ(test.heap.find_damage(), "");
  EXPECT_EQ(test.heap.usage().blocks, 0u);
}

}  // namespace
