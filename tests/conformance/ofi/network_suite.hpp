// SPDX-License-Identifier: BSD-3-Clause
//
// Tests the promises of a network beyond those of every transport: native transfers of any size
// change the bytes that they name and no others, and report when they are complete.
// `network_backend` makes the ranks of a job in one process: each has its own endpoint, and the
// backend passes the addresses between ranks.
#pragma once

#include <atoll/transport/transport_module.hpp>
#include <tests/conformance/transport_suite.hpp>

#include <algorithm>
#include <functional>
#include <string>
#include <vector>

namespace atl::transport {

/// Opens the network module with one provider.
struct network_backend {
  static constexpr std::array<rank_id, 3> ranks{2, 3, 4};
  static constexpr std::size_t segment_bytes = 1 << 20;

  network_backend(const char* provider, const char* modules,
                  const std::vector<const char*>& more = {})
      : choice(std::string("ATOLL_OFI_PROVIDER=") + provider), folder(modules) {
    std::vector<const char*> names{choice.c_str(), "ATOLL_OFI_TRANSFERS=native"};
    names.insert(names.end(), more.begin(), more.end());
    names.push_back(nullptr);
    configuration = settings::read(names.data());
  }

  std::vector<std::unique_ptr<transport>> make(rank_id size, bool threaded,
                                               const std::vector<receiver*>& to) {
    const transport_module& plug = load_module("ofi", folder);
    segments.assign(size, std::vector<std::byte>(segment_bytes));
    keys.assign(size, no_memory_key);
    std::vector<std::unique_ptr<transport>> transports;
    std::vector<std::vector<std::byte>> cards;
    for (rank_id rank = 0; rank < size; ++rank) {
      auto networks = plug.open({.self = rank,
                                 .ranks = size,
                                 .threaded = threaded,
                                 .one_machine = true,
                                 .to = *to[rank],
                                 .configuration = configuration});
      transports.push_back(std::move(networks.front()));
      keys[rank] = transports.back()->register_memory(segments[rank]);
      cards.push_back(transports.back()->publish());
    }
    for (rank_id rank = 0; rank < size; ++rank) {
      std::vector<std::vector<std::byte>> received = cards;
      if (change_cards) change_cards(rank, received);
      const std::vector<std::span<const std::byte>> views(received.begin(), received.end());
      transports[rank]->connect(views);
    }
    return transports;
  }

  /// The memory of a rank as other ranks address it in a transfer.
  remote_memory memory_of(rank_id rank) const {
    return {.base = reinterpret_cast<std::uintptr_t>(segments[rank].data()), .key = keys[rank]};
  }

