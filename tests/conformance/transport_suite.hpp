// SPDX-License-Identifier: BSD-3-Clause
//
// Tests the promises of every transport (transport/transport.hpp), as one suite. A backend joins
// with a type that makes the transports of N ranks in one process (see loop_conformance_test.cpp
// and shm_conformance_test.cpp): `static constexpr ranks` (the rank counts that it supports) and
// `make(ranks, threaded, receivers)`. The test drives all ranks from one thread, so it chooses the
// order of events; one test at the end uses threads.
#pragma once

#include <atoll/transport/transport.hpp>

#include <gtest/gtest.h>

#include <array>
#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <memory>
#include <mutex>
#include <numeric>
#include <thread>
#include <vector>

namespace atl::transport {

/// Keeps what arrived at one rank.
class recording_receiver final : public receiver {
 public:
  struct record {
    arrival in;
    std::vector<std::uint32_t> args;
    std::vector<std::byte> payload;
  };

  void deliver(const arrival& in) noexcept override {
    if (on_arrival) on_arrival(in);
    const std::lock_guard hold(guard);
    record kept{.in = in, .args = {in.args, in.args + in.nargs}, .payload = {}};
    if (in.kind == category::medium) {
      const auto* from = static_cast<const std::byte*>(in.payload);
      kept.payload.assign(from, from + in.bytes);
    }
    seen.push_back(std::move(kept));
  }

  void complete(void* context) noexcept override {
    static_cast<std::atomic<int>*>(context)->fetch_sub(1);
  }
  void filled(const loan& ended) noexcept override { ended.filled(ended.context); }
  void abandon(void* context) noexcept override {
    abandoned.fetch_add(1);
    complete(context);
  }
  void lost(rank_id peer, std::string_view cause) noexcept override {
    if (goes_on) {
      const std::lock_guard hold(guard);
      last_cause = cause;
      return lost_ranks.push_back(peer);
    }
    std::fprintf(stderr, "rank %u is lost: %.*s\n", peer, static_cast<int>(cause.size()),
                 cause.data());
    std::abort();
  }
  [[noreturn]] void broken(std::string_view cause) noexcept override {
    std::fprintf(stderr, "the transport broke: %.*s\n", static_cast<int>(cause.size()),
                 cause.data());
    std::abort();
  }

  std::function<void(const arrival&)> on_arrival;
  std::mutex guard;
  std::vector<record> seen;
  bool goes_on = false;  // after the loss of a rank
  std::vector<rank_id> lost_ranks;
  std::string last_cause;
  std::atomic<int> abandoned = 0;  // transfers
};

/// The ranks of one job, made by the backend.
template <class Backend>
class transport_suite : public testing::Test {
 protected:
  void open(rank_id ranks, bool threaded = false) {
    receivers = std::vector<recording_receiver>(ranks);
    std::vector<receiver*> to;
    for (recording_receiver& each : receivers) to.push_back(&each);
    transports.clear();
    transports = backend.make(ranks, threaded, to);
  }

  /// Polls all ranks until `count` messages have come to the target and nothing moves. Messages on
  /// a network may take some time.
  void settle(std::size_t count) {
    for (bool moved = true; moved || receivers[target()].seen.size() < count;) {
      moved = false;
      for (auto& each : transports) moved |= each->poll(false) != 0;
    }
  }

  void poll_all() {
    for (auto& each : transports) each->poll(false);
  }

  rank_id target() const { return static_cast<rank_id>(transports.size() - 1); }

