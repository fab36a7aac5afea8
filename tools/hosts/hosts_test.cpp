// SPDX-License-Identifier: BSD-3-Clause
//
// The parts of a launcher over several hosts that need neither hosts nor sockets: lists, words,
// seals and handshakes.
#include <tools/hosts/handshake.hpp>
#include <tools/hosts/host_list.hpp>
#include <tools/hosts/invitation.hpp>
#include <tools/hosts/protocol.hpp>
#include <tools/run/program.hpp>

#include <gtest/gtest.h>

#include <algorithm>

namespace atl::tools {
namespace {

std::string text_of(const std::vector<host_slots>& hosts) {
  std::string line;
  for (const auto& host : hosts) line += host.name + ":" + std::to_string(host.slots) + " ";
  return line;
}

template <class Call>
std::string refusal_of(Call call) {
  try {
    call();
  } catch (const launch_refusal& refused) {
    return refused.message;
  }
  return "";
}

TEST(host_list, slots_are_one_unless_given) {
  EXPECT_EQ(text_of(parse_hosts("a:2, b,c.d-e_f:16384")), "a:2 b:1 c.d-e_f:16384 ");
  EXPECT_EQ(text_of(parse_hostfile("# x\na slots=3\r\n  b:2 # y\n\nuser@c", "f")),
            "a:3 b:2 user@c:1 ");
}

TEST(host_list, what_makes_no_sense_is_refused) {
  for (const char* wrong : {"", "a,", "a:", "a:-1", "a:0", "a:2x", "a b", "a:1,a:1", "$(x)", "-l"})
    EXPECT_NE(refusal_of([&] { parse_hosts(wrong); }), "") << wrong;
  for (const char* wrong : {"", "# nothing", "a slots=", "a:2 slots=2", "a slot=2", "a\na"})
    EXPECT_NE(refusal_of([&] { parse_hostfile(wrong, "f"); }), "") << wrong;
}

TEST(host_list, hosts_are_filled_in_order) {
  const std::vector<host_slots> hosts{{"a", 2}, {"b", 3}, {"c", 1}};
  EXPECT_EQ(text_of(fill(hosts, 0)), "a:2 b:3 c:1 ");
  EXPECT_EQ(text_of(fill(hosts, 1)), "a:1 ");
  EXPECT_EQ(text_of(fill(hosts, 4)), "a:2 b:2 ");
  EXPECT_NE(refusal_of([&] { fill(hosts, 7); }), "");
}

TEST(invitation, text_and_back) {
  invitation sent{.node = 3, .key = random_secret(), .addresses = {}};
  sent.addresses = {*inet_address::parse("10.0.0.1 80"), *inet_address::parse("fd00::1 65535")};
  const auto got = invitation::parse(sent.text());
  ASSERT_TRUE(got);
  EXPECT_EQ(got->key, sent.key);
  EXPECT_EQ(got->addresses.at(1).text(), "fd00::1 65535");
  auto torn = sent.text();
  torn.resize(torn.size() - 2);
  EXPECT_FALSE(invitation::parse(torn));
}

TEST(seal, opens_in_order_and_nothing_else) {
  const auto key = random_secret();
  seal sending(key);
  seal receiving(key);
  const bytes plain(100, std::byte{7});
  const auto first = sending.close(plain);
  const auto second = sending.close(plain);
  EXPECT_FALSE(receiving.open(second)) << "left out";
  EXPECT_EQ(receiving.open(first), plain);
  EXPECT_FALSE(receiving.open(first)) << "repeated";
  auto changed = second;
  changed[50] ^= std::byte{1};
  EXPECT_FALSE(receiving.open(changed));
  EXPECT_EQ(receiving.open(second), plain);
  EXPECT_FALSE(receiving.open({}));
}

struct pair_of_ends {
  explicit pair_of_ends(const secret& of_called)
      : accepted(handshake::side::accepted, key), called(handshake::side::called, of_called, 5) {}

  /// Carries bytes between the two, one at a time, until neither sends any more.
  void shake() {
    bytes to_called = accepted.opening();
    bytes to_accepted = called.opening();
    while (!to_called.empty() || !to_accepted.empty()) {
      carry(to_called, called, called_state, to_accepted);
      carry(to_accepted, accepted, accepted_state, to_called);
    }
  }
  static void carry(bytes& from, handshake& to, handshake::state& state, bytes& answer) {
    if (from.empty()) return;
    auto byte = std::span<const std::byte>(from).first(1);
    state = to.take(byte, answer);
    from.erase(from.begin());
  }

