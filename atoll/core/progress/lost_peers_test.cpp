// SPDX-License-Identifier: BSD-3-Clause
//
// Losses without a runtime: with a launcher that is played here, and transports that only count.
#include <atoll/core/progress/lost_peers.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <span>
#include <string>
#include <vector>

namespace {

using namespace atl;

/// A job of four in which ranks fail when the test says so.
class played_launcher final : public bootstrap::bootstrap {
 public:
  rank_id rank() const noexcept override { return 0; }
  rank_id size() const noexcept override { return 4; }
  atl::bootstrap::blob_table exchange(std::span<const std::byte>) override {
    return atl::bootstrap::blob_table::of_blobs({});
  }
  void fence() override {}
  descriptor host_memory() override { return {}; }
  [[noreturn]] void end_job(int, std::string_view) noexcept override { std::abort(); }
  bool outlive_failures() override { return was_asked = true; }
  bool has_failed(rank_id rank) const noexcept override { return failed[rank]; }
  rank_id failed_count() const noexcept override {
    return static_cast<rank_id>(std::ranges::count(failed, true));
  }
  void goodbye() noexcept override {}

  bool was_asked = false;
  std::array<bool, 4> failed{};
};

class lost_peers_alone : public testing::Test {
 protected:
  peer_lost_handler handler() {
    return {.run =
                [](void* context, rank_id peer, std::string_view cause) noexcept {
                  static_cast<lost_peers_alone*>(context)->reported.push_back(
                      std::to_string(peer) + ": " + std::string(cause));
                },
            .context = this};
  }

  played_launcher launcher;
  attachment_list attachments;
  std::vector<rank_id> forgotten;
  std::vector<std::string> reported;
  lost_peers losses{{.boot = launcher, .attachments = attachments, .forget = [this](rank_id peer) {
                       forgotten.push_back(peer);
                     }}};
};

TEST_F(lost_peers_alone, are_the_jobs_end_when_nobody_watches) {
  EXPECT_FALSE(losses.note(1, "the cable broke"));
  EXPECT_EQ(losses.count(), 0u);
  EXPECT_FALSE(attachments.has_work());
  EXPECT_FALSE(launcher.was_asked);
}

TEST_F(lost_peers_alone, are_settled_and_told_once) {
  losses.watch(handler());
  EXPECT_TRUE(launcher.was_asked);
  EXPECT_TRUE(losses.is_outlived());
  EXPECT_TRUE(losses.note(2, "the cable broke"));
  EXPECT_TRUE(losses.note(2, "and again"));
  EXPECT_TRUE(losses.is_lost(2));
  EXPECT_FALSE(losses.is_lost(1));
  EXPECT_FALSE(losses.tell());  // not before it is settled
  EXPECT_TRUE(attachments.advance());
  EXPECT_EQ(forgotten, std::vector<rank_id>{2});
  EXPECT_TRUE(losses.tell());
  EXPECT_FALSE(losses.settle());
  EXPECT_FALSE(losses.tell());
  EXPECT_EQ(reported, std::vector<std::string>{"2: the cable broke"});
}

TEST_F(lost_peers_alone, come_from_the_launcher_too) {
  losses.watch(handler());
  EXPECT_FALSE(losses.settle());
  launcher.failed = {false, true, false, true};
  EXPECT_TRUE(losses.settle());
  EXPECT_EQ(forgotten, (std::vector<rank_id>{1, 3}));
  EXPECT_TRUE(losses.tell());
  EXPECT_EQ(reported.size(), 2u);
  EXPECT_TRUE(losses.any([](rank_id rank) { return rank == 3; }));
  EXPECT_FALSE(losses.any([](rank_id rank) { return rank == 2; }));
}

TEST_F(lost_peers_alone, are_told_to_every_handler) {
  losses.watch(handler());
  losses.watch(handler());
  losses.note(1, "first");
  losses.settle();
  losses.tell();
  EXPECT_EQ(reported.size(), 2u);
}

TEST_F(lost_peers_alone, are_told_to_a_handler_that_comes_later) {
  losses.watch(handler());
  losses.note(1, "first");
  losses.settle();
  losses.tell();
  losses.watch(handler());
  EXPECT_EQ(reported.size(), 1u);
  EXPECT_TRUE(losses.tell());
  EXPECT_EQ(reported, (std::vector<std::string>{"1: first", "1: first"}));
  EXPECT_FALSE(losses.tell());
  losses.note(2, "second");
  losses.settle();
  EXPECT_TRUE(losses.tell());
  EXPECT_EQ(reported.size(), 4u);
}

}  // namespace
