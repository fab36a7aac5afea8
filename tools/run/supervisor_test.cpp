// SPDX-License-Identifier: BSD-3-Clause
//
// Tests the supervisor's decisions, on a port without processes or hosts: a list of events stands
// for what the ranks do, and the port writes down the orders. Each turn of the loop has one event.
#include <atoll/bootstrap/blob_table.hpp>
#include <tools/run/supervisor.hpp>

#include <gtest/gtest.h>

#include <sys/socket.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <csignal>
#include <functional>
#include <thread>
#include <utility>

namespace atl::tools {
namespace {

using namespace std::chrono_literals;
using kind = rank_event::kind;
using bootstrap::rank_fate;
using collective = rendezvous::collective;

class story_port final : public rank_port {
 public:
  using step = std::function<void()>;

  explicit story_port(std::vector<step> steps) : steps_(std::move(steps)) {}

  void start() override {}
  void tick(clock::time_point) override {
    if (next_ < steps_.size()) steps_[next_++]();
  }
  clock::time_point next_deadline() const override { return clock::now(); }
  bool is_done() const override { return next_ == steps_.size(); }
  void pass(const bootstrap::wire::bytes& answer) override { passed.push_back(answer); }
  void note_fate(rank_id rank, rank_fate fate) override { notices.emplace_back(rank, fate); }
  void signal(const signal_order& order) override { signals.push_back(order.signal); }
  void end(std::chrono::milliseconds) override { ++ends; }
  void report() override {}
  std::string name_of(rank_id rank) const override { return "rank " + std::to_string(rank); }

  std::vector<bootstrap::wire::bytes> passed;
  std::vector<std::pair<rank_id, rank_fate>> notices;
  std::vector<int> signals;
  int ends = 0;

 private:
  std::vector<step> steps_;
  std::size_t next_ = 0;
};

class a_supervisor : public testing::Test {
 protected:
  static constexpr rank_id ranks = 3;

  a_supervisor() {
    int ends[2];
    EXPECT_EQ(socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends), 0);
    control_ = descriptor(ends[0]);
    foreground_ = descriptor(ends[1]);
    decides_ = std::make_unique<supervisor>(supervisor::parts{.loop = loop_,
                                                              .output = output_,
                                                              .options = options_,
                                                              .size = ranks,
                                                              .control = control_.get()});
  }

  void send_event(kind type, rank_id rank, std::uint32_t number = 0,
                  bootstrap::wire::bytes blob = {}) {
    decides_->happened({.type = type,
                        .rank = rank,
                        .number = number,
                        .version = type == kind::joined ? "1" : "",
                        .blob = std::move(blob)});
  }
  void send_event_of_all(kind type, std::uint32_t number = 0) {
    for (rank_id rank = 0; rank < ranks; ++rank) send_event(type, rank, number);
  }
  void enter(rank_id rank, collective which) {
    send_event(kind::entered, rank, static_cast<std::uint32_t>(which),
               {std::byte{static_cast<unsigned char>(rank)}});
  }

  launch_outcome run(story_port& port) { return decides_->run(port); }