  secret key = random_secret();
  handshake accepted;
  handshake called;
  handshake::state accepted_state{};
  handshake::state called_state{};
};

TEST(handshake, two_who_know_the_key_prove_it_and_can_talk) {
  const auto key = random_secret();
  handshake accepted(handshake::side::accepted, key);
  handshake called(handshake::side::called, key, 5);
  bytes to_accepted;
  bytes to_called;
  auto received = accepted.opening();
  std::span<const std::byte> left(received);
  EXPECT_EQ(called.take(left, to_accepted), handshake::state::going_on);
  left = to_accepted;
  EXPECT_EQ(accepted.take(left, to_called), handshake::state::proven);
  EXPECT_EQ(accepted.node(), 5u);
  left = to_called;
  EXPECT_EQ(called.take(left, to_accepted), handshake::state::proven);
  auto sender = called.sending();
  auto back = accepted.sending();
  const bytes text(3, std::byte{1});
  EXPECT_EQ(accepted.receiving().open(sender.close(text)), text);
  EXPECT_EQ(called.receiving().open(back.close(text)), text);
  EXPECT_FALSE(called.receiving().open(called.sending().close(text))) << "sent back";
}

TEST(handshake, another_key_is_refused) {
  pair_of_ends ends(random_secret());
  ends.shake();
  EXPECT_EQ(ends.accepted_state, handshake::state::refused);
  EXPECT_NE(ends.called_state, handshake::state::proven);
}

TEST(protocol, a_plan_comes_back_as_it_was) {
  protocol::plan job;
  job.hosts = {{"a", 0, 2}, {"b", 2, 1}};
  job.size = 3;
  job.radix = 2;
  job.command = {"prog", std::string(100000, 'x'), ""};
  job.wrap_ranks = {1, 2};
  const auto body = protocol::body_of(job);
  const auto got = protocol::decode<protocol::plan>(body);
  ASSERT_TRUE(got);
  EXPECT_EQ(protocol::body_of(*got), body);
  EXPECT_EQ(got->command, job.command);
  for (std::size_t cut = 0; cut < 60; ++cut)
    EXPECT_FALSE(protocol::decode<protocol::plan>(std::span(body).first(cut)));
  job.hosts[1].first = 1;
  EXPECT_FALSE(protocol::decode<protocol::plan>(protocol::body_of(job))) << "hosts overlap";
}

TEST(protocol, a_plan_has_as_many_hosts_as_ranks_can_be_told_of) {
  protocol::plan job;
  job.radix = 2;
  job.command = {"prog"};
  for (rank_id host = 0; host < hosts_max; ++host)
    job.hosts.push_back({.name = "h" + std::to_string(host), .first = host, .count = 1});
  job.size = hosts_max;
  EXPECT_TRUE(protocol::decode<protocol::plan>(protocol::body_of(job)));
  job.hosts.push_back({.name = "more", .first = hosts_max, .count = 1});
  ++job.size;
  EXPECT_FALSE(protocol::decode<protocol::plan>(protocol::body_of(job)));
}

TEST(host_list, more_hosts_than_a_job_can_have_are_refused) {
  std::string text;
  for (rank_id host = 0; host < hosts_max; ++host) text += "h" + std::to_string(host) + "\n";
  EXPECT_EQ(parse_hostfile(text, "f").size(), hosts_max);
  EXPECT_NE(refusal_of([&] {
              parse_hostfile(text + "more\n", "f");
            }).find("line 16385: host more is one too many: a job has at most 16384 hosts"),
            std::string::npos);
}

TEST(protocol, every_node_is_below_those_that_start_it) {
  EXPECT_TRUE(protocol::is_below(7, 0, 2));
  EXPECT_TRUE(protocol::is_below(7, 1, 2));
  EXPECT_TRUE(protocol::is_below(7, 3, 2));
  EXPECT_FALSE(protocol::is_below(7, 2, 2));
  EXPECT_FALSE(protocol::is_below(3, 7, 2));
}

}  // namespace
}  // namespace atl::tools
