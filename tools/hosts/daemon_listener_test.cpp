// SPDX-License-Identifier: BSD-3-Clause
//
// Tests strangers at a listener, on this machine's loopback interface: what they may cost, and that
// they keep no daemon out. The test passes the time to the listener.
#include <tools/hosts/daemon_listener.hpp>

#include <gtest/gtest.h>
#include <poll.h>
#include <sys/resource.h>
#include <sys/socket.h>

#include <fcntl.h>

namespace atl::tools {
namespace {

using namespace std::chrono_literals;

constexpr std::size_t challenge_bytes = 40;
constexpr std::size_t expected = 60;  // daemons

class a_daemon_listener : public testing::Test {
 protected:
  a_daemon_listener()
      : listener_(loop_, key_, {*inet_address::parse("127.0.0.1 0")}, expected,
                  [this](std::shared_ptr<link> from) { arrived_.push_back(std::move(from)); }) {}

  descriptor connect(bool and_run = true, const char* from = "127.0.0.1 0") {
    descriptor made(socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
    const auto& listening = listener_.addresses().front();
    const auto own = inet_address::parse(from);
    EXPECT_EQ(bind(made.get(), own->get(), own->length), 0);
    EXPECT_EQ(::connect(made.get(), listening.get(), listening.length), 0);
    if (and_run) run();
    return made;
  }

  /// Runs the loop until nothing has happened for a moment.
  void run() {
    pollfd nothing{};
    for (int turns = 0; turns < 4; ++turns) {
      loop_.wait(0);
      loop_.dispatch();
      poll(&nothing, 0, 1);
    }
  }

  /// Whether the listener has closed the connection; reads what the listener sent before.
  static bool is_closed(const descriptor& listening) {
    char received[256];
    for (;;) {
      const ssize_t got = recv(listening.get(), received, sizeof received, MSG_DONTWAIT);
      if (got == 0 || (got < 0 && errno == ECONNRESET)) return true;
      if (got < 0) return false;
    }
  }

  event_loop loop_;
  secret key_ = random_secret();
  std::vector<std::shared_ptr<link>> arrived_;
  daemon_listener listener_;
};

TEST_F(a_daemon_listener, drops_who_takes_too_long_and_no_one_before) {
  const auto before = link::clock::now();
  const auto silent = connect();
  const auto slow = connect();
  EXPECT_EQ(send(slow.get(), "one", 3, 0), 3);
  run();
  listener_.tick(before + 9s);
  EXPECT_FALSE(is_closed(silent));
  EXPECT_EQ(send(slow.get(), "more", 4, 0), 4) << "the time of a handshake is not that of a byte";
  run();
  listener_.tick(link::clock::now() + 11s);
  EXPECT_TRUE(is_closed(silent));
  EXPECT_TRUE(is_closed(slow));
  EXPECT_TRUE(arrived_.empty());
}

TEST_F(a_daemon_listener, tells_a_stranger_a_challenge_and_no_more) {
  const auto stranger = connect();
  char received[256];
  EXPECT_EQ(recv(stranger.get(), received, sizeof received, MSG_DONTWAIT),
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

TEST_F(a_daemon_listener, holds_a_bounded_crowd_and_lets_a_daemon_in) {
  std::vector<descriptor> crowd;
  for (int i = 0; i < 200; ++i) crowd.push_back(connect(i % 20 == 19));
  EXPECT_TRUE(is_closed(crowd.front()));
  EXPECT_FALSE(is_closed(crowd.back()));
  const auto daemon = link::open(loop_, {.socket = connect(), .key = &key_, .node = 3}, {});
  for (int i = 0; i < 200 && arrived_.empty(); ++i) run();
  ASSERT_EQ(arrived_.size(), 1U);
  EXPECT_EQ(arrived_.front()->node(), 3U);
}

TEST_F(a_daemon_listener, keeps_the_daemon_that_was_there_before_the_crowd) {
  auto slow = connect(true, "127.0.0.2 0");
  std::vector<descriptor> crowd;
  for (int i = 0; i < 400; ++i) crowd.push_back(connect(i % 20 == 19));
  const auto daemon = link::open(loop_, {.socket = std::move(slow), .key = &key_, .node = 5}, {});
  for (int i = 0; i < 200 && arrived_.empty(); ++i) run();
  ASSERT_EQ(arrived_.size(), 1U) << "strangers have displaced it";
  EXPECT_EQ(arrived_.front()->node(), 5U);
}

TEST_F(a_daemon_listener, has_room_for_all_daemons_and_a_crowd) {
  std::vector<descriptor> callers;
  for (std::size_t i = 0; i < expected + 128; ++i) callers.push_back(connect(i % 20 == 19));
  run();
  for (const auto& each : callers) EXPECT_FALSE(is_closed(each));
}

TEST_F(a_daemon_listener, waits_for_a_descriptor_and_keeps_who_may_be_the_daemon) {
  auto waiting = connect();
  rlimit previous{};
  getrlimit(RLIMIT_NOFILE, &previous);
  const descriptor last(open("/dev/null", O_RDONLY | O_CLOEXEC));
  descriptor caller(socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
  const auto& listening = listener_.addresses().front();
  rlimit exhausted = previous;
  exhausted.rlim_cur = static_cast<rlim_t>(caller.get()) + 1;
  ASSERT_EQ(setrlimit(RLIMIT_NOFILE, &exhausted), 0);
  EXPECT_EQ(::connect(caller.get(), listening.get(), listening.length), 0);
  run();
  const auto began = link::clock::now();
  loop_.wait(50);
  EXPECT_GE(link::clock::now() - began, 40ms) << "the same caller was reported again";
  EXPECT_FALSE(is_closed(waiting));
  listener_.tick(link::clock::now() + 11s);
  run();
  setrlimit(RLIMIT_NOFILE, &previous);
  EXPECT_TRUE(is_closed(waiting)) << "its time is over, and its descriptor is the new one's";
  const auto daemon = link::open(loop_, {.socket = std::move(caller), .key = &key_, .node = 2}, {});
  for (int i = 0; i < 200 && arrived_.empty(); ++i) run();
  EXPECT_EQ(arrived_.size(), 1U);
}

}  // namespace
}  // namespace atl::tools
