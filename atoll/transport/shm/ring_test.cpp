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

constexpr std::size_t cells = 8;        // of most rings here
constexpr std::size_t many_cells = 64;  // with several writers, which then meet more often

struct free_memory {
  void operator()(ring_memory* memory) const { std::free(memory); }
};

/// Some laps before the sequence numbers in the cells, which have 32 bits, begin anew.
constexpr std::uint64_t before_the_wrap = (std::uint64_t{1} << 32) - 3 * many_cells;

/// A ring in zeroed memory, as a rank's control area is, at this ticket.
std::unique_ptr<ring_memory, free_memory> make_ring(std::uint64_t first = 0,
                                                    std::size_t count = cells) {
  const std::size_t bytes = ring_memory::bytes(count);
  void* const memory = std::aligned_alloc(128, bytes);
  std::memset(memory, 0, bytes);
  auto* const made = static_cast<ring_memory*>(memory);
  made->tail = first;
  made->head = first;
  return std::unique_ptr<ring_memory, free_memory>(made);
}

bool write(ring_writer& writer, rank_id value) {
  std::uint64_t ticket;
  ring_cell* const slot = writer.claim(ticket);
  if (slot == nullptr) return false;
  slot->source = value;
  slot->kind = cell_kind::short_;
  slot->nargs = 0;
  ring_writer::publish(*slot, ticket);
  return true;
}

TEST(ring, keeps_order_over_many_laps_and_where_its_numbers_wrap) {
  for (const std::uint64_t first : {std::uint64_t{0}, before_the_wrap}) {
    for (const bool sole : {false, true}) {
      const auto memory = make_ring(first);
      ring_writer writer(*memory, cells, sole, first);
      ring_reader reader(*memory, cells, true, first);
      EXPECT_FALSE(reader.ready());
      ring_cell got;
      for (rank_id i = 0; i < 1000; ++i) {
        ASSERT_TRUE(write(writer, i));
        ASSERT_TRUE(reader.ready());
        ASSERT_TRUE(reader.pop(got));
        ASSERT_EQ(got.source, i);
        ASSERT_FALSE(reader.ready());
      }
    }
  }
}

