// SPDX-License-Identifier: BSD-3-Clause
//
// The ring alone: order, wrap-around, refusal when full, and the two ways to read.
#include <atoll/transport/shm/ring.hpp>

#include <gtest/gtest.h>

#include <cstdlib>
#include <memory>
#include <thread>
#include <vector>

namespace atl::transport::shm {
namespace {

constexpr std::size_t cells = 8;

struct free_memory {
  void operator()(ring_memory* memory) const { std::free(memory); }
};

/// A ring in zeroed memory, as a rank's control area is.
std::unique_ptr<ring_memory, free_memory> make_ring() {
  const std::size_t bytes = ring_memory::bytes(cells);
  void* const memory = std::aligned_alloc(128, bytes);
  std::memset(memory, 0, bytes);
  return std::unique_ptr<ring_memory, free_memory>(static_cast<ring_memory*>(memory));
}

bool write(ring_writer& writer, rank_id value) {
  std::uint64_t ticket;
  cell* const at = writer.claim(ticket);
  if (at == nullptr) return false;
  at->source = value;
  at->kind = cell_kind::short_;
  at->nargs = 0;
  ring_writer::publish(*at, ticket);
  return true;
}

TEST(ring, keeps_order_over_many_laps) {
  const auto memory = make_ring();
  ring_writer writer(*memory, cells, false);
  ring_reader reader(*memory, cells, true);
  cell got;
  for (rank_id i = 0; i < 1000; ++i) {
    ASSERT_TRUE(write(writer, i));
    ASSERT_TRUE(reader.ready());
    ASSERT_TRUE(reader.pop(got));
    ASSERT_EQ(got.source, i);
    EXPECT_FALSE(reader.ready());
  }
}

TEST(ring, is_full_after_its_number_of_cells_and_free_again_when_the_reader_says_so) {
  for (const bool sole : {false, true}) {
    const auto memory = make_ring();
    ring_writer writer(*memory, cells, sole);
    ring_reader reader(*memory, cells, false);
    for (rank_id i = 0; i < cells; ++i) ASSERT_TRUE(write(writer, i));
    EXPECT_FALSE(writer.has_room());
    EXPECT_FALSE(write(writer, 99));
    ASSERT_NE(reader.front(), nullptr);
    EXPECT_EQ(reader.front()->source, 0u);
    reader.advance();
    reader.settle();
    EXPECT_TRUE(writer.has_room());
    EXPECT_TRUE(write(writer, cells));
    for (rank_id i = 1; i <= cells; ++i) {
      ASSERT_NE(reader.front(), nullptr);
      EXPECT_EQ(reader.front()->source, i);
      reader.advance();
    }
    EXPECT_EQ(reader.front(), nullptr);
  }
}

TEST(ring, a_claimed_cell_is_not_seen_before_it_is_published) {
  const auto memory = make_ring();
  ring_writer first(*memory, cells, false), second(*memory, cells, false);
  ring_reader reader(*memory, cells, true);
  std::uint64_t ticket;
  cell* const slow = first.claim(ticket);
  ASSERT_TRUE(write(second, 2));
  EXPECT_FALSE(reader.ready()) << "messages are read in the order of their tickets";
  slow->source = 1;
  slow->kind = cell_kind::short_;
  slow->nargs = 0;
  ring_writer::publish(*slow, ticket);
  cell got;
  ASSERT_TRUE(reader.pop(got));
  EXPECT_EQ(got.source, 1u);
  ASSERT_TRUE(reader.pop(got));
  EXPECT_EQ(got.source, 2u);
}

TEST(ring, copies_both_lines_of_a_cell_that_uses_both) {
  const auto memory = make_ring();
  ring_writer writer(*memory, cells, false);
  ring_reader reader(*memory, cells, true);
  std::uint64_t ticket;
  cell* const at = writer.claim(ticket);
  at->kind = cell_kind::short_;
  at->nargs = 16;
  for (std::size_t i = 0; i < 64; ++i) at->data[i] = static_cast<std::byte>(i);
  ring_writer::publish(*at, ticket);
  cell got;
  ASSERT_TRUE(reader.pop(got));
  for (std::size_t i = 0; i < 64; ++i) EXPECT_EQ(got.data[i], static_cast<std::byte>(i));
}

TEST(ring, several_writers_and_readers_lose_nothing) {
  const auto memory = make_ring();
  ring_reader reader(*memory, cells, true);
  constexpr int writers = 3, each = 5000;
  std::atomic<int> received = 0;
  std::vector<std::atomic<int>> per_writer(writers);
  std::vector<std::thread> threads;
  for (int w = 0; w < writers; ++w) {
    threads.emplace_back([&, w] {
      ring_writer writer(*memory, cells, false);
      for (int i = 0; i < each; ++i) {
        while (!write(writer, static_cast<rank_id>(w))) std::this_thread::yield();
      }
    });
  }
  for (int r = 0; r < 2; ++r) {
    threads.emplace_back([&] {
      cell got;
      while (received.load() < writers * each) {
        if (reader.ready() && reader.pop(got)) {
          ++per_writer[got.source];
          ++received;
        } else {
          reader.settle();
          std::this_thread::yield();
        }
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  for (const auto& count : per_writer) EXPECT_EQ(count, each);
}

}  // namespace
}  // namespace atl::transport::shm
