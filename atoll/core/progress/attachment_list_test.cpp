// SPDX-License-Identifier: BSD-3-Clause
//
// The list of what progress moves forward, alone: no runtime, no transport, and attachments that a
// test has written.
#include <atoll/core/progress/attachment_list.hpp>

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <functional>
#include <thread>

namespace atl {
namespace {

/// Ends after so many steps, and does what the test says in each.
class played_work final : public attachment {
 public:
  explicit played_work(int steps = 0) : left(steps) {}

  // May be called when it has ended, if it was activated meanwhile.
  bool advance() noexcept override {
    if (!busy()) return false;
    ++advanced;
    if (in_step) in_step();
    return left.fetch_sub(1) == 1;
  }
  bool busy() const noexcept override { return left.load() > 0; }

  std::atomic<int> left;
  int advanced = 0;
  std::function<void()> in_step;
};

class attachment_list_alone : public testing::Test {
 protected:
  attachment_list list;
};

TEST_F(attachment_list_alone, work_is_advanced_until_it_ends_and_then_left_alone) {
  played_work work(3);
  EXPECT_FALSE(list.has_work());
  list.activate(work);
  list.activate(work);
  EXPECT_TRUE(list.has_work());
  EXPECT_FALSE(list.advance());
  EXPECT_FALSE(list.advance());
  EXPECT_EQ(work.advanced, 2) << "once in each round, though it was activated twice";
  EXPECT_TRUE(list.advance()) << "it has ended";
  EXPECT_FALSE(list.has_work());
  EXPECT_FALSE(list.advance());
  EXPECT_EQ(work.advanced, 3);
  work.left = 1;
  list.activate(work);
  EXPECT_TRUE(list.advance()) << "it may begin again";
  EXPECT_EQ(work.advanced, 4);
}

TEST_F(attachment_list_alone,
       work_that_begins_in_a_step_of_other_work_has_its_turn_in_the_next_round) {
  played_work first(2), second(1);
  first.in_step = [&] { list.activate(second); };
  list.activate(first);
  list.advance();
  EXPECT_EQ(second.advanced, 0);
  EXPECT_TRUE(list.advance());
  EXPECT_EQ(first.advanced, 2);
  EXPECT_EQ(second.advanced, 1);
}

TEST_F(attachment_list_alone, a_step_that_polls_comes_here_again_and_passes_by) {
  played_work work(1);
  bool inner = true;
  work.in_step = [&] { inner = list.advance(); };
  list.activate(work);
  EXPECT_TRUE(list.advance());
  EXPECT_FALSE(inner);
  EXPECT_EQ(work.advanced, 1);
}

// Nothing has ended in the round, but the thread that was turned away may have come for something
// that is there since.
TEST_F(attachment_list_alone, a_thread_that_was_turned_away_is_to_be_woken) {
  played_work work(2);
  work.in_step = [&] { std::thread([&] { EXPECT_FALSE(list.advance()); }).join(); };
  list.activate(work);
  EXPECT_TRUE(list.advance());
  work.in_step = nullptr;
  work.left = 2;
  EXPECT_FALSE(list.advance()) << "nobody came in this round";
}

TEST_F(attachment_list_alone, work_that_is_retired_is_not_touched_any_more) {
  played_work other(100);
  {
    played_work gone(1), joining(1);
    list.activate(gone);
    list.activate(other);
    list.advance();
    gone.left = 0;
    list.activate(joining);
    joining.left = 0;
    EXPECT_FALSE(list.retire(gone));
    EXPECT_FALSE(list.retire(joining));
  }
  const int before = other.advanced;
  list.advance();
  EXPECT_EQ(other.advanced, before + 1);
  EXPECT_FALSE(list.retire(other));
  EXPECT_FALSE(list.has_work());
}

TEST_F(attachment_list_alone, a_forked_child_waits_for_no_thread_of_its_parent) {
  played_work work(1), other;
  std::atomic<bool> in_step = false, ends = false;
  work.in_step = [&] {
    in_step = true;
    while (!ends) std::this_thread::yield();
  };
  list.activate(work);
  std::thread advancing([&] { list.advance(); });
  while (!in_step) std::this_thread::yield();
  const pid_t child = ::fork();
  if (child == 0) {
    list.retire(other);
    ::_exit(0);
  }
  int status = -1;
  EXPECT_EQ(::waitpid(child, &status, 0), child);
  EXPECT_EQ(status, 0);
  ends = true;
  advancing.join();
}

TEST_F(attachment_list_alone, silent_waits_are_counted) {
  EXPECT_FALSE(list.waits_silently());
  list.begin_silent_wait();
  list.begin_silent_wait();
  list.end_silent_wait();
  EXPECT_TRUE(list.waits_silently());
  list.end_silent_wait();
  EXPECT_FALSE(list.waits_silently());
}

// Each thread makes the work busy again and again while both advance: no step may be lost.
TEST_F(attachment_list_alone, two_threads_advance_everything_that_becomes_busy) {
  constexpr int times = 20'000;
  played_work work;
  std::atomic<int> given = 0;
  const auto give_and_advance = [&] {
    for (int i = 0; i < times; ++i) {
      work.left.fetch_add(1);
      given.fetch_add(1);
      list.activate(work);
      list.advance();
    }
  };
  std::thread other(give_and_advance);
  give_and_advance();
  other.join();
  while (list.has_work()) list.advance();
  EXPECT_EQ(given.load(), 2 * times);
  EXPECT_EQ(work.left.load(), 0);
  EXPECT_EQ(work.advanced, 2 * times);
}

}  // namespace
}  // namespace atl
