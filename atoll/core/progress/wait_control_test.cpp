// SPDX-License-Identifier: BSD-3-Clause
//
// How a rank waits, alone: with a doorbell in ordinary memory, and networks that a test plays.
#include <atoll/core/progress/wait_control.hpp>

#include <gtest/gtest.h>

#include <sys/eventfd.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <thread>

namespace atl {
namespace {

class wait_control_alone : public testing::Test {
 protected:
  static void SetUpTestSuite() { doorbell::register_process(); }

  doorbell bell;
  attachment_list attachments;
  wait_control waiting{bell, attachments};
};

TEST_F(wait_control_alone, ranks_with_a_core_each_spin_and_others_do_not) {
  waiting.choose(wait_mode::automatic, {.ranks = 2, .cores = 2}, wait_control::rung_sleep_ns);
  EXPECT_FALSE(waiting.is_oversubscribed());
  EXPECT_GT(waiting.policy().spins, 0);
  waiting.choose(wait_mode::automatic, {.ranks = 3, .cores = 2}, wait_control::rung_sleep_ns);
  EXPECT_TRUE(waiting.is_oversubscribed());
  EXPECT_EQ(waiting.policy().spins, 0);
}

TEST_F(wait_control_alone, a_change_of_mode_keeps_the_conditions) {
  waiting.choose(wait_mode::automatic, {.ranks = 4, .cores = 2}, 1234);
  waiting.change(wait_mode::spin);
  EXPECT_EQ(waiting.policy().spins, wait_policy::endless);
  EXPECT_TRUE(waiting.is_oversubscribed());
  EXPECT_EQ(waiting.bell_sleep_ns(), 1234);
}

TEST_F(wait_control_alone, a_thread_that_sleeps_is_woken) {
  waiting.choose(wait_mode::sleep, {.ranks = 2, .cores = 1}, wait_control::rung_sleep_ns);
  std::atomic<bool> is_set = false;
  std::jthread waker([&] {
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
    is_set.store(true, std::memory_order_release);
    waiting.wake();
  });
  parker place = waiting.park();
  wait_until(waiting.policy(), place, [&] {
    return is_set.load(std::memory_order_acquire) ? poll_result::done : poll_result::idle;
  });
  EXPECT_TRUE(is_set.load());
}

/// A network that is nothing but a descriptor to wait at.
class descriptor_alone final : public transport::transport {
 public:
  std::string_view name() const noexcept override { return "alone"; }
  atl::transport::capabilities describe() const noexcept override {
    return {.wait_descriptor = has_descriptor ? arrived.get() : -1};
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
  std::size_t poll(bool) noexcept override { return 0; }
  atl::transport::sleep_terms before_sleep() noexcept override {
    ++asked;
    return {.allowed = allows};
  }

  void arrive() const {
    const std::uint64_t increment = 1;
    ASSERT_EQ(::write(arrived.get(), &increment, sizeof increment), 8);
  }

  descriptor arrived{::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)};
  bool has_descriptor = true;
  bool allows = true;
  int asked = 0;
};

constexpr std::int64_t day_ns = std::int64_t{86'400'000'000'000};

// Asleep for a day unless the network wakes.
TEST_F(wait_control_alone, any_of_several_networks_wakes_a_rank_that_sleeps) {
  for (const bool alone : {true, false}) {
    std::array<descriptor_alone, 3> networks;
    networks[1].has_descriptor = false;
    const std::array<transport::transport*, 3> listed{&networks[0], &networks[1], &networks[2]};
    waiting.watch(listed, alone, true);
    for (const std::size_t which : {0, 2}) {
      parker place = waiting.park();
      const doorbell::ticket ticket = place.prepare();
      networks[which].arrive();
      place.sleep(ticket, day_ns);
      EXPECT_TRUE(place.rang_since(ticket));
      std::uint64_t taken = 0;
      EXPECT_EQ(::read(networks[which].arrived.get(), &taken, sizeof taken), 8);
    }
    for (const descriptor_alone& each : networks) EXPECT_EQ(each.asked, 2);
    waiting.end_watch();
  }
}

TEST_F(wait_control_alone, a_network_that_has_something_to_do_keeps_the_rank_awake) {
  std::array<descriptor_alone, 2> networks;
  const std::array<transport::transport*, 2> listed{&networks[0], &networks[1]};
  waiting.watch(listed, true, false);
  networks[0].allows = false;
  parker place = waiting.park();
  const doorbell::ticket ticket = place.prepare();
  place.sleep(ticket, day_ns);
  EXPECT_TRUE(place.rang_since(ticket));
  EXPECT_EQ(networks[1].asked, 1) << "it sends what it has held back";
  waiting.end_watch();
}

}  // namespace
}  // namespace atl