  std::string choice;
  std::string folder;  // of the modules
  std::function<void(rank_id, std::vector<std::vector<std::byte>>&)>
      change_cards;  // that a rank has received, before it connects
  settings configuration = settings::read(nullptr);
  std::vector<std::vector<std::byte>> segments;
  std::vector<std::uint64_t> keys;
};

template <class Backend>
class network_suite : public transport_suite<Backend> {
 protected:
  void transfer_all(bool is_put, transfer request) {
    std::atomic<int> pending = 1;
    request.context = &pending;
    transport& source = *this->transports[0];
    post result;
    while ((result = is_put ? source.put(request) : source.get(request)) == post::retry)
      this->poll_all();
    if (result == post::done) return;
    while (pending.load() != 0) this->poll_all();
  }
};

TYPED_TEST_SUITE_P(network_suite);

TYPED_TEST_P(network_suite, puts_and_gets_touch_what_they_name) {
  for (const rank_id ranks : TypeParam::ranks) {
    this->open(ranks);
    ASSERT_NE(this->transports[0]->describe().transfer_max, 0u);
    auto& remote = this->backend.segments[this->target()];
    const auto base = reinterpret_cast<std::uintptr_t>(remote.data());
    unsigned seed = 1;
    for (const std::size_t bytes : {1, 7, 8, 128, 129, 4096, 65536, 300'001}) {
      for (const bool keeps : {true, false}) {
        if (!keeps && bytes > this->transports[0]->describe().medium_max) continue;
        std::vector<std::byte> sent(bytes);
        for (std::size_t i = 0; i < bytes; ++i) sent[i] = static_cast<std::byte>(i * 7 + seed);
        ++seed;
        std::fill(remote.begin(), remote.end(), std::byte{0x11});
        this->transfer_all(true, {.target = this->target(),
                                  .memory = this->backend.memory_of(this->target()),
                                  .local = sent.data(),
                                  .remote = base + 4093,
                                  .bytes = bytes,
                                  .keeps_source = keeps});
        EXPECT_EQ(std::memcmp(remote.data() + 4093, sent.data(), bytes), 0);
        EXPECT_EQ(remote[4092], std::byte{0x11});
        EXPECT_EQ(remote[4093 + bytes], std::byte{0x11});
        std::vector<std::byte> got(bytes + 1, std::byte{0x22});
        this->transfer_all(false, {.target = this->target(),
                                   .memory = this->backend.memory_of(this->target()),
                                   .local = got.data(),
                                   .remote = base + 4093,
                                   .bytes = bytes});
        EXPECT_EQ(std::memcmp(got.data(), sent.data(), bytes), 0);
        EXPECT_EQ(got[bytes], std::byte{0x22});
      }
    }
  }
}

TYPED_TEST_P(network_suite, many_transfers_are_under_way_at_once) {
  this->open(2);
  const auto base = reinterpret_cast<std::uintptr_t>(this->backend.segments[1].data());
  constexpr std::size_t count = 2000;
  std::atomic<int> pending = count;
  for (std::uint64_t i = 0; i < count; ++i) {
    transfer request{.target = 1,
                     .memory = this->backend.memory_of(1),
                     .local = reinterpret_cast<std::byte*>(&i),
                     .remote = base + 8 * i,
                     .bytes = sizeof i,
                     .context = &pending};
    while (this->transports[0]->put(request) == post::retry) this->poll_all();
  }
  while (pending.load() != 0) this->poll_all();
  for (std::uint64_t i = 0; i < count; ++i) {
    std::uint64_t value = 0;
    std::memcpy(&value, this->backend.segments[1].data() + 8 * i, sizeof value);
    ASSERT_EQ(value, i);
  }
}

TYPED_TEST_P(network_suite, several_memories_of_a_rank_are_told_apart_by_their_keys) {
  this->open(2);
  std::array<std::vector<std::byte>, 3> more;
  std::array<remote_memory, 3> names;
  for (std::size_t i = 0; i < more.size(); ++i) {
    more[i].resize(8192);
    names[i] = {.base = reinterpret_cast<std::uintptr_t>(more[i].data()),
                .key = this->transports[1]->register_memory(more[i])};
    ASSERT_NE(names[i].key, no_memory_key);
  }
  this->transports[1]->unregister_memory(names[1].key);
  for (std::uint64_t i : {0, 2}) {
    std::uint64_t value = 70 + i;
    this->transfer_all(true, {.target = 1,
                              .memory = names[i],
                              .local = reinterpret_cast<std::byte*>(&value),
                              .remote = names[i].base + 8000,
                              .bytes = sizeof value,
                              .keeps_source = true});
  }
  std::uint64_t found = 0;
  std::memcpy(&found, more[0].data() + 8000, sizeof found);
  EXPECT_EQ(found, 70u);
  std::memcpy(&found, more[1].data() + 8000, sizeof found);
  EXPECT_EQ(found, 0u);
  std::memcpy(&found, more[2].data() + 8000, sizeof found);
  EXPECT_EQ(found, 72u);
  this->transports[1]->unregister_memory(names[0].key);
  this->transports[1]->unregister_memory(names[2].key);
}

// Rank 1 is told of each loan once, when all bytes have arrived; loans that are not filled end too,
// and their numbers are reused.
TYPED_TEST_P(network_suite, loans_are_told_of_when_all_bytes_are_there) {
  this->open(3);
  transport& owner = *this->transports[1];
  if (!owner.describe().lends) GTEST_SKIP() << "this network lends no memory";
  struct lent {
    std::vector<std::byte> memory;
    std::vector<std::byte> wanted;
    loan terms{};
    int notified = 0;
    bool right = false;
  };
  const auto filled = [](void* context) noexcept {
    lent& each = *static_cast<lent*>(context);
    ++each.notified;
    each.right = each.memory == each.wanted;
  };
  std::vector<std::uint32_t> numbers;
  for (const std::size_t bytes : {std::size_t{1}, std::size_t{40'000}, loan::put_bytes,
                                  loan::put_bytes + 1, 3 * loan::put_bytes - 8}) {
    std::array<lent, 4> loans;  // two to each other rank, and one of rank 0's is not used
    for (std::size_t i = 0; i < loans.size(); ++i) {
      lent& each = loans[i];
      each.memory.resize(bytes);
      each.wanted.assign(bytes, static_cast<std::byte>(i + 1));
      each.terms.filled = filled;
      each.terms.context = &each;
      ASSERT_TRUE(owner.lend(i % 2 == 0 ? 0 : 2, each.memory, each.terms));
      numbers.push_back(each.terms.number);
    }
    owner.take_back(loans[2].terms);
    std::atomic<int> pending = 0;
    for (const std::size_t i : {0, 3, 1}) {
      const lent& each = loans[i];
      for (std::size_t offset = 0; offset < bytes; offset += loan::put_bytes) {
        const auto base = reinterpret_cast<std::uintptr_t>(each.memory.data());
        const transfer request{.target = 1,
                               .memory = {.base = base, .key = each.terms.key},
                               .local = const_cast<std::byte*>(each.wanted.data()) + offset,
                               .remote = base + offset,
                               .bytes = std::min(loan::put_bytes, bytes - offset),
                               .context = &pending,
                               .keeps_source = true,
                               .loan = each.terms.number};
        pending.fetch_add(1);
        while (this->transports[i % 2 == 0 ? 0 : 2]->put(request) == post::retry) {
          EXPECT_EQ(each.notified, 0);
          this->poll_all();
        }
      }
    }
    while (pending.load() != 0 || loans[0].notified + loans[1].notified + loans[3].notified != 3)
      this->poll_all();
    for (int i = 0; i < 100; ++i) this->poll_all();
    for (const std::size_t i : {0, 1, 3}) {
      EXPECT_EQ(loans[i].notified, 1);
      EXPECT_TRUE(loans[i].right) << bytes;
    }
    EXPECT_EQ(loans[2].notified, 0);
  }
  EXPECT_LT(std::ranges::max(numbers), 4u);
}

// Rank 1 ends in the middle of puts to it and gets from it: each ends, done or abandoned, and rank
// 2 is still served.
TYPED_TEST_P(network_suite, transfers_at_a_lost_rank_end) {
  this->open(3);
  this->receivers[0].goes_on = true;
  constexpr std::size_t bytes = 200'000;
  std::vector<std::byte> local(bytes);
  std::atomic<int> pending = 0;
  transport& own = *this->transports[0];
  const auto start = [&](rank_id target, bool is_put) {
    transfer request{
        .target = target,
        .memory = this->backend.memory_of(target),
        .local = local.data(),
        .remote = reinterpret_cast<std::uintptr_t>(this->backend.segments[target].data()),
        .bytes = bytes,
        .context = &pending,
        .keeps_source = true};
    pending.fetch_add(1);
    const post result = is_put ? own.put(request) : own.get(request);
    if (result != post::posted) pending.fetch_sub(1);
    return result != post::retry;
  };
  while (!start(1, true)) this->poll_all();  // the first contact
  while (pending.load() != 0) this->poll_all();
  for (int i = 0; i < 20; ++i) start(1, i % 2 == 0);
  EXPECT_NE(pending.load(), 0);
  this->transports[1].reset();
  own.forget(1);
  EXPECT_FALSE(start(1, true)) << "nothing is started at a rank that is forgotten";
  const auto poll_others = [&] {
    own.poll(false);
    this->transports[2]->poll(false);
  };
  while (pending.load() != 0) poll_others();
  while (!start(2, true)) poll_others();
  while (pending.load() != 0) poll_others();
}

REGISTER_TYPED_TEST_SUITE_P(network_suite, puts_and_gets_touch_what_they_name,
                            many_transfers_are_under_way_at_once,
                            several_memories_of_a_rank_are_told_apart_by_their_keys,
                            loans_are_told_of_when_all_bytes_are_there,
                            transfers_at_a_lost_rank_end);

}  // namespace atl::transport