  event_loop loop_;
  run_options options_;
  job_output output_{loop_, ranks};
  descriptor control_;
  descriptor foreground_;
  std::unique_ptr<supervisor> decides_;
};

TEST_F(a_supervisor, answers_a_collective_when_all_have_entered) {
  story_port* made = nullptr;
  story_port port({[&] { send_event_of_all(kind::joined, 1); },
                   [&] { enter(2, collective::exchange); }, [&] { enter(0, collective::exchange); },
                   [&] { EXPECT_TRUE(made->passed.empty()); },
                   [&] { enter(1, collective::exchange); }, [&] { send_event_of_all(kind::left); },
                   [&] { send_event_of_all(kind::ended); }});
  made = &port;
  EXPECT_EQ(run(port).code, 0);
  ASSERT_EQ(port.passed.size(), 1u);
  const auto body = std::span(port.passed[0]).subspan(bootstrap::wire::header_bytes);
  const auto blobs = bootstrap::blob_table::of_block(body, ranks);
  ASSERT_TRUE(blobs);
  for (rank_id rank = 0; rank < ranks; ++rank)
    EXPECT_TRUE(std::ranges::equal(blobs->at(rank), std::array{static_cast<std::byte>(rank)}));
  EXPECT_EQ(port.ends, 0);
}

TEST_F(a_supervisor, hears_only_the_first_failure) {
  story_port port({[&] { decides_->failed({.code = 7, .reason = "a first reason"}); },
                   [&] { decides_->failed({.code = 8, .reason = "a second reason"}); },
                   [&] { send_event_of_all(kind::ended); }});
  EXPECT_EQ(run(port).code, 7);
  EXPECT_EQ(port.ends, 1);
}

TEST_F(a_supervisor, lets_others_speak_for_a_moment_when_they_may) {
  story_port port(
      {[&] { decides_->failed({.code = 2, .others_speak = true, .reason = "a reason"}); },
       [&] { send_event_of_all(kind::ended); }});
  EXPECT_EQ(run(port).code, 2);
  EXPECT_EQ(port.ends, 0);  // all have ended by themselves
}

TEST_F(a_supervisor, ends_nobody_for_a_code_after_an_orderly_end_and_returns_the_first) {
  story_port port({[&] { send_event_of_all(kind::joined, 1); }, [&] { send_event(kind::left, 1); },
                   [&] { send_event(kind::ended, 1, 4); }, [&] { send_event(kind::stopped, 0, 6); },
                   [&] { send_event(kind::left, 2); }, [&] { enter(0, collective::stop); },
                   [&] { send_event(kind::ended, 2, 0); }, [&] { send_event(kind::left, 0); },
                   [&] { send_event(kind::ended, 0, 6); }});
  EXPECT_EQ(run(port).code, 4);
  EXPECT_EQ(port.ends, 0);
  EXPECT_EQ(port.passed.size(), 1u);
  const std::vector<std::pair<rank_id, rank_fate>> notices{{0, rank_fate::stopped}};
  EXPECT_EQ(port.notices, notices);
}

TEST_F(a_supervisor, tells_that_a_stopped_rank_has_joined_again) {
  story_port port({[&] { send_event_of_all(kind::joined, 1); },
                   [&] {
                     for (rank_id rank = 0; rank < ranks; ++rank) {
                       send_event(kind::stopped, rank);
                       enter(rank, collective::stop);
                     }
                   },
                   [&] { send_event_of_all(kind::left); },
                   [&] { send_event(kind::joined, 1, 1); }});
  EXPECT_EQ(run(port).code, 0);
  ASSERT_EQ(port.notices.size(), ranks + 1u);
  EXPECT_EQ(port.notices.back(), std::make_pair(rank_id{1}, rank_fate::runs));
}

TEST_F(a_supervisor, goes_on_without_a_rank_that_all_others_outlive) {
  story_port port({[&] { send_event_of_all(kind::joined, 1); },
                   [&] { send_event_of_all(kind::outlives); }, [&] { enter(0, collective::fence); },
                   [&] {
                     decides_->failed({.code = 1, .reason = "it fell", .rank = 1, .rank_code = 9});
                     send_event(kind::ended, 1);
                   },
                   [&] { enter(2, collective::stop); }, [&] { send_event(kind::left, 0); },
                   [&] { enter(2, collective::stop); }, [&] { send_event(kind::left, 2); },
                   [&] { send_event_of_all(kind::ended); }});
  EXPECT_EQ(run(port).code, 9);
  EXPECT_EQ(port.ends, 0);
  EXPECT_EQ(port.passed.size(), 2u);
  const std::vector<std::pair<rank_id, rank_fate>> notices{{1, rank_fate::failed}};
  EXPECT_EQ(port.notices, notices);
}

TEST_F(a_supervisor, ends_the_job_when_one_rank_does_not_outlive_another) {
  story_port port(
      {[&] { send_event_of_all(kind::joined, 1); }, [&] { send_event(kind::outlives, 0); },
       [&] { decides_->failed({.code = 7, .reason = "it fell", .rank = 1, .rank_code = 9}); },
       [&] { send_event_of_all(kind::ended); }});
  EXPECT_EQ(run(port).code, 7);
  EXPECT_EQ(port.ends, 1);
  EXPECT_TRUE(port.notices.empty());
}

TEST_F(a_supervisor, lets_ranks_say_after_a_failure_that_they_go_on) {
  story_port port(
      {[&] { send_event_of_all(kind::joined, 1); }, [&] { send_event(kind::outlives, 0); },
       [&] {
         decides_->failed({.code = 137, .reason = "it fell", .rank = 1, .rank_code = 137});
         send_event(kind::ended, 1);
       },
       [&] { send_event(kind::outlives, 2); }, [&] { send_event(kind::left, 0); },
       [&] { send_event(kind::left, 2); }, [&] { send_event_of_all(kind::ended); }});
  EXPECT_EQ(run(port).code, 137);
  EXPECT_EQ(port.ends, 0);
  const std::vector<std::pair<rank_id, rank_fate>> notices{{1, rank_fate::failed}};
  EXPECT_EQ(port.notices, notices);
}

TEST_F(a_supervisor, ends_the_job_when_ranks_do_not_say_in_time_that_they_go_on) {
  const auto began = std::chrono::steady_clock::now();
  std::vector<story_port::step> steps{
      [&] { send_event_of_all(kind::joined, 1); }, [&] { send_event(kind::outlives, 0); },
      [&] { send_event(kind::outlives, 1); },
      [&] { decides_->failed({.code = 7, .reason = "it fell", .rank = 1, .rank_code = 9}); }};
  story_port* made = nullptr;
  const story_port::step wait = [&] {
    EXPECT_TRUE(made->ends == 0 || std::chrono::steady_clock::now() - began > 2s);
    std::this_thread::sleep_for(made->ends == 0 ? 100ms : 0ms);
  };
  steps.insert(steps.end(), 40, wait);
  steps.emplace_back([&] { send_event_of_all(kind::ended); });
  story_port port(std::move(steps));
  made = &port;
  EXPECT_EQ(run(port).code, 7);
  EXPECT_EQ(port.ends, 1);
  EXPECT_TRUE(port.notices.empty());
}

TEST_F(a_supervisor, ends_the_job_with_a_rank_that_depends_on_the_others_again) {
  story_port port(
      {[&] { send_event_of_all(kind::joined, 1); }, [&] { send_event_of_all(kind::outlives); },
       [&] { send_event(kind::depends, 1); },
       [&] { decides_->failed({.code = 7, .reason = "it fell", .rank = 1, .rank_code = 7}); },
       [&] { send_event_of_all(kind::ended); }});
  EXPECT_EQ(run(port).code, 7);
  EXPECT_EQ(port.ends, 1);
  EXPECT_TRUE(port.notices.empty());
}

TEST_F(a_supervisor, ends_a_job_in_which_a_rank_waits_in_vain) {
  story_port port({[&] { send_event_of_all(kind::joined, 1); }, [&] { send_event(kind::left, 0); },
                   [&] { enter(1, collective::fence); }});
  EXPECT_EQ(run(port).code, 1);
  EXPECT_EQ(port.ends, 1);
}

TEST_F(a_supervisor, ends_in_order_when_all_ranks_have_asked_for_it) {
  story_port port(
      {[&] { send_event_of_all(kind::joined, 1); }, [&] { send_event(kind::asked_to_end, 0); },
       [&] { send_event(kind::asked_to_end, 1); }, [&] { send_event(kind::ended, 2); }});
  EXPECT_EQ(run(port).code, 0);
  EXPECT_EQ(port.ends, 1);
}

TEST_F(a_supervisor, passes_a_signal_on_once_and_ends_the_job_at_the_second) {
  const auto interrupt = [&] {
    const signal_order order{.signal = SIGINT};
    EXPECT_EQ(send(foreground_.get(), &order, sizeof order, 0), static_cast<ssize_t>(sizeof order));
  };
  story_port port({interrupt, [] {}, interrupt, [] {}, [&] { send_event_of_all(kind::ended); }});
  const auto end = run(port);
  EXPECT_EQ(end.code, 130);
  EXPECT_EQ(end.signal, SIGINT);
  EXPECT_EQ(port.signals, std::vector<int>{SIGINT});
  EXPECT_EQ(port.ends, 1);
}

}  // namespace
}  // namespace atl::tools
