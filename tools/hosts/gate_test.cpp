// SPDX-License-Identifier: BSD-3-Clause
//
// Strangers at a gate, on this machine's loopback interface: what they may cost, and that they keep
// no daemon out. Time is what the test says it is.
#include <tools/hosts/gate.hpp>

#include <gtest/gtest.h>
#include <poll.h>
#include <sys/resource.h>
#include <sys/socket.h>

#include <fcntl.h>

namespace atl::tools {
namespace {

using namespace std::chrono_literals;

constexpr std::size_t challenge_bytes = 40;

class a_gate : public testing::Test {
 protected:
  a_gate()
      : gate_(loop_, key_, {*address::parse("127.0.0.1 0")},
              [this](std::shared_ptr<link> from) { arrived_.push_back(std::move(from)); }) {}

  descriptor connect(bool and_run = true) {
    descriptor made(socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
    const auto& at = gate_.addresses().front();
    EXPECT_EQ(::connect(made.get(), at.get(), at.length), 0);
    if (and_run) run();
    return made;
  }

  /// Until nothing has happened for a moment.
  void run() {
    pollfd nothing{};
    for (int turns = 0; turns < 4; ++turns) {
      loop_.wait(0);
      loop_.dispatch();
      poll(&nothing, 0, 1);
    }
  }

  /// Whether the gate has closed it; takes off what the gate has said before.
  static bool is_closed(const descriptor& at) {
    char said[256];
    for (;;) {
      const ssize_t got = recv(at.get(), said, sizeof said, MSG_DONTWAIT);
      if (got == 0 || (got < 0 && errno == ECONNRESET)) return true;
      if (got < 0) return false;
    }
  }

  event_loop loop_;
  secret key_ = random_secret();
  std::vector<std::shared_ptr<link>> arrived_;
  gate gate_;
};

TEST_F(a_gate, drops_who_takes_too_long_and_no_one_before) {
  const auto silent = connect();
  const auto slow = connect();
  EXPECT_EQ(send(slow.get(), "one", 3, 0), 3);
  run();
  gate_.tick(link::clock::now() + 9s);
  EXPECT_FALSE(is_closed(silent));
  EXPECT_EQ(send(slow.get(), "more", 4, 0), 4) << "the time of a handshake is not that of a byte";
  run();
  gate_.tick(link::clock::now() + 11s);
  EXPECT_TRUE(is_closed(silent));
  EXPECT_TRUE(is_closed(slow));
  EXPECT_TRUE(arrived_.empty());
}

TEST_F(a_gate, tells_a_stranger_a_challenge_and_no_more) {
  const auto stranger = connect();
  char said[256];
  EXPECT_EQ(recv(stranger.get(), said, sizeof said, MSG_DONTWAIT),
            static_cast<ssize_t>(challenge_bytes));
  const std::vector<char> answer(100, 7);
  EXPECT_EQ(send(stranger.get(), answer.data(), answer.size(), 0), 100);
  run();
  EXPECT_TRUE(is_closed(stranger));
  const auto half = connect();
  EXPECT_EQ(send(half.get(), answer.data(), 67, 0), 67);
  shutdown(half.get(), SHUT_WR);
  run();
  EXPECT_TRUE(is_closed(half));
  EXPECT_TRUE(arrived_.empty());
}

TEST_F(a_gate, holds_a_bounded_crowd_and_lets_a_daemon_in) {
  std::vector<descriptor> crowd;
  for (int i = 0; i < 140; ++i) crowd.push_back(connect(i % 20 == 19));
  EXPECT_TRUE(is_closed(crowd.front()));
  EXPECT_FALSE(is_closed(crowd.back()));
  const auto daemon = link::open(loop_, {.socket = connect(), .key = &key_, .node = 3}, {});
  for (int i = 0; i < 200 && arrived_.empty(); ++i) run();
  ASSERT_EQ(arrived_.size(), 1U);
  EXPECT_EQ(arrived_.front()->node(), 3U);
}

TEST_F(a_gate, goes_on_when_there_are_no_more_descriptors) {
  const auto waiting = connect();
  rlimit before{};
  getrlimit(RLIMIT_NOFILE, &before);
  const descriptor last(open("/dev/null", O_RDONLY | O_CLOEXEC));
  descriptor caller(socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
  const auto& at = gate_.addresses().front();
  rlimit none = before;
  none.rlim_cur = static_cast<rlim_t>(caller.get()) + 1;
  ASSERT_EQ(setrlimit(RLIMIT_NOFILE, &none), 0);
  EXPECT_EQ(::connect(caller.get(), at.get(), at.length), 0);
  run();
  setrlimit(RLIMIT_NOFILE, &before);
  EXPECT_TRUE(is_closed(waiting)) << "its descriptor is the new one's";
  EXPECT_FALSE(is_closed(caller));
}

}  // namespace
}  // namespace atl::tools