  std::vector<recording_receiver> receivers;  // outlives the transports
  Backend backend;
  std::vector<std::unique_ptr<transport>> transports;
};

TYPED_TEST_SUITE_P(transport_suite);

TYPED_TEST_P(transport_suite, carries_every_number_of_arguments) {
  for (const rank_id ranks : TypeParam::ranks) {
    this->open(ranks);
    std::array<std::uint32_t, max_args> args;
    std::iota(args.begin(), args.end(), 7u);
    for (std::uint8_t nargs = 0; nargs <= max_args; ++nargs) {
      ASSERT_EQ(
          this->transports[0]->send(
              {.target = this->target(), .handler = nargs, .nargs = nargs, .args = args.data()}),
          post::done);
    }
    this->settle(max_args + 1);
    const auto& seen = this->receivers[this->target()].seen;
    ASSERT_EQ(seen.size(), max_args + 1);
    for (unsigned i = 0; i <= max_args; ++i) {
      EXPECT_EQ(seen[i].in.handler, i);
      EXPECT_EQ(seen[i].in.source, 0u);
      EXPECT_EQ(seen[i].args, std::vector<std::uint32_t>(args.begin(), args.begin() + i));
    }
  }
}

TYPED_TEST_P(transport_suite, carries_payloads_up_to_the_maximum_unchanged) {
  for (const rank_id ranks : TypeParam::ranks) {
    this->open(ranks);
    const std::size_t most = this->transports[0]->describe().medium_max;
    EXPECT_GE(most, medium_least);
    ASSERT_GE(most, 65536u);
    std::vector<std::byte> payload(most);
    for (std::size_t i = 0; i < most; ++i) payload[i] = static_cast<std::byte>(i * 13);
    const std::array<std::uint32_t, 3> args{1, 2, 3};
    const std::array<std::size_t, 9> sizes{0, 1, 40, 48, 96, 97, 4096, 4097, most};
    for (const std::size_t bytes : sizes) {
      const message out{.target = this->target(),
                        .kind = category::medium,
                        .nargs = 3,
                        .args = args.data(),
                        .payload = payload.data(),
                        .bytes = bytes};
      while (this->transports[0]->send(out) != post::done)
        this->poll_all();  // may still be connecting
    }
    this->settle(sizes.size());
    const auto& seen = this->receivers[this->target()].seen;
    ASSERT_EQ(seen.size(), sizes.size());
    for (std::size_t i = 0; i < sizes.size(); ++i) {
      EXPECT_TRUE(
          seen[i].payload ==
          std::vector(payload.begin(), payload.begin() + static_cast<std::ptrdiff_t>(sizes[i])));
      EXPECT_EQ(reinterpret_cast<std::uintptr_t>(seen[i].in.payload) % 8, 0u);
    }
  }
}

TYPED_TEST_P(transport_suite, tells_where_a_long_payload_is) {
  for (const rank_id ranks : TypeParam::ranks) {
    this->open(ranks);
    const std::array<std::uint32_t, max_args> args{9};
    ASSERT_EQ(this->transports[0]->send({.target = this->target(),
                                         .kind = category::long_,
                                         .nargs = max_args,
                                         .args = args.data(),
                                         .bytes = std::size_t{5} << 32,
                                         .address = 0x123456789abc}),
              post::done);
    this->settle(1);
    const auto& in = this->receivers[this->target()].seen.at(0).in;
    EXPECT_EQ(in.kind, category::long_);
    EXPECT_EQ(in.bytes, std::size_t{5} << 32);
    EXPECT_EQ(reinterpret_cast<std::uintptr_t>(in.payload), 0x123456789abcu);
  }
}

/// Promises of the transports that do not deliver at once: they have a queue, which can be full.
template <class Backend>
class transport_queue_suite : public transport_suite<Backend> {};

TYPED_TEST_SUITE_P(transport_queue_suite);

TYPED_TEST_P(transport_queue_suite, refuses_when_full_and_loses_nothing) {
  this->open(TypeParam::ranks.back());
  ASSERT_FALSE(this->transports[0]->describe().delivers_inline);
  std::uint32_t sent = 0;
  for (int round = 0; round < 3; ++round) {
    while (this->transports[0]->send({.target = this->target(), .nargs = 1, .args = &sent}) ==
           post::done) {
      ++sent;
      ASSERT_LT(sent, 1'000'000u) << "a queue must be bounded";
    }
    this->settle(sent);
  }
  const auto& seen = this->receivers[this->target()].seen;
  ASSERT_EQ(seen.size(), sent);
  for (std::uint32_t i = 0; i < sent; ++i) EXPECT_EQ(seen[i].args.at(0), i);
}

TYPED_TEST_P(transport_queue_suite, replies_pass_a_full_request_queue) {
  this->open(TypeParam::ranks.back());
  ASSERT_FALSE(this->transports[0]->describe().delivers_inline);
  const std::vector<std::byte> payload(5000);
  message request{.target = this->target(),
                  .kind = category::medium,
                  .payload = payload.data(),
                  .bytes = payload.size()};
  std::size_t sent = 0;
  while (this->transports[0]->send(request) == post::done) ++sent;
  request.kind = category::short_;
  while (this->transports[0]->send(request) == post::done) ++sent;
  message reply = request;
  reply.via = channel::reply;
  reply.kind = category::medium;
  ASSERT_EQ(this->transports[0]->send(reply), post::done);
  std::size_t moved = 0;
  while (moved == 0) {
    this->transports[0]->poll(true);
    moved = this->transports[this->target()]->poll(true);  // replies only
  }
  EXPECT_EQ(moved, 1u);
  ASSERT_EQ(this->receivers[this->target()].seen.size(), 1u);
  EXPECT_EQ(this->receivers[this->target()].seen[0].in.via, channel::reply);
  this->settle(sent + 1);
}

TYPED_TEST_P(transport_suite, prepared_buffers_are_committed_or_cancelled) {
  for (const rank_id ranks : TypeParam::ranks) {
    this->open(ranks);
    for (int i = 0; i < 1000; ++i) {
      const staging buffer = this->transports[0]->prepare(channel::request, 3000);
      ASSERT_NE(buffer.data, nullptr);
      ASSERT_GE(buffer.bytes, 3000u);
      if (i % 3 != 0) {
        this->transports[0]->cancel(buffer);
        continue;
      }
      std::memset(buffer.data, i, 1000);
      ASSERT_EQ(this->transports[0]->commit(
                    buffer, {.target = this->target(), .kind = category::medium, .bytes = 1000}),
                post::done);
      this->settle(static_cast<std::size_t>(i) / 3 + 1);
      EXPECT_EQ(this->receivers[this->target()].seen.back().payload,
                std::vector<std::byte>(1000, static_cast<std::byte>(i)));
    }
    EXPECT_EQ(this->receivers[this->target()].seen.size(), 334u);
  }
}

TYPED_TEST_P(transport_suite, buffers_run_out_by_refusal_and_come_back) {
  this->open(TypeParam::ranks.back());
  std::vector<staging> held;
  for (;;) {
    const staging buffer = this->transports[0]->prepare(channel::request, 65536);
    if (buffer.data == nullptr) break;
    held.push_back(buffer);
    ASSERT_LT(held.size(), 100'000u);
  }
  EXPECT_FALSE(held.empty());
  EXPECT_NE(this->transports[0]->prepare(channel::reply, 65536).data, nullptr)
      << "replies have their own";
  this->transports[0]->cancel(held.back());
  EXPECT_NE(this->transports[0]->prepare(channel::request, 65536).data, nullptr);
}

// A program can commit all the buffers that it holds without needing another, and neither channel
// blocks.
TYPED_TEST_P(transport_suite, all_that_may_be_prepared_is_committed_beside_other_messages) {
  this->open(TypeParam::ranks.back());
  constexpr std::size_t held_max = 100'000;
  for (const channel via : {channel::request, channel::reply}) {
    std::vector<staging> held;
    for (;;) {
      held.push_back(this->transports[0]->prepare(via, 100));
      if (held.back().data == nullptr) break;
      std::memset(held.back().data, static_cast<int>(held.size()), 100);
      ASSERT_LT(held.size(), held_max);
      if (this->transports[0]->describe().delivers_inline && held.size() == 100) break;
    }
    if (held.back().data == nullptr) held.pop_back();
    EXPECT_GE(held.size(), 64u);
    const auto keep_trying = [&](auto attempt) {
      for (int tries = 0; tries < 100'000; ++tries) {
        if (attempt() == post::done) return true;
        this->poll_all();
      }
      return false;
    };
    const message out{.target = this->target(), .via = via, .kind = category::medium, .bytes = 100};
    const message plain{.target = this->target(), .via = via};
    ASSERT_TRUE(keep_trying([&] { return this->transports[0]->send(plain); }));
    for (const staging& each : held) {
      ASSERT_TRUE(keep_trying([&] { return this->transports[0]->commit(each, out); }));
    }
    this->settle(held.size() + 1);
    auto& seen = this->receivers[this->target()].seen;
    ASSERT_EQ(seen.size(), held.size() + 1);
    for (std::size_t i = 1; i < seen.size(); ++i) {
      EXPECT_EQ(seen[i].payload, std::vector<std::byte>(100, static_cast<std::byte>(i)));
    }
    seen.clear();
  }
}

TYPED_TEST_P(transport_suite, many_senders_and_pollers_lose_nothing) {
  for (const rank_id ranks : TypeParam::ranks) {
    this->open(ranks, true);
    constexpr int per_thread = 4000;
    std::atomic<std::uint64_t> received = 0, sum = 0;
    for (auto& each : this->receivers) {
      each.on_arrival = [&](const arrival& in) {
        received.fetch_add(1);
        sum.fetch_add(in.args[0] + (in.kind == category::medium ? in.bytes : 0));
      };
    }
    std::atomic<std::uint64_t> expected_sum = 0;
    const std::uint64_t expected = 2 * per_thread * this->transports.size();
    std::vector<std::thread> threads;
    for (std::size_t rank = 0; rank < this->transports.size(); ++rank) {
      for (int t = 0; t < 2; ++t) {
        threads.emplace_back([&, rank, t] {
          const std::vector<std::byte> payload(9000);
          for (std::uint32_t i = 0; i < per_thread; ++i) {
            const std::size_t bytes = i % 7 == 0 ? (i * 11) % 9000 : 0;
            const message out{.target = static_cast<rank_id>((rank + i) % this->transports.size()),
                              .kind = bytes != 0 ? category::medium : category::short_,
                              .nargs = 1,
                              .args = &i,
                              .payload = payload.data(),
                              .bytes = bytes};
            while (this->transports[rank]->send(out) != post::done) {
              this->transports[rank]->poll(false);
              std::this_thread::yield();
            }
            expected_sum.fetch_add(i + bytes);
            if (t == 1) this->transports[rank]->poll(false);
          }
          while (received.load() < expected) {
            this->transports[rank]->poll(false);
            std::this_thread::yield();
          }
        });
      }
    }
    for (std::thread& each : threads) each.join();
    EXPECT_EQ(received.load(), expected);
    EXPECT_EQ(sum.load(), expected_sum.load());
  }
}

TYPED_TEST_P(transport_suite, may_be_polled_again_while_a_message_that_is_taken_out_is_handled) {
  for (const bool threaded : {false, true}) {
    this->open(TypeParam::ranks.back(), threaded);
    constexpr std::uint32_t total = 3000;
    constexpr std::array<std::size_t, 4> sizes{8, 40, 96, 700};
    std::uint32_t sent = 0;
    const auto send_some = [&](std::uint32_t count) {
      for (; count > 0 && sent < total; --count) {
        const std::uint32_t index = sent++;  // first: it may be delivered, and more sent, inside
        const std::vector<std::byte> payload(sizes[index % 4], static_cast<std::byte>(index));
        const message out{.target = this->target(),
                          .kind = category::medium,
                          .nargs = 1,
                          .args = &index,
                          .payload = payload.data(),
                          .bytes = payload.size()};
        if (this->transports[0]->send(out) == post::done) continue;
        --sent;
        return;
      }
    };
    recording_receiver& recorder = this->receivers[this->target()];
    int depth = 0;
    recorder.on_arrival = [&](const arrival& in) {
      if (!in.taken_out || depth == 2) return;
      ++depth;
      send_some(5);  // overwrites the part of the ring that is free again
      this->transports[this->target()]->poll(false);
      --depth;
    };
    while (sent < total) {
      send_some(100);
      this->settle(sent);
    }
    this->settle(sent);
    std::vector<int> times(total);
    for (const auto& each : recorder.seen) {
      const std::uint32_t i = each.args.at(0);
      ++times.at(i);
      EXPECT_EQ(each.payload, std::vector<std::byte>(sizes[i % 4], static_cast<std::byte>(i)));
    }
    EXPECT_EQ(times, std::vector<int>(total, 1));
  }
}

// Rank 1 is dead: it never polls again. Rank 0 sends it as much as queues and buffers hold.
TYPED_TEST_P(transport_queue_suite, a_forgotten_rank_stands_in_nobodys_way) {
  this->open(3);
  this->receivers[0].goes_on = true;
  transport& own = *this->transports[0];
  const std::vector<std::byte> payload(5000);
  message out{
      .target = 1, .kind = category::medium, .payload = payload.data(), .bytes = payload.size()};
  while (own.send(out) == post::done) {
  }
  own.forget(1);
  for (int i = 0; i < 500; ++i) ASSERT_EQ(own.send(out), post::done) << "it is dropped";
  out.target = 2;
  for (int i = 0; i < 500; ++i) {
    while (own.send(out) != post::done) this->transports[2]->poll(false), own.poll(false);
  }
  while (this->receivers[2].seen.size() < 500) this->transports[2]->poll(false), own.poll(false);
  const staging buffer = own.prepare(channel::request, 3000);
  ASSERT_NE(buffer.data, nullptr);
  EXPECT_EQ(own.commit(buffer, {.target = 1, .kind = category::medium, .bytes = 3000}), post::done);
}

REGISTER_TYPED_TEST_SUITE_P(transport_suite, carries_every_number_of_arguments,
                            carries_payloads_up_to_the_maximum_unchanged,
                            tells_where_a_long_payload_is,
                            prepared_buffers_are_committed_or_cancelled,
                            buffers_run_out_by_refusal_and_come_back,
                            all_that_may_be_prepared_is_committed_beside_other_messages,
                            many_senders_and_pollers_lose_nothing,
                            may_be_polled_again_while_a_message_that_is_taken_out_is_handled);
REGISTER_TYPED_TEST_SUITE_P(transport_queue_suite, refuses_when_full_and_loses_nothing,
                            replies_pass_a_full_request_queue,
                            a_forgotten_rank_stands_in_nobodys_way);

}  // namespace atl::transport
