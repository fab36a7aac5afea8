// SPDX-License-Identifier: BSD-3-Clause
//
// Tests many threads on each of two ranks. Each thread reads a large answer in place in the
// sender's buffer, and sends a large call meanwhile. The readers of a rank hold the buffers of the
// other, and a rank has no more buffers than readers: if threads that wait for a buffer held them
// all, both ranks would deadlock, and the time limit would end the test.
#include <tests/multi/upcxx/job_main.hpp>
#include <upcxx/upcxx.hpp>

#include <atomic>
#include <cstddef>
#include <thread>
#include <vector>

namespace {

using words = std::vector<unsigned>;

constexpr int threads = 16;
constexpr std::size_t large = 12000;  // more than a small buffer takes, and less than a message

words make_words(unsigned value) { return words(large, value); }
words echo(const words& sent) { return sent; }
std::size_t sum(const words& sent) { return sent.size() * sent.front(); }

/// Counters that the threads of both ranks see of each other without a message.
struct counters {
  std::atomic<int> reading = 0;  // threads of the owner that have an answer and do not go on
};

void wait_for(const std::atomic<int>& counter, int value) {
  while (counter < value) std::this_thread::yield();
}

// First all threads of rank 0, one after the other, get an answer and keep it; no other thread of
// the rank polls, so each reads it in place. Then the threads of rank 1 do the same. Then all send.
TEST(readers, that_hold_all_buffers_of_both_ranks_get_some_to_go_on) {
  const int me = upcxx::rank_me();
  const int other = 1 - me;
  const auto shared = upcxx::new_<counters>();
  upcxx::dist_object<upcxx::global_ptr<counters>> places(shared);
  counters& local = *shared.local();
  const counters& remote = *places.fetch(other).wait().local();
  std::atomic<int> turn = -1;
  std::atomic<int> done = 0;
  const auto call = [&](int thread) {
    wait_for(turn, thread);
    const auto value = static_cast<unsigned>(thread + 1);
    const auto answered = upcxx::rpc(other, make_words, value).then([&](const words& answer) {
      ++local.reading;
      ++turn;
      wait_for(local.reading, threads);
      wait_for(remote.reading, threads);
      return upcxx::rpc(other, sum, answer);
    });
    EXPECT_EQ(answered.wait(), large * value);
    ++done;
  };
  std::vector<std::thread> at_work;
  for (int thread = 0; thread < threads; ++thread) at_work.emplace_back(call, thread);
  for (int first = 0; first < 2; ++first) {
    if (me == first) {
      turn = 0;
      wait_for(local.reading, threads);
    } else {
      while (remote.reading < threads) upcxx::progress();
    }
  }
  while (done != threads) upcxx::progress();
  for (std::thread& each : at_work) each.join();
  upcxx::barrier();
  upcxx::delete_(shared);
}

// The same in any order of events.
TEST(readers, of_all_threads_answer_large_calls_with_large_calls) {
  constexpr unsigned rounds = 60;
  const int other = 1 - upcxx::rank_me();
  std::atomic<int> done = 0;
  const auto call = [&](unsigned thread) {
    for (unsigned round = 0; round < rounds; ++round) {
      const words sent = make_words(thread * rounds + round);
      const auto answered = upcxx::rpc(other, echo, sent).then([other](const words& first) {
        return upcxx::when_all(upcxx::rpc(other, echo, first), upcxx::rpc(other, echo, first));
      });
      const auto [first, second] = answered.wait_tuple();
      EXPECT_TRUE(first == sent && second == sent);
    }
    ++done;
  };
  std::vector<std::thread> at_work;
  for (unsigned thread = 0; thread < threads; ++thread) at_work.emplace_back(call, thread);
  while (done != threads) upcxx::progress();
  for (std::thread& each : at_work) each.join();
  upcxx::barrier();
}

}  // namespace
