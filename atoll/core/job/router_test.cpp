// SPDX-License-Identifier: BSD-3-Clause
//
// Routers of transports that a test has written, alone and in a runtime that was told to take them.
#include <atoll/core/job/router.hpp>

#include <atoll/base/error.hpp>
#include <atoll/core/job/core_access.hpp>
#include <atoll/core/job/runtime.hpp>
#include <atoll/core/rma/rma.hpp>
#include <atoll/transport/list.hpp>
#include <tests/support/memory_network.hpp>
#include <tests/support/thread_job.hpp>

#include <gtest/gtest.h>

#include <atomic>
#include <memory>
#include <string>
#include <thread>
#include <utility>
#include <vector>

namespace atl {
namespace {

/// Moves nothing; records what it is asked.
class played_transport : public transport::transport {
 public:
  explicit played_transport(std::size_t medium_max, std::size_t found = 0, std::string network = {})
      : medium_max_(medium_max), found_(found), network_(std::move(network)) {}

  std::string_view name() const noexcept override { return "played"; }
  atl::transport::capabilities describe() const noexcept override {
    return {.medium_max = medium_max_, .network = network_, .counts = &counts};
  }
  bool has_room(rank_id, atl::transport::channel) noexcept override { return true; }
  atl::transport::post send(const atl::transport::message&) noexcept override {
    return atl::transport::post::done;
  }
  atl::transport::staging prepare(atl::transport::channel, std::size_t) noexcept override {
    return {};
  }
  atl::transport::post commit(const atl::transport::staging&,
                              const atl::transport::message&) noexcept override {
    return atl::transport::post::done;
  }
  void cancel(const atl::transport::staging&) noexcept override {}
  std::size_t poll(bool replies_only) noexcept override {
    ++(replies_only ? reply_polls : polls);
    return found_;
  }
  void forget(rank_id lost) noexcept override { forgotten.push_back(lost); }
  std::vector<std::byte> publish() override { return std::vector<std::byte>(3, std::byte{1}); }
  void connect(std::span<const std::span<const std::byte>> cards) override {
    for (const auto& each : cards) connected.push_back(!each.empty());
  }

  int polls = 0;
  int reply_polls = 0;
  std::vector<rank_id> forgotten;
  std::vector<bool> connected;  // by rank
  atl::transport::network_counts counts;

 private:
  std::size_t medium_max_;
  std::size_t found_;
  std::string network_;
};

struct played_router {
  transport::opened opened;
  std::vector<played_transport*> played;

