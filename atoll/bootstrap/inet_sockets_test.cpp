// SPDX-License-Identifier: BSD-3-Clause
//
// Addresses as text, sockets between two ends of this process, and interfaces that are down.
#include <atoll/base/error.hpp>
#include <atoll/bootstrap/inet_sockets.hpp>
#include <atoll/bootstrap/rank_sockets.hpp>

#include <gtest/gtest.h>

#include <sched.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <string>

namespace atl::bootstrap {
namespace {

using namespace std::chrono_literals;

TEST(inet_sockets, an_address_is_what_its_text_says) {
  for (const char* const text : {"10.1.0.5 4711", "0.0.0.0 0", "fd00::1 65535", "::1 80"}) {
    const auto address = inet_address::parse(text);
    ASSERT_TRUE(address) << text;
    EXPECT_EQ(address->text(), text);
  }
  EXPECT_EQ(inet_address::parse("10.1.0.5 4711")->port(), 4711);
  EXPECT_EQ(inet_address::parse("10.1.0.5 4711")->bytes().size(), 4U);
  EXPECT_EQ(inet_address::parse("fd00::1 1")->digits(), "fd00::1");
}

TEST(inet_sockets, other_texts_are_no_addresses) {
  for (const char* const text : {"", "10.1.0.5", "10.1.0.5 ", "10.1.0.5 65536", "10.1.0 80",
                                 "host 80", "10.1.0.5 80 ", "10.1.0.5:80"})
    EXPECT_FALSE(inet_address::parse(text)) << text;
}

TEST(inet_sockets, link_local_addresses_are_known_and_left_out) {
  EXPECT_TRUE(inet_address::parse("fe80::1 0")->is_link_local());
  EXPECT_TRUE(inet_address::parse("febf::1 0")->is_link_local());
  EXPECT_FALSE(inet_address::parse("fec0::1 0")->is_link_local());
  EXPECT_FALSE(inet_address::parse("10.1.0.5 0")->is_link_local());
  for (const interface_address& each : own_addresses()) {
    EXPECT_FALSE(each.address.is_link_local()) << each.address.text();
    EXPECT_EQ(each.address.port(), 0);
    EXPECT_TRUE(each.is_loopback || each.interface != "lo") << each.interface;
  }
}

TEST(inet_sockets, one_end_connects_to_where_the_other_listens) {
  auto address = *inet_address::parse("127.0.0.1 0");
  const descriptor listener = listen_at(address, 1);
  ASSERT_TRUE(listener);
  EXPECT_NE(address.port(), 0);
  int failed = -1;
  const descriptor caller = connect_in_time(address.get(), address.length, 5s, failed);
  EXPECT_TRUE(caller);
  EXPECT_EQ(failed, 0);
}

TEST(inet_sockets, a_socket_of_both_protocols_takes_ipv4) {
  auto both = inet_address::any(AF_INET6);
  const descriptor listener = listen_at(both, 1, true);
  if (!listener) GTEST_SKIP() << "skipped: both protocols: this machine has no IPv6";
  auto four = *inet_address::parse("127.0.0.1 0");
  four.set_port(both.port());
  int failed = -1;
  EXPECT_TRUE(connect_in_time(four.get(), four.length, 5s, failed)) << failed;
}

TEST(inet_sockets, a_refused_connection_says_so) {
  // The socket has a port, so that no other does, but does not listen.
  auto address = *inet_address::parse("127.0.0.1 0");
  const descriptor owner(socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
  ASSERT_EQ(bind(owner.get(), address.get(), address.length), 0);
  ASSERT_EQ(getsockname(owner.get(), address.get(), &address.length), 0);
  int failed = 0;
  EXPECT_FALSE(connect_in_time(address.get(), address.length, 5s, failed));
  EXPECT_EQ(failed, ECONNREFUSED);
}

// A new network namespace has one interface, lo, which is down.
TEST(inet_sockets, an_interface_that_is_down_is_none) {
  constexpr int is_right = 0, has_addresses = 1, has_other_text = 2, cannot_try = 3;
  const pid_t child = fork();
  ASSERT_GE(child, 0);
  if (child == 0) {
    if (unshare(CLONE_NEWUSER | CLONE_NEWNET) != 0) _exit(cannot_try);
    if (errno = 0; !own_addresses().empty() || errno != ENETDOWN) _exit(has_addresses);
    try {
      addresses_of("lo");
    } catch (const error& refused) {
      _exit(refused.cause().find("Network is down") != std::string::npos ? is_right
                                                                         : has_other_text);
    }
    _exit(has_addresses);
  }
  int status = 0;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  ASSERT_TRUE(WIFEXITED(status));
  if (WEXITSTATUS(status) == cannot_try)
    GTEST_SKIP() << "skipped: interfaces that are down: no new network namespace here";
  EXPECT_EQ(WEXITSTATUS(status), is_right);
}

}  // namespace
}  // namespace atl::bootstrap
