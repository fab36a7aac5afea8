// SPDX-License-Identifier: BSD-3-Clause
//
// The end of a thread: what it owns goes in reverse order, and what is used later goes as well.
#include <atoll/base/threads/thread_end.hpp>

#include <gtest/gtest.h>

#include <thread>
#include <vector>

namespace atl {
namespace {

std::vector<int> ended;  // by one thread at a time

struct numbered {
  int number = 0;
  ~numbered() { ended.push_back(number); }
};

constinit thread_local numbered* first = nullptr;
constinit thread_local numbered* second = nullptr;

// Uses `first` again when it has ended.
struct late_user {
  ~late_user() { make_for_thread(first).number = 3; }
};
constinit thread_local late_user* late = nullptr;

TEST(thread_end, objects_end_with_their_thread_in_reverse_order) {
  ended.clear();
  std::thread([] {
    make_for_thread(first).number = 1;
    make_for_thread(second).number = 2;
  }).join();
  EXPECT_EQ(ended, (std::vector<int>{2, 1}));
}

TEST(thread_end, an_object_that_is_used_later_is_made_anew_and_ends_too) {
  ended.clear();
  std::thread([] {
    make_for_thread(late);
    make_for_thread(first).number = 1;
  }).join();
  EXPECT_EQ(ended, (std::vector<int>{1, 3}));
}

}  // namespace
}  // namespace atl