  played_transport* add(std::size_t medium_max, std::size_t found) {
    auto made = std::make_unique<played_transport>(medium_max, found);
    played.push_back(made.get());
    opened.transports.push_back(std::move(made));
    return played.back();
  }
};

TEST(router, each_rank_is_reached_by_its_transport_and_payloads_fit_all_of_them) {
  played_router made;
  played_transport* const self = made.add(100'000, 0);
  played_transport* const others = made.add(70'000, 2);
  played_transport* const far = made.add(80'000, 3);
  made.opened.routes = {others, self, far};
  made.opened.polled = {others, far};
  made.opened.networks = {far};
  router routes(std::move(made.opened));
  EXPECT_EQ(&routes.to(0), others);
  EXPECT_EQ(&routes.to(1), self);
  EXPECT_EQ(&routes.to(2), far);
  EXPECT_TRUE(routes.is_network(*far));
  EXPECT_FALSE(routes.is_network(*others));
  EXPECT_EQ(routes.medium_max(), 70'000u);
  EXPECT_EQ(routes.poll(false), 5u);
  EXPECT_EQ(routes.poll(true), 5u);
  EXPECT_EQ(self->polls + self->reply_polls, 0) << "it has nothing to poll";
  EXPECT_EQ(far->polls, 1);
  EXPECT_EQ(far->reply_polls, 1);
  routes.forget(2);
  for (const played_transport* each : made.played)
    EXPECT_EQ(each->forgotten, std::vector<rank_id>{2});
}

/// A rank of a job over networks, alone on its host: the name of each network, best first.
struct rank_of_networks {
  rank_id self;
  std::vector<played_transport*> networks;
  played_transport* own = nullptr;
  std::unique_ptr<router> routes;

  rank_of_networks(rank_id rank, rank_id ranks, const std::vector<std::string>& names)
      : self(rank) {
    transport::opened opened;
    auto to_self = std::make_unique<played_transport>(70'000);
    own = to_self.get();
    opened.transports.push_back(std::move(to_self));
    for (const std::string& each : names) {
      auto network = std::make_unique<played_transport>(70'000, 1, each);
      networks.push_back(network.get());
      opened.networks.push_back(network.get());
      opened.polled.push_back(network.get());
      opened.transports.push_back(std::move(network));
    }
    opened.routes.assign(ranks, opened.networks.front());
    opened.routes[rank] = own;
    routes = std::make_unique<router>(std::move(opened));
  }
};

void connect_all(std::vector<rank_of_networks>& job) {
  std::vector<std::vector<std::byte>> published;
  for (const rank_of_networks& each : job) published.push_back(each.routes->publish());
  const std::vector<std::span<const std::byte>> views(published.begin(), published.end());
  for (rank_of_networks& each : job)
    each.routes->connect(each.self, {.first = each.self, .count = 1}, views);
}

TEST(router, two_ranks_use_the_first_network_of_the_lower_one_that_both_have) {
  std::vector<rank_of_networks> job;
  job.emplace_back(0, 4, std::vector<std::string>{"a", "b"});
  job.emplace_back(1, 4, std::vector<std::string>{"b", "a"});
  job.emplace_back(2, 4, std::vector<std::string>{"b"});
  job.emplace_back(3, 4, std::vector<std::string>{"c", "a", "b"});
  connect_all(job);
  const auto way = [&](rank_id from, rank_id to) {
    return job[from].routes->to(to).describe().network;
  };
  EXPECT_EQ(way(0, 1), "a");
  EXPECT_EQ(way(1, 2), "b");
  EXPECT_EQ(way(1, 3), "b");
  EXPECT_EQ(way(0, 3), "a");
  EXPECT_EQ(way(0, 2), "b");
  for (rank_id from = 0; from < 4; ++from) {
    for (rank_id to = 0; to < 4; ++to) {
      if (from == to) continue;
      EXPECT_EQ(way(from, to), way(to, from)) << from << ' ' << to;
    }
    EXPECT_EQ(&job[from].routes->to(from), job[from].own);
  }
  EXPECT_EQ(job[0].routes->number_at(1), 1u);
  EXPECT_EQ(job[1].routes->number_at(0), 0u);
  EXPECT_EQ(job[0].routes->number_at(3), 1u);
  EXPECT_EQ(job[3].routes->number_at(0), 0u);
  EXPECT_EQ(job[2].routes->number_at(3), 2u);
  EXPECT_TRUE(job[1].routes->shares_first(2));
  EXPECT_TRUE(job[1].routes->shares_first(1));
  EXPECT_FALSE(job[1].routes->shares_first(0));
  EXPECT_FALSE(job[2].routes->shares_first(3));
}

TEST(router, a_network_is_connected_to_the_ranks_that_have_it_and_each_is_polled) {
  std::vector<rank_of_networks> job;
  job.emplace_back(0, 3, std::vector<std::string>{"a", "b"});
  job.emplace_back(1, 3, std::vector<std::string>{"a", "b"});
  job.emplace_back(2, 3, std::vector<std::string>{"b"});
  connect_all(job);
  EXPECT_EQ(job[0].networks[0]->connected, (std::vector<bool>{true, true, false}));
  EXPECT_EQ(job[0].networks[1]->connected, (std::vector<bool>{true, true, true}));
  EXPECT_EQ(job[0].routes->poll(false), 2u);
  EXPECT_EQ(job[0].networks[0]->polls, 1);
  EXPECT_EQ(job[0].networks[1]->polls, 1);
  job[0].routes->forget(2);
  EXPECT_EQ(job[0].networks[0]->forgotten, std::vector<rank_id>{2});
  EXPECT_EQ(job[0].networks[1]->forgotten, std::vector<rank_id>{2});
}

TEST(router, ranks_without_a_common_network_are_refused_with_the_names_of_what_they_have) {
  std::vector<rank_of_networks> job;
  job.emplace_back(0, 2, std::vector<std::string>{"a", "b"});
  job.emplace_back(1, 2, std::vector<std::string>{"c"});
  try {
    connect_all(job);
    FAIL() << "not refused";
  } catch (const error& refused) {
    EXPECT_NE(std::string(refused.what()).find("they have a, b and c"), std::string::npos)
        << refused.what();
  }
}

TEST(router, counts_of_networks_are_told_by_name) {
  std::vector<rank_of_networks> job;
  job.emplace_back(0, 1, std::vector<std::string>{"a", "b"});
  job[0].networks[1]->counts = {.messages = 12, .transfers = 3};
  const std::string table = job[0].routes->counts_table();
  EXPECT_NE(table.find("by a "), std::string::npos) << table;
  EXPECT_NE(table.find("12 messages          3 transfers"), std::string::npos) << table;
}

/// Another transport, of which two calls in three answer `retry`.
class hesitant final : public transport::transport {
 public:
  hesitant(atl::transport::transport& working, std::atomic<int>& refused)
      : working_(working), refused_(refused) {}

  std::string_view name() const noexcept override { return "hesitant"; }
  atl::transport::capabilities describe() const noexcept override { return working_.describe(); }
  bool has_room(rank_id target, atl::transport::channel via) noexcept override {
    return working_.has_room(target, via);
  }
  atl::transport::post send(const atl::transport::message& out) noexcept override {
    return refuses() ? atl::transport::post::retry : working_.send(out);
  }
  atl::transport::staging prepare(atl::transport::channel via,
                                  std::size_t bytes) noexcept override {
    return refuses() ? atl::transport::staging{} : working_.prepare(via, bytes);
  }
  atl::transport::post commit(const atl::transport::staging& buffer,
                              const atl::transport::message& out) noexcept override {
    return refuses() ? atl::transport::post::retry : working_.commit(buffer, out);
  }
  void cancel(const atl::transport::staging& buffer) noexcept override { working_.cancel(buffer); }
  std::size_t poll(bool) noexcept override { return 0; }  // the wrapped transport is polled itself

 private:
  bool refuses() noexcept {
    if (calls_.fetch_add(1, std::memory_order_relaxed) % 3 == 0) return false;
    refused_.fetch_add(1, std::memory_order_relaxed);
    return true;
  }

  atl::transport::transport& working_;
  std::atomic<int>& refused_;
  std::atomic<int> calls_ = 0;  // relaxed: a count
};

/// The transports of open_all(), with a hesitant transport before each.
transport::opened open_hesitant(const transport::transport_request& wanted,
                                std::atomic<int>& refused) {
  transport::opened opened = transport::open_all(wanted);
  for (auto& route : opened.routes) {
    opened.transports.push_back(std::make_unique<hesitant>(*route, refused));
    route = opened.transports.back().get();
  }
  return opened;
}

TEST(router, a_runtime_takes_the_transports_of_its_options_and_outlasts_their_refusals) {
  if (!foreign_variable("ATOLL_RANK").empty()) GTEST_SKIP() << "its ranks are threads";
  constexpr rank_id ranks = 3;
  std::atomic<int> refused = 0;
  std::atomic<int> arrived = 0;
  support::thread_rendezvous rendezvous(ranks);
  const auto run = [&](rank_id rank) {
    runtime job({.threads = thread_mode::any,
                 .configuration = support::settings_of({"ATOLL_RMA_PATH=am"}),
                 .boot = std::make_unique<support::thread_bootstrap>(rendezvous, rank),
                 .open_transports = [&](const transport::transport_request& wanted) {
                   return open_hesitant(wanted, refused);
                 }});
    endpoint& mail = job.primordial();
    const auto count = [](void* to, am_token&, const std::uint32_t*, unsigned, void*, std::size_t) {
      static_cast<std::atomic<int>*>(to)->fetch_add(1);
    };
    EXPECT_TRUE(mail.handlers().set(5, {.run = count, .context = &arrived}));
    job.world().barrier();
    for (int i = 0; i < 100; ++i) {
      for (rank_id target = 0; target < ranks; ++target)
        mail.request({.target = target, .handler = 5});
    }
    job.wait_until([&] { return arrived.load() == 100 * ranks * ranks; }, 1'000'000);
    job.world().barrier();
  };
  std::vector<std::jthread> threads;
  for (rank_id rank = 0; rank < ranks; ++rank) threads.emplace_back(run, rank);
  threads.clear();
  EXPECT_EQ(arrived.load(), 100 * static_cast<int>(ranks * ranks));
  EXPECT_GE(refused.load(), arrived.load());
}

// The limits of a transport are known from the start: a transfer makes no virtual call for them.
TEST(router, transfers_by_a_network_ask_no_transport_for_its_limits) {
  if (!foreign_variable("ATOLL_RANK").empty()) GTEST_SKIP() << "its ranks are threads";
  support::memory_network_state network(2);
  constexpr std::size_t words = 300'000;  // three pieces
  support::run_over_memory(network, [&](runtime& job) {
    endpoint& mail = job.primordial();
    const rank_id other = 1 - job.rank();
    auto* const part = reinterpret_cast<std::uint64_t*>(job.heaps().own_part().base);
    auto* const remote = reinterpret_cast<std::uint64_t*>(job.heaps().part(other).base);
    const std::vector<std::uint64_t> source(words, 7 + job.rank());
    std::vector<std::uint64_t> copy(words);
    job.world().barrier();
    const std::size_t asked = network.counted().descriptions;
    put(mail, other, remote, source.data(), 8);
    put(mail, other, remote + 1, source.data(), (words - 1) * 8);
    job.world().barrier();
    get(mail, copy.data(), other, remote, words * 8);
    EXPECT_EQ(copy, source);
    EXPECT_EQ(part[words - 1], 7u + other);
    EXPECT_EQ(core_access::description_of(job, other).network, "memory");
    EXPECT_EQ(core_access::description_of(job, job.rank()).network, "");
    job.world().barrier();
    EXPECT_EQ(network.counted().descriptions, asked);
  });
  EXPECT_EQ(network.counted().puts, 2u * 4);
  EXPECT_EQ(network.counted().gets, 2u * 3);
}

}  // namespace
}  // namespace atl
