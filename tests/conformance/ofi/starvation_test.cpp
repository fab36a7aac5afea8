// SPDX-License-Identifier: BSD-3-Clause
//
// Tests that replies arrive whatever else is under way: more requests than the receive buffers
// hold, and more puts than their target takes. Rounds are counted, and no time is measured; the
// limit is far above the rounds that are needed.
#include <tests/conformance/ofi/network_suite.hpp>

namespace atl::transport {
namespace {

constexpr int rounds_max = 100'000;

/// The ranks of one job over one provider, driven by the test.
class network {
 public:
  network(rank_id ranks, const char* provider, const std::vector<const char*>& settings)
      : receivers(ranks), backend_(provider, ATOLL_TEST_MODULES, settings) {
    std::vector<receiver*> to;
    for (recording_receiver& each : receivers) to.push_back(&each);
    transports = backend_.make(ranks, false, to);
  }

  /// Calls `turn` until it returns true; returns false when it never does.
  template <class Turn>
  static bool comes_true(Turn turn) {
    for (int round = 0; round < rounds_max; ++round) {
      if (turn()) return true;
    }
    return false;
  }

  remote_memory memory_of(rank_id rank) const { return backend_.memory_of(rank); }

  std::vector<recording_receiver> receivers;

 private:
  network_backend backend_;

 public:
  std::vector<std::unique_ptr<transport>> transports;
};

// A rank waits for room for a reply, during which it may not handle requests, while all others send
// it as many requests as they may.
TEST(ofi_net_incast, replies_get_in_however_many_requests_wait) {
  constexpr rank_id ranks = 24;
  network job(ranks, "net", {"ATOLL_OFI_WINDOW=1024"});
  std::atomic<std::size_t> requests = 0, replies = 0;
  job.receivers[0].on_arrival = [&](const arrival& in) {
    (in.via == channel::reply ? replies : requests).fetch_add(1);
  };
  const std::vector<std::byte> payload(1500);
  std::size_t sent = 0;
  const auto send_all_that_is_allowed = [&] {
    bool may_send = false;
    for (rank_id rank = 1; rank < ranks; ++rank) {
      transport& from = *job.transports[rank];
      if (from.has_room(0, channel::request)) {
        may_send = true;
        sent += from.send({.target = 0,
                           .kind = category::medium,
                           .payload = payload.data(),
                           .bytes = payload.size()}) == post::done;
      }
      from.poll(false);
    }
    job.transports[0]->poll(true);
    return !may_send;
  };
  EXPECT_TRUE(network::comes_true(send_all_that_is_allowed)) << sent << " were sent";
  EXPECT_EQ(requests.load(), 0u);
  ASSERT_EQ(job.transports[1]->send({.target = 0, .via = channel::reply}), post::done);
  EXPECT_TRUE(network::comes_true([&] {
    job.transports[1]->poll(false);
    job.transports[0]->poll(true);
    return replies.load() == 1;
  })) << "a reply behind "
      << sent << " requests";
  EXPECT_TRUE(network::comes_true([&] {
    for (auto& each : job.transports) each->poll(false);
    return requests.load() == sent;
  })) << requests.load()
      << " of " << sent;
}

class swamped : public testing::TestWithParam<const char*> {};

// The target of the puts does not poll, so none of them completes.
TEST_P(swamped, by_puts_a_rank_still_answers_others) {
  network job(3, GetParam(), {"ATOLL_OFI_INJECT=0"});
  std::atomic<int> pending = 0;
  std::uint64_t number = 0;
  const auto put = [&] {
    pending.fetch_add(1);
    const post result = job.transports[0]->put({.target = 2,
                                                .memory = job.memory_of(2),
                                                .local = reinterpret_cast<std::byte*>(&number),
                                                .remote = job.memory_of(2).base,
                                                .bytes = sizeof number,
                                                .context = &pending,
                                                .keeps_source = true});
    if (result == post::retry) pending.fetch_sub(1);
    return result != post::retry;
  };
  const std::vector<std::byte> payload(1000);
  const message answer{.target = 1,
                       .via = channel::reply,
                       .kind = category::medium,
                       .payload = payload.data(),
                       .bytes = payload.size()};
  int refused = 0;
  job.receivers[0].on_arrival = [&](const arrival&) {
    refused += job.transports[0]->send(answer) != post::done;
  };
  const auto ask_and_wait = [&](std::size_t replies, bool all_poll) {
    EXPECT_EQ(job.transports[1]->send({.target = 0}), post::done);
    return network::comes_true([&] {
      for (rank_id rank = 0; rank < (all_poll ? 3u : 2u); ++rank) job.transports[rank]->poll(false);
      return job.receivers[1].seen.size() == replies;
    });
  };
  ASSERT_TRUE(network::comes_true([&] {
    for (auto& each : job.transports) each->poll(false);
    return put();
  })) << "no connection";
  ASSERT_TRUE(ask_and_wait(1, true));
  for (int tries = 0; tries < 3000; ++tries) {
    if (!put()) job.transports[0]->poll(false);
  }
  const int under_way = pending.load();
  EXPECT_GE(under_way, 512);
  for (std::size_t turn = 2; turn < 100; ++turn) {
    ASSERT_TRUE(ask_and_wait(turn, false)) << under_way << " puts are under way";
  }
  EXPECT_EQ(refused, 0);
  EXPECT_TRUE(network::comes_true([&] {
    for (auto& each : job.transports) each->poll(false);
    return pending.load() == 0;
  }));
}

INSTANTIATE_TEST_SUITE_P(providers, swamped, testing::Values("net", "tcp;ofi_rxm"),
                         [](const auto& tested) { return std::string(tested.param, 3); });

}  // namespace
}  // namespace atl::transport
