// SPDX-License-Identifier: BSD-3-Clause
//
// Tests that the libfabric transport keeps the promises of all transports, with every provider that
// works on one machine without hardware. A provider that this libfabric lacks is skipped, with a
// line.
#include <atoll/base/error.hpp>
#include <tests/conformance/ofi/network_suite.hpp>
#include <tests/conformance/transport_suite.hpp>

#include <netinet/in.h>
#include <sys/socket.h>

#include <chrono>
#include <regex>

namespace atl::transport {

struct net_backend : network_backend {
  net_backend() : network_backend("net", ATOLL_TEST_MODULES) {}
};
INSTANTIATE_TYPED_TEST_SUITE_P(ofi_net, transport_suite, net_backend);
INSTANTIATE_TYPED_TEST_SUITE_P(ofi_net, transport_queue_suite, net_backend);
INSTANTIATE_TYPED_TEST_SUITE_P(ofi_net, network_suite, net_backend);

struct rxm_backend : network_backend {
  rxm_backend() : network_backend("tcp;ofi_rxm", ATOLL_TEST_MODULES) {}
};
INSTANTIATE_TYPED_TEST_SUITE_P(ofi_rxm, transport_suite, rxm_backend);
INSTANTIATE_TYPED_TEST_SUITE_P(ofi_rxm, transport_queue_suite, rxm_backend);
INSTANTIATE_TYPED_TEST_SUITE_P(ofi_rxm, network_suite, rxm_backend);

struct rxd_backend : network_backend {
  rxd_backend() : network_backend("udp;ofi_rxd", ATOLL_TEST_MODULES) {}
};
INSTANTIATE_TYPED_TEST_SUITE_P(ofi_rxd, transport_suite, rxd_backend);
INSTANTIATE_TYPED_TEST_SUITE_P(ofi_rxd, transport_queue_suite, rxd_backend);
INSTANTIATE_TYPED_TEST_SUITE_P(ofi_rxd, network_suite, rxd_backend);

/// The smallest size for which the transport uses the provider's own transfers.
std::size_t transfer_min_of(const char* provider, const char* transfers) {
  network_backend backend(provider, ATOLL_TEST_MODULES);
  const std::string choice = std::string("ATOLL_OFI_TRANSFERS=") + transfers;
  const std::array<const char*, 3> names{backend.choice.c_str(), choice.c_str(), nullptr};
  backend.configuration = settings::read(names.data());
  std::vector<recording_receiver> receivers(2);
  const auto transports = backend.make(2, false, {&receivers[0], &receivers[1]});
  EXPECT_NE(transports[0]->describe().transfer_max, 0u);
  return transports[0]->describe().transfer_min;
}

TEST(ofi_net_transfers, small_ones_are_better_sent_as_messages_over_plain_streams_unless_told) {
  EXPECT_EQ(transfer_min_of("net", "auto"), 24576u);
  EXPECT_EQ(transfer_min_of("net", "native"), 0u);
  EXPECT_EQ(transfer_min_of("tcp;ofi_rxm", "auto"), 0u);
}

bool lends(const char* provider) {
  network_backend backend(provider, ATOLL_TEST_MODULES);
  std::vector<recording_receiver> receivers(2);
  return backend.make(2, false, {&receivers[0], &receivers[1]})[0]->describe().lends;
}

// A provider that sets packets aside when no receive is posted lets puts overtake them.
TEST(ofi_loans, are_made_only_where_no_put_overtakes_a_packet) {
  EXPECT_TRUE(lends("net"));
  EXPECT_FALSE(lends("tcp;ofi_rxm"));
  try {
    EXPECT_FALSE(lends("sockets"));
  } catch (const error& refused) {
    GTEST_SKIP() << refused.what();
  }
}

/// An IP address without a host and a port in place of what rank 0 was told of another.
auto hidden_from_rank_0(rank_id other) {
  return [other](rank_id self, std::vector<std::vector<std::byte>>& cards) {
    if (self != 0) return;
    sockaddr_in none{};
    none.sin_family = AF_INET;
    std::memcpy(cards[other].data() + cards[other].size() - sizeof none, &none, sizeof none);
  };
}

/// Whether the text names libfabric's reason, which depends on the provider, and the remedy.
bool tells_refusal(const std::string& said, const std::string& subject) {
  const std::regex wanted("fi_av_insert refuses " + subject +
                          ": [A-Z][a-z ]+; give all ranks the same ATOLL_OFI_PROVIDER and "
                          "ATOLL_OFI_INTERFACE");
  return std::regex_search(said, wanted);
}

// libfabric is told an address at the first contact, and refuses this one. Its rank is lost then,
// and no other.
TEST(ofi_first_contact, a_rank_whose_address_is_refused_is_lost) {
  for (const char* provider : {"net", "tcp;ofi_rxm", "udp;ofi_rxd"}) {
    for (const bool puts : {false, true}) {
      network_backend backend(provider, ATOLL_TEST_MODULES);
      backend.change_cards = hidden_from_rank_0(2);
      std::vector<recording_receiver> receivers(3);
      receivers[0].goes_on = true;
      const auto ranks = backend.make(3, false, {&receivers[0], &receivers[1], &receivers[2]});
      EXPECT_TRUE(receivers[0].lost_ranks.empty()) << "nothing was sent";
      std::vector<std::byte> source(100);
      const transfer request{
          .target = 2, .memory = backend.memory_of(2), .local = source.data(), .bytes = 100};
      if (puts) {
        EXPECT_EQ(ranks[0]->put(request), post::retry);
      } else {
        ranks[0]->send({.target = 2, .handler = 1});
      }
      EXPECT_EQ(receivers[0].lost_ranks, std::vector<rank_id>{2}) << provider;
      const std::string& cause = receivers[0].last_cause;
      EXPECT_TRUE(tells_refusal(cause, "its address")) << cause;
      EXPECT_EQ(ranks[0]->send({.target = 2, .handler = 1}), post::done) << "it is dropped";
      EXPECT_EQ(ranks[0]->put(request), post::retry);
      ASSERT_EQ(ranks[0]->send({.target = 1, .handler = 1}), post::done);
      for (int round = 0; round < 1'000'000 && receivers[1].seen.empty(); ++round)
        for (const auto& each : ranks) each->poll(false);
      EXPECT_EQ(receivers[1].seen.size(), 1u);
      EXPECT_EQ(receivers[0].lost_ranks.size(), 1u);
    }
  }
}

// Of another rank's address libfabric is told at the start, so that a wrong one ends it.
TEST(ofi_first_contact, one_address_that_is_refused_ends_the_start) {
  for (const char* provider : {"net", "tcp;ofi_rxm", "udp;ofi_rxd"}) {
    network_backend backend(provider, ATOLL_TEST_MODULES);
    backend.change_cards = hidden_from_rank_0(2);
    std::vector<recording_receiver> receivers(4);
    try {
      backend.make(4, false, {&receivers[0], &receivers[1], &receivers[2], &receivers[3]});
      FAIL() << provider;
    } catch (const error& refused) {
      EXPECT_TRUE(tells_refusal(refused.what(), "the address of rank 2")) << refused.what();
    }
  }
}

/// The ends of all IP connections of this process.
std::vector<int> streams() {
  std::vector<int> ends;
  for (int each = 0; each < 1024; ++each) {
    sockaddr_storage remote{};
    socklen_t bytes = sizeof remote;
    if (::getpeername(each, reinterpret_cast<sockaddr*>(&remote), &bytes) != 0) continue;
    if (remote.ss_family != AF_INET && remote.ss_family != AF_INET6) continue;
    ends.push_back(each);
  }
  return ends;
}

/// Breaks all IP connections of this process, and drops data that have arrived and were not read,
/// at both ends. Returns the number of ends.
std::size_t break_streams() {
  const std::vector<int> ends = streams();
  const sockaddr nobody{.sa_family = AF_UNSPEC, .sa_data = {}};
  for (const int each : ends) ::connect(each, &nobody, sizeof nobody);
  for (const int each : ends) ::shutdown(each, SHUT_RDWR);  // it becomes readable, as by a reset
  return ends.size();
}

// The kernel's own choice for these connections is some megabytes.
TEST(ofi_net_loans, the_kernel_takes_little_ahead_of_a_rank_of_this_machine) {
  constexpr int most = 2 * (256 << 10);  // as the kernel counts
  constexpr std::size_t bytes = 4 << 20;
  network_backend backend("net", ATOLL_TEST_MODULES);
  std::vector<recording_receiver> receivers(2);
  const auto ranks = backend.make(2, false, {&receivers[0], &receivers[1]});
  const auto poll_both = [&] { ranks[0]->poll(false), ranks[1]->poll(false); };
  const auto small_buffers = [&] {
    return std::ranges::count_if(streams(), [](int each) {
      int size = 0;
      socklen_t length = sizeof size;
      return ::getsockopt(each, SOL_SOCKET, SO_SNDBUF, &size, &length) == 0 && size <= most;
    });
  };
  std::vector<std::byte> to(bytes), source(bytes, std::byte{7});
  ASSERT_EQ(ranks[0]->send({.target = 1, .handler = 1}), post::done);
  while (receivers[1].seen.empty()) poll_both();
  EXPECT_EQ(streams().size(), 2u);
  if (small_buffers() != 0) GTEST_SKIP() << "the kernel's own choice is as small";
  const std::uint64_t key = ranks[1]->register_memory(to);
  const auto base = reinterpret_cast<std::uintptr_t>(to.data());
  std::atomic<int> pending = 0;
  for (int count = 0; count < 2; ++count) {
    EXPECT_EQ(small_buffers(), count) << "before the first put there is none";
    pending.fetch_add(1);
    const transfer request{.target = 1,
                           .memory = {.base = base, .key = key},
                           .local = source.data(),
                           .remote = base,
                           .bytes = bytes,
                           .context = &pending,
                           .keeps_source = true};
    while (ranks[0]->put(request) == post::retry) poll_both();
    while (pending.load() != 0) poll_both();
  }
  EXPECT_EQ(to, source);
}

// Rank 0 fills a loan of rank 1 and sees its puts complete, but the connection breaks before rank 1
// has read a byte. Rank 1 must find rank 0 lost, at the next message or without one, and the loan
// must never be reported: after a break before the only put, and before the second of two.
TEST(ofi_net_loans, a_put_that_a_broken_connection_has_swallowed_is_not_told_of) {
  for (const bool sends_more : {true, false}) {
    for (const std::size_t puts_read : {0, 1}) {
      if (!sends_more && puts_read == 1) continue;  // takes seconds
      network_backend backend("net", ATOLL_TEST_MODULES);
      std::vector<recording_receiver> receivers(2);
      for (recording_receiver& each : receivers) each.goes_on = true;
      const auto ranks = backend.make(2, false, {&receivers[0], &receivers[1]});
      const auto poll_both = [&] { ranks[0]->poll(false), ranks[1]->poll(false); };
      std::vector<std::byte> lent((puts_read + 1) * loan::put_bytes);
      std::vector<std::byte> source(loan::put_bytes, std::byte{7});
      int notified = 0;
      loan terms{.filled = [](void* count) noexcept { ++*static_cast<int*>(count); },
                 .context = &notified};
      ASSERT_TRUE(ranks[1]->lend(0, lent, terms));
      ASSERT_EQ(ranks[0]->send({.target = 1, .handler = 1}), post::done);
      while (receivers[1].seen.empty()) poll_both();  // they are connected
      std::atomic<int> pending = 0;
      const auto base = reinterpret_cast<std::uintptr_t>(lent.data());
      const auto put = [&](std::size_t i) {
        pending.fetch_add(1);
        const transfer request{.target = 1,
                               .memory = {.base = base, .key = terms.key},
                               .local = source.data(),
                               .remote = base + i * loan::put_bytes,
                               .bytes = loan::put_bytes / 8,  // the kernel takes it at once
                               .context = &pending,
                               .keeps_source = true,
                               .loan = terms.number};
        while (ranks[0]->put(request) == post::retry) poll_both();
      };
      for (std::size_t i = 0; i < puts_read; ++i) {
        put(i);
        while (lent[i * loan::put_bytes] != std::byte{7}) poll_both();
        for (int turn = 0; turn < 10; ++turn) poll_both();
      }
      put(puts_read);
      while (pending.load() != 0) ranks[0]->poll(false);
      ASSERT_EQ(break_streams(), 2u);
      if (sends_more) {
        while (ranks[0]->send({.target = 1, .handler = 2}) == post::retry) poll_both();
      }
      const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(20);
      while (receivers[1].lost_ranks.empty() && std::chrono::steady_clock::now() < end) poll_both();
      EXPECT_EQ(receivers[1].lost_ranks, std::vector<rank_id>{0});
      EXPECT_EQ(notified, 0);
      EXPECT_EQ(receivers[1].seen.size(), 1u);
    }
  }
}

}  // namespace atl::transport
