// SPDX-License-Identifier: BSD-3-Clause
//
// Pieces alone: they end once, by an answer or by the loss of their rank, and those of a lost rank
// never begin.
#include <atoll/core/progress/piece_table.hpp>

#include <gtest/gtest.h>

#include <atomic>
#include <thread>
#include <vector>

namespace {

using namespace atl;

TEST(piece_table, a_piece_ends_by_its_answer_and_is_used_again) {
  piece_table table(false);
  for (int turn = 0; turn < 10'000; ++turn) {
    operation record;
    piece* const begun = table.begin(record, 1);
    ASSERT_NE(begun, nullptr);
    EXPECT_FALSE(record.complete());
    table.end(*begun);
    EXPECT_TRUE(record.complete());
    EXPECT_EQ(record.status.load(), operation_status::done);
  }
  EXPECT_LE(table.made(), 256u);
}

TEST(piece_table, a_loss_ends_the_pieces_of_that_rank_alone) {
  piece_table table(false);
  operation record_of_two, other;
  piece* const at_one = table.begin(record_of_two, 1);
  piece* const at_two = table.begin(record_of_two, 2);
  piece* const other_at_two = table.begin(other, 2);
  table.lose(1);
  EXPECT_FALSE(record_of_two.complete());
  EXPECT_FALSE(other.complete());
  table.end(*at_one);  // a late answer
  EXPECT_FALSE(record_of_two.complete());
  table.end(*at_two);
  EXPECT_TRUE(record_of_two.complete());
  EXPECT_EQ(record_of_two.status.load(), operation_status::peer_lost);
  table.end(*other_at_two);
  EXPECT_EQ(other.status.load(), operation_status::done);
}

TEST(piece_table, a_late_answer_stores_nothing) {
  piece_table table(false);
  operation record;
  piece* const begun = table.begin(record, 3);
  table.lose(3);
  table.end_after(*begun, [] { FAIL() << "the program may have freed that memory"; });
  operation later;
  EXPECT_NE(table.begin(later, 2), begun);
}

TEST(piece_table, nothing_begins_at_a_lost_rank) {
  piece_table table(true);
  table.lose(5);
  table.lose(5);
  operation record;
  EXPECT_EQ(table.begin(record, 5), nullptr);
  EXPECT_TRUE(record.complete());
  EXPECT_EQ(record.status.load(), operation_status::peer_lost);
}

TEST(piece_table, the_network_ends_its_own_pieces) {
  piece_table table(false);
  operation record;
  piece* const begun = table.begin(record, 1, piece_way::network);
  table.lose(1);
  EXPECT_FALSE(record.complete());
  table.end(*begun, operation_status::peer_lost);
  EXPECT_TRUE(record.complete());
  EXPECT_EQ(record.status.load(), operation_status::peer_lost);
}

// Each of many pieces ends exactly once, whether the answer or the loss comes first.
TEST(piece_table, answers_and_a_loss_at_once) {
  for (int turn = 0; turn < 50; ++turn) {
    piece_table table(true);
    operation record;
    record.add_piece();
    std::vector<piece*> begun;
    for (int i = 0; i < 500; ++i) begun.push_back(table.begin(record, 1));
    {
      std::jthread answers([&] {
        for (piece* const each : begun) table.end(*each);
      });
      std::jthread loss([&] { table.lose(1); });
      std::jthread more([&] {
        for (int i = 0; i < 500; ++i) {
          if (piece* const each = table.begin(record, 1)) table.end(*each);
        }
      });
    }
    EXPECT_FALSE(record.complete());
    record.end_piece();
    EXPECT_TRUE(record.complete());
  }
}

}  // namespace