TEST(ring, is_full_where_its_numbers_wrap) {
  for (const bool sole : {false, true}) {
    const auto memory = make_ring(before_the_wrap);
    ring_writer writer(*memory, cells, sole, before_the_wrap);
    ring_reader reader(*memory, cells, false, before_the_wrap);
    rank_id sent = 0, received = 0;
    while (received < 6 * many_cells) {
      while (write(writer, sent)) ++sent;
      ASSERT_EQ(sent - received, cells);
      for (int i = 0; i < 3; ++i, ++received) {
        ASSERT_NE(reader.front(), nullptr);
        ASSERT_EQ(reader.front()->source, received);
        reader.advance();
      }
      reader.settle();
    }
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

TEST(ring, tells_of_ranks_that_wait_for_room_when_half_of_it_is_free) {
  const auto memory = make_ring();
  ring_writer writer(*memory, cells, false);
  ring_reader reader(*memory, cells, false);
  for (rank_id i = 0; i < cells; ++i) ASSERT_TRUE(write(writer, i));
  EXPECT_EQ(reader.take_waiting(), 0u) << "nobody waits";
  const std::uint64_t marks = ring_memory::mark_of(3) | ring_memory::mark_of(64);
  writer.wait_as(ring_memory::mark_of(3));
  writer.wait_as(ring_memory::mark_of(64));
  for (std::size_t i = 0; i < cells / 2 - 1; ++i) {
    reader.advance();
    EXPECT_EQ(reader.take_waiting(), 0u) << i;
  }
  reader.advance();
  EXPECT_EQ(reader.take_waiting(), marks);
  EXPECT_TRUE(writer.has_room()) << "told of a waiting rank, and not the rank of the room";
  EXPECT_EQ(reader.take_waiting(), 0u) << "told twice";
}

// So that a handler which never returns, since it has called exit(), may have others read on.
TEST(ring, goes_on_behind_a_cell_that_was_passed_and_keeps_it_until_it_is_released) {
  const auto memory = make_ring();
  ring_writer writer(*memory, cells, false);
  ring_reader reader(*memory, cells, false);
  for (rank_id i = 0; i < cells; ++i) ASSERT_TRUE(write(writer, i));
  const ring_cell* const first = reader.front();
  ASSERT_NE(first, nullptr);
  reader.pass();
  EXPECT_FALSE(write(writer, 99));
  EXPECT_EQ(first->source, 0u);
  ASSERT_NE(reader.front(), nullptr);
  EXPECT_EQ(reader.front()->source, 1u);
  reader.release();
  EXPECT_TRUE(write(writer, cells));
}

TEST(ring, a_claimed_cell_is_not_seen_before_it_is_published) {
  const auto memory = make_ring();
  ring_writer first(*memory, cells, false), second(*memory, cells, false);
  ring_reader reader(*memory, cells, true);
  std::uint64_t ticket;
  ring_cell* const slow = first.claim(ticket);
  ASSERT_TRUE(write(second, 2));
  EXPECT_FALSE(reader.ready()) << "messages are read in the order of their tickets";
  slow->source = 1;
  slow->kind = cell_kind::short_;
  slow->nargs = 0;
  ring_writer::publish(*slow, ticket);
  ring_cell got;
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
  ring_cell* const slot = writer.claim(ticket);
  slot->kind = cell_kind::short_;
  slot->nargs = 16;
  for (std::size_t i = 0; i < 64; ++i) slot->data[i] = static_cast<std::byte>(i);
  ring_writer::publish(*slot, ticket);
  ring_cell got;
  ASSERT_TRUE(reader.pop(got));
  for (std::size_t i = 0; i < 64; ++i) EXPECT_EQ(got.data[i], static_cast<std::byte>(i));
}

/// A message whose length and bytes follow from who sent it and which it is.
constexpr std::uint8_t nargs_of(std::uint32_t number) { return number % 17; }
constexpr std::byte byte_of(rank_id writer, std::uint32_t number, std::size_t i) {
  return static_cast<std::byte>(writer * 101 + number * 7 + i * 13);
}
constexpr std::size_t inline_bytes = 40;

void write_numbered(ring_writer& writer, rank_id self, std::uint32_t number) {
  std::uint64_t ticket;
  ring_cell* slot = nullptr;
  while ((slot = writer.claim(ticket)) == nullptr) std::this_thread::yield();
  slot->source = self;
  slot->kind = cell_kind::medium_inline;
  slot->nargs = nargs_of(number);
  slot->where_and_bytes = inline_bytes;
  const std::size_t used = slot->data_used();
  std::memcpy(slot->data, &number, sizeof number);
  for (std::size_t i = sizeof number; i < used; ++i) slot->data[i] = byte_of(self, number, i);
  ring_writer::publish(*slot, ticket);
}

/// One reading thread's record: for each writer, the least number that may come next.
class numbered_reader {
 public:
  explicit numbered_reader(std::size_t writers) : least_(writers) {}

  void take(const ring_cell& got) {
    std::uint32_t number;
    std::memcpy(&number, got.data, sizeof number);
    if (got.source >= least_.size() || number < least_[got.source] ||
        got.nargs != nargs_of(number)) {
      ++wrong_;
      return;
    }
    least_[got.source] = number + 1;
    const std::size_t used = got.data_used();
    for (std::size_t i = sizeof number; i < used; ++i) {
      if (got.data[i] != byte_of(got.source, number, i)) ++wrong_;
    }
    sum_ += number;
  }
  std::size_t wrong() const { return wrong_; }
  std::uint64_t sum() const { return sum_; }

 private:
  std::vector<std::uint32_t> least_;
  std::size_t wrong_ = 0;
  std::uint64_t sum_ = 0;  // of the numbers, that none has come twice in place of another
};

/// Several writers and `readers` readers; each reader sees each writer's messages in order, none is
/// lost, changed or repeated.
void write_and_read_at_once(int readers, std::uint64_t first) {
  constexpr std::uint32_t writers = 3, each = 60'000;
  const auto memory = make_ring(first, many_cells);
  ring_reader reader(*memory, many_cells, readers > 1, first);
  std::vector<numbered_reader> seen(static_cast<std::size_t>(readers), numbered_reader(writers));
  std::atomic<std::uint32_t> received = 0;
  std::vector<std::thread> threads;
  for (rank_id w = 0; w < writers; ++w) {
    threads.emplace_back([&, w] {
      ring_writer writer(*memory, many_cells, false);
      for (std::uint32_t i = 0; i < each; ++i) write_numbered(writer, w, i);
    });
  }
  const auto take_one = [&](numbered_reader& checker) {
    ring_cell copy;
    const ring_cell* const got =
        readers > 1 ? (reader.pop(copy) ? &copy : nullptr) : reader.front();
    if (got == nullptr) return false;
    checker.take(*got);
    if (readers == 1) reader.advance();
    ++received;
    return true;
  };
  for (numbered_reader& checker : seen) {
    threads.emplace_back([&] {
      while (received.load() < writers * each) {
        if (reader.ready() && take_one(checker)) continue;
        reader.settle();
        std::this_thread::yield();
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  std::uint64_t sum = 0;
  for (const numbered_reader& checker : seen) {
    EXPECT_EQ(checker.wrong(), 0u);
    sum += checker.sum();
  }
  EXPECT_EQ(received.load(), writers * each);
  EXPECT_EQ(sum, std::uint64_t{writers} * each * (each - 1) / 2);
  EXPECT_FALSE(reader.ready());
}

TEST(ring, several_writers_and_one_reader_lose_nothing_and_keep_order) {
  write_and_read_at_once(1, 0);
  write_and_read_at_once(1, before_the_wrap);
}

TEST(ring, several_writers_and_several_readers_lose_nothing_and_keep_order) {
  write_and_read_at_once(2, 0);
  write_and_read_at_once(2, before_the_wrap);
}

}  // namespace
}  // namespace atl::transport::shm
