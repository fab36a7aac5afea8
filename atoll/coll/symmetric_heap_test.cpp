// SPDX-License-Identifier: BSD-3-Clause
//
// Symmetric memory at many counts of ranks, on one host and several: equal offsets whatever was
// allocated elsewhere, blocks that never overlap, and calls that differ.
#include <atoll/coll/symmetric_heap.hpp>

#include <atoll/base/error.hpp>
#include <atoll/base/text.hpp>
#include <atoll/coll/collectives.hpp>
#include <atoll/coll/engine/engine.hpp>
#include <atoll/coll/team_creation.hpp>
#include <atoll/core/job/runtime.hpp>
#include <atoll/core/rma/rma.hpp>
#include <tests/support/thread_job.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <map>
#include <random>
#include <string>
#include <thread>
#include <vector>

namespace atl::coll {
namespace {

constexpr std::size_t mib = std::size_t{1} << 20;

/// The number of ranks, and how many of them are on a host; 0: all.
struct shape {
  rank_id ranks;
  rank_id width;
};

std::string name_of_shape(const testing::TestParamInfo<shape>& info) {
  return text("n", info.param.ranks, "_hosts_of_", info.param.width);
}

class symmetric : public testing::TestWithParam<shape> {
 protected:
  template <class Body>
  void run(Body body, std::vector<std::string> variables = {}) {
    variables.push_back(text("ATOLL_NEIGHBOURHOOD=", GetParam().width));
    support::run_job(
        GetParam().ranks,
        [&](runtime& job) {
          open(job);
          body(job, symmetric_heap_of(job));
          job.world().barrier();
        },
        variables);
  }
};

std::byte* bytes_at(void* block) { return static_cast<std::byte*>(block); }

// The offset of a block from the start of this rank's shared memory.
std::uint64_t offset_of(runtime& job, const void* block) {
  return static_cast<std::uint64_t>(static_cast<const std::byte*>(block) -
                                    job.heaps().own_part().base);
}

// The same block at another rank, by that rank's own address.
std::byte* at_rank(runtime& job, rank_id rank, const void* block) {
  return bytes_at(symmetric_heap_of(job).address_at(rank, block));
}

bool is_alike(team& members, std::uint64_t number) {
  std::uint64_t highest;
  std::uint64_t lowest;
  allreduce(members, &highest, &number, 1, built_in(reduce_operation::max, data_type::u64));
  allreduce(members, &lowest, &number, 1, built_in(reduce_operation::min, data_type::u64));
  return highest == lowest;
}

TEST_P(symmetric, blocks_have_one_offset_on_all_ranks_whatever_was_allocated_elsewhere) {
  run([](runtime& job, symmetric_heap& heap) {
    std::vector<void*> own;
    for (rank_id i = 0; i <= job.rank() * 3; ++i) own.push_back(job.heap().allocate(1000 + i));
    for (const std::size_t bytes : {0ul, 1ul, 17ul, 4096ul, 3 * mib}) {
      auto* const block = bytes_at(heap.allocate(job.world(), bytes));
      ASSERT_NE(block, nullptr);
      EXPECT_TRUE(is_alike(job.world(), offset_of(job, block)));
      EXPECT_GE(heap.block_bytes(block), bytes);
      if (bytes < sizeof(rank_id)) continue;
      const rank_id right = (job.rank() + 1) % job.size();
      put(job.primordial(), right, at_rank(job, right, block), &right, sizeof right);
      job.world().barrier();
      rank_id written;
      std::memcpy(&written, block, sizeof written);
      EXPECT_EQ(written, job.rank());
    }
    for (void* each : own) job.heap().free(each);
  });
}

TEST_P(symmetric, members_that_hold_the_same_place_make_it_a_block_without_communication) {
  run([](runtime& job, symmetric_heap& heap) {
    const std::size_t used = heap.current_usage().used_bytes;
    void* const held = heap.hold_local(100, 64);
    ASSERT_NE(held, nullptr);
    EXPECT_TRUE(is_alike(job.world(), offset_of(job, held)));
    EXPECT_EQ(heap.block_bytes(held), 0u) << "not accepted yet";
    heap.accept_local(job.world(), held);
    EXPECT_GE(heap.block_bytes(held), 100u);
    void* const other = heap.allocate(job.world(), 100, 64);
    EXPECT_NE(other, held);
    heap.free_local(held);
    void* const given_up = heap.hold_local(100, 64);
    EXPECT_EQ(given_up, held) << "the lowest place that is free";
    heap.free_local(given_up);
    heap.free(job.world(), other);
    EXPECT_EQ(heap.current_usage().used_bytes, used);
    EXPECT_EQ(heap.hold_local(heap.current_usage().limit_bytes + 1), nullptr);
  });
}

TEST_P(symmetric, a_neighbour_sees_the_block_by_loads) {
  run([](runtime& job, symmetric_heap& heap) {
    auto* const block = static_cast<rank_id*>(heap.allocate(job.world(), sizeof(rank_id)));
    *block = job.rank();
    job.world().barrier();
    for (rank_id i = 0; i < job.neighbourhood_count(); ++i) {
      const rank_id neighbour = job.neighbourhood_first() + i;
      EXPECT_EQ(*static_cast<const rank_id*>(heap.at_neighbour(neighbour, block)), neighbour);
    }
    EXPECT_TRUE(heap.contains(block));
    EXPECT_FALSE(heap.contains(&job));
    job.world().barrier();
  });
}

TEST_P(symmetric, large_alignments_agree_in_addresses_of_all_ranks) {
  run([](runtime& job, symmetric_heap& heap) {
    heap.allocate(job.world(), 24);
    for (std::size_t alignment = 16; alignment <= 32 * mib; alignment *= 4) {
      void* const block = heap.allocate(job.world(), 40, alignment);
      ASSERT_NE(block, nullptr) << alignment;
      EXPECT_EQ(reinterpret_cast<std::uintptr_t>(block) % alignment, 0u);
      for (rank_id rank = 0; rank < job.size(); ++rank)
        EXPECT_EQ(reinterpret_cast<std::uintptr_t>(at_rank(job, rank, block)) % alignment, 0u);
    }
    EXPECT_EQ(heap.allocate(job.world(), 40, std::size_t{1} << 40), nullptr);
    EXPECT_EQ(heap.allocate(job.world(), 40, 24), nullptr) << "no power of two";
  });
}

TEST_P(symmetric, teams_allocate_apart_and_all_agree_afterwards) {
  run([](runtime& job, symmetric_heap& heap) {
    const int color = static_cast<int>(job.rank() % 3);
    auto part = split_team(job.world(), color, 0);
    std::vector<void*> blocks;
    for (int i = 0; i <= color * 2; ++i) {
      blocks.push_back(heap.allocate(*part, 100 * static_cast<std::size_t>(i + 1)));
      EXPECT_TRUE(is_alike(*part, offset_of(job, blocks.back())));
      std::memset(blocks.back(), color + 1, 100);
    }
    auto* const common = bytes_at(heap.allocate(job.world(), 5000));
    ASSERT_NE(common, nullptr);
    EXPECT_TRUE(is_alike(job.world(), offset_of(job, common)));
    std::memset(common, 0xff, 5000);
    for (void* each : blocks) {
      EXPECT_EQ(*bytes_at(each), static_cast<std::byte>(color + 1)) << "nothing overlaps";
      heap.free(*part, each);
    }
    heap.free(job.world(), common);
    EXPECT_EQ(heap.current_usage().blocks, 0u);
    EXPECT_EQ(heap.current_usage().used_bytes, 0u);
    destroy_team(std::move(part));
  });
}

TEST_P(symmetric, a_block_that_does_not_fit_on_one_member_is_null_on_all) {
  run([](runtime& job, symmetric_heap& heap) {
    auto alone = split_team(job.world(), static_cast<int>(job.rank()), 0);
    void* const hoard = job.rank() == 0 ? heap.allocate(*alone, 60 * mib) : nullptr;
    EXPECT_EQ(heap.allocate(job.world(), 10 * mib), nullptr);
    EXPECT_EQ(heap.allocate(job.world(), ~std::size_t{0}), nullptr);
    void* const small = heap.allocate(job.world(), mib);
    EXPECT_NE(small, nullptr);
    EXPECT_EQ(heap.resize(job.world(), small, 10 * mib), nullptr) << "and the block stays";
    EXPECT_EQ(heap.block_bytes(small), mib);
    if (hoard != nullptr) heap.free(*alone, hoard);
    void* const large = heap.allocate(job.world(), 10 * mib);
    EXPECT_NE(large, nullptr);
    EXPECT_TRUE(is_alike(job.world(), offset_of(job, large)));
    destroy_team(std::move(alone));
  });
}

TEST_P(symmetric, addresses_that_are_set_aside_are_in_no_block) {
  run(
      [](runtime& job, symmetric_heap& heap) {
        const std::size_t limit = job.memory_layout().symmetric_limit;
        const std::size_t begin = heap.set_aside(job.world(), limit / 2);
        EXPECT_EQ(begin, limit / 2);
        EXPECT_EQ(heap.set_aside(job.world(), limit), 0u);  // more than there is
        EXPECT_EQ(heap.allocate(job.world(), limit / 2), nullptr);
        void* const block = heap.allocate(job.world(), limit / 4);
        ASSERT_NE(block, nullptr);
        EXPECT_LT(offset_of(job, block), begin);
        EXPECT_EQ(heap.set_aside(job.world(), limit / 2 - 4096), 0u);  // the block lies there
        heap.free(job.world(), block);
      },
      {"ATOLL_SYMMETRIC_LIMIT=64M"});
}

TEST_P(symmetric, resized_blocks_keep_what_they_hold) {
  run([](runtime& job, symmetric_heap& heap) {
    auto* block = bytes_at(heap.allocate(job.world(), 1000));
    for (int i = 0; i < 1000; ++i) block[i] = static_cast<std::byte>(i * 7);
    const auto holds = [&](int count) {
      for (int i = 0; i < count; ++i) {
        if (block[i] != static_cast<std::byte>(i * 7)) return false;
      }
      return true;
    };
    auto* const grown = bytes_at(heap.resize(job.world(), block, 3 * mib));
    EXPECT_EQ(grown, block) << "there was room behind it";
    EXPECT_TRUE(holds(1000));
    void* const behind = heap.allocate(job.world(), 64);
    block = bytes_at(heap.resize(job.world(), grown, 4 * mib));
    EXPECT_NE(block, grown);
    EXPECT_TRUE(is_alike(job.world(), offset_of(job, block)));
    EXPECT_TRUE(holds(1000));
    EXPECT_EQ(heap.resize(job.world(), block, 100), block);
    EXPECT_EQ(heap.block_bytes(block), 112u);
    EXPECT_TRUE(holds(100));
    block = bytes_at(heap.resize(job.world(), block, 100, mib));
    EXPECT_EQ(reinterpret_cast<std::uintptr_t>(block) % mib, 0u);
    EXPECT_TRUE(holds(100));
    heap.free(job.world(), behind);
    heap.free(job.world(), block);
    EXPECT_EQ(heap.current_usage().blocks, 0u);
  });
}

// Where only some members could grow in place, all move.
TEST_P(symmetric, members_that_could_grow_in_place_move_with_those_that_cannot) {
  run([](runtime& job, symmetric_heap& heap) {
    auto alone = split_team(job.world(), static_cast<int>(job.rank()), 0);
    auto* block = bytes_at(heap.allocate(job.world(), 4096));
    std::memset(block, 7, 4096);
    const bool blocked = job.rank() == job.size() - 1;
    void* const own = blocked ? heap.allocate(*alone, 64) : nullptr;
    auto* const moved = bytes_at(heap.resize(job.world(), block, 8192));
    EXPECT_NE(moved, block);
    EXPECT_TRUE(is_alike(job.world(), offset_of(job, moved)));
    EXPECT_EQ(moved[4095], std::byte{7});
    if (own != nullptr) heap.free(*alone, own);
    heap.free(job.world(), moved);
    EXPECT_EQ(heap.current_usage().used_bytes, 0u);
    destroy_team(std::move(alone));
  });
}

template <class Call>
std::string refusal_of(Call call) {
  try {
    call();
  } catch (const error& refused) {
    return refused.what();
  }
  return "not refused";
}

TEST_P(symmetric, members_that_call_differently_are_told_and_nothing_happens) {
  if (GetParam().ranks == 1) GTEST_SKIP() << "one rank cannot differ from itself";
  run([](runtime& job, symmetric_heap& heap) {
    const bool odd_one = job.rank() == job.size() - 1;
    team& world = job.world();
    const std::string sizes = refusal_of([&] { heap.allocate(world, odd_one ? 32 : 16); });
    EXPECT_NE(sizes.find("16 to 32"), std::string::npos) << sizes;
    const std::string alignments = refusal_of([&] { heap.allocate(world, 16, odd_one ? 64 : 32); });
    EXPECT_NE(alignments.find("32 to 64"), std::string::npos) << alignments;
    EXPECT_EQ(heap.current_usage().used_bytes, 0u);
    void* const first = heap.allocate(world, 16);
    void* const second = heap.allocate(world, 16);
    const std::string blocks = refusal_of([&] { heap.free(world, odd_one ? first : second); });
    EXPECT_NE(blocks.find("offset"), std::string::npos) << blocks;
    const std::string calls = refusal_of([&] {
      if (odd_one) {
        heap.free(world, first);
      } else {
        heap.allocate(world, 16);
      }
    });
    EXPECT_NE(calls.find(odd_one ? "allocation" : "release"), std::string::npos) << calls;
    EXPECT_EQ(heap.current_usage().blocks, 2u);
  });
}

TEST_P(symmetric, blocks_of_another_team_and_blocks_freed_before_are_refused) {
  run([](runtime& job, symmetric_heap& heap) {
    auto alone = split_team(job.world(), static_cast<int>(job.rank()), 0);
    void* const block = heap.allocate(job.world(), 16);
    const bool single_rank = job.size() == 1;
    const std::string other = refusal_of([&] { heap.free(*alone, block); });
    EXPECT_EQ(other == "not refused", single_rank) << other;
    const std::string grown = refusal_of([&] { heap.resize(*alone, block, 4096); });
    EXPECT_NE(grown.find("no block"), std::string::npos) << grown;
    if (!single_rank) {
      const bool wrong = job.rank() == 0;  // one member gives what is no block
      std::byte* const inside = bytes_at(block) + (wrong ? 16 : 0);
      EXPECT_NE(refusal_of([&] { heap.resize(job.world(), inside, 99); }), "not refused");
      EXPECT_EQ(heap.block_bytes(block), 16u) << "nothing has happened";
      heap.free(job.world(), block);
    }
    const std::string again = refusal_of([&] { heap.free(job.world(), block); });
    EXPECT_NE(again.find("no block"), std::string::npos) << again;
    EXPECT_NE(refusal_of([&] { heap.resize(job.world(), block, 99); }).find("no block"),
              std::string::npos);
    heap.free(job.world(), nullptr);
    destroy_team(std::move(alone));
  });
}

TEST_P(symmetric, memory_of_freed_blocks_is_given_back_to_the_host) {
  run([](runtime& job, symmetric_heap& heap) {
    void* const first = heap.allocate(job.world(), 64);
    const std::size_t initial_bytes = heap.current_usage().committed_bytes;
    for (int round = 0; round < 3; ++round) {
      void* const large = heap.allocate(job.world(), 40 * mib);
      ASSERT_NE(large, nullptr);
      EXPECT_EQ(bytes_at(large)[39 * mib], std::byte{0}) << "pages were given back";
      std::memset(large, 1, 40 * mib);
      EXPECT_GE(heap.current_usage().committed_bytes, 40 * mib);
      heap.free(job.world(), large);
      EXPECT_LE(heap.current_usage().committed_bytes, initial_bytes + 2 * mib);
    }
    heap.free(job.world(), first);
  });
}

// Members of overlapping teams allocate, resize and free by one random plan, and each block is
// filled with what no other block holds.
TEST_P(symmetric, random_calls_of_many_teams_never_overlap) {
  run([](runtime& job, symmetric_heap& heap) {
    std::vector<std::unique_ptr<team>> teams;
    for (int way = 0; way < 4; ++way) {
      const auto group = static_cast<int>(job.rank()) / (way + 1);
      teams.push_back(split_team(
          job.world(), way % 2 == 0 ? group : static_cast<int>(job.rank()) % (way + 1), 0));
    }
    struct live {
      std::byte* address;
      std::size_t bytes;
      std::byte content;
    };
    std::vector<std::vector<live>> blocks(teams.size());
    std::mt19937 random(job.size());
    for (int step = 0; step < 300; ++step) {
      const std::size_t way = random() % teams.size();
      const std::size_t bytes = 1 + random() % 20'000;
      const std::size_t alignment = std::size_t{16} << random() % 8;
      const unsigned action = random() % 4;
      auto& held = blocks[way];
      const std::size_t index = random() % 64;
      const auto content = static_cast<std::byte>(step);
      if (action < 2 || held.empty()) {
        auto* const made = bytes_at(heap.allocate(*teams[way], bytes, alignment));
        ASSERT_NE(made, nullptr);
        ASSERT_TRUE(is_alike(*teams[way], offset_of(job, made)));
        std::memset(made, static_cast<int>(content), bytes);
        held.push_back({made, bytes, content});
        continue;
      }
      live& block = held[index % held.size()];
      for (std::size_t i = 0; i < block.bytes; ++i) ASSERT_EQ(block.address[i], block.content);
      if (action == 2) {
        block.address = bytes_at(heap.resize(*teams[way], block.address, bytes, alignment));
        ASSERT_NE(block.address, nullptr);
        for (std::size_t i = 0; i < std::min(block.bytes, bytes); ++i)
          ASSERT_EQ(block.address[i], block.content);
        block = {block.address, bytes, content};
        std::memset(block.address, static_cast<int>(content), bytes);
      } else {
        heap.free(*teams[way], block.address);
        block = held.back();
        held.pop_back();
      }
    }
    for (auto& each : teams) destroy_team(std::move(each));
  });
}

INSTANTIATE_TEST_SUITE_P(coll, symmetric,
                         testing::Values(shape{1, 0}, shape{2, 0}, shape{3, 0}, shape{5, 2},
                                         shape{8, 3}),
                         name_of_shape);

// Two threads of each rank, each with a team of its own over all ranks.
TEST(symmetric_threads, calls_of_two_teams_at_once_do_not_disturb_each_other) {
  support::run_job(3, [](runtime& job) {
    open(job);
    symmetric_heap& heap = symmetric_heap_of(job);
    auto first = split_team(job.world(), 0, 0);
    auto second = split_team(job.world(), 0, 0);
    const auto work = [&](team& members, int content) {
      std::vector<std::byte*> blocks;
      for (int i = 0; i < 60; ++i) {
        blocks.push_back(bytes_at(heap.allocate(members, 100 + static_cast<std::size_t>(i))));
        std::memset(blocks.back(), content, 100);
      }
      bool right = true;
      for (std::byte* each : blocks) {
        right = right && each[0] == static_cast<std::byte>(content) && each[99] == each[0];
        heap.free(members, each);
      }
      return right;
    };
    bool other_is_right = false;
    std::thread other([&] { other_is_right = work(*second, 2); });
    EXPECT_TRUE(work(*first, 1));
    other.join();
    EXPECT_TRUE(other_is_right);
    EXPECT_EQ(heap.current_usage().used_bytes, 0u);
    job.world().barrier();
    destroy_team(std::move(first));
    destroy_team(std::move(second));
  });
}

}  // namespace
}  // namespace atl::coll
