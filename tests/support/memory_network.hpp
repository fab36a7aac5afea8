// SPDX-License-Identifier: BSD-3-Clause
//
// A network between ranks that are threads of one process, for tests of the ways that need one. Its
// messages lie in queues without an end, its puts and gets are copies, and it lends memory. It
// counts what it is asked, so a test sees what transfers cost.
//
// Each rank is a neighbourhood of its own (ATOLL_NEIGHBOURHOOD=1), so that no memory is mapped.
// Threads: any; one lock around everything, which is not held while a handler runs.
#pragma once

#include <atoll/transport/list.hpp>
#include <tests/support/thread_job.hpp>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstring>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <span>
#include <string_view>
#include <thread>
#include <vector>

namespace atl::support {

/// All that the ranks of one job share: queues of messages, loans, and counts of calls.
class memory_network_state {
 public:
  explicit memory_network_state(rank_id ranks)
      : ranks_(ranks), receivers_(ranks), arrived_(2 * std::size_t{ranks}), ended_(ranks) {}

  struct counts {
    std::size_t descriptions = 0;
    std::size_t puts = 0;  // to no loan
    std::size_t gets = 0;
    std::size_t puts_to_loans = 0;
  };
  counts counted() {
    const std::lock_guard hold(guard_);
    return counted_;
  }
  rank_id ranks() const noexcept { return ranks_; }
  /// The addresses that puts to loans have filled, in their order.
  std::vector<std::uintptr_t> places_of_puts() {
    const std::lock_guard hold(guard_);
    return places_;
  }

  /// From now on puts to loans arrive at once, but their senders hear of their ends only when this
  /// is over.
  void hold_ends_of_puts(bool holds) {
    const std::lock_guard hold(guard_);
    holds_ = holds;
  }
  /// Keeps the last request to a rank from it, until it is put back.
  void set_aside_last(rank_id rank) {
    const std::lock_guard hold(guard_);
    auto& queue = queue_of(rank, transport::channel::request);
    aside_ = std::move(queue.back());
    queue.pop_back();
  }
  void put_back(rank_id rank) {
    const std::lock_guard hold(guard_);
    queue_of(rank, transport::channel::request).push_back(std::move(aside_));
  }
  /// A rank that watches for losses learns that it has lost a peer.
  void lose(rank_id rank, rank_id peer) { receivers_[rank]->lost(peer, "a test says so"); }

 private:
  friend class memory_network;
  struct packet {
    transport::arrival front;
    std::array<std::uint32_t, transport::max_args> args;
    std::vector<std::byte> payload;
  };
  struct lent {
    transport::loan terms;
    rank_id lender;
    std::size_t left;  // bytes
    bool is_over;
  };

  std::deque<packet>& queue_of(rank_id rank, transport::channel via) {
    return arrived_[2 * std::size_t{rank} + (via == transport::channel::reply ? 1 : 0)];
  }

  std::mutex guard_;  // of all that follows
  rank_id ranks_;
  std::vector<transport::receiver*> receivers_;  // by rank
  std::vector<std::deque<packet>> arrived_;      // by rank and channel
  std::vector<std::vector<void*>> ended_;        // by rank: puts whose ends are to be told
  bool holds_ = false;
  packet aside_{};
  std::deque<lent> loans_;  // by number
  counts counted_;
  std::vector<std::uintptr_t> places_;
};

class memory_network final : public transport::transport {
 public:
  memory_network(rank_id self, atl::transport::receiver& to, memory_network_state& state)
      : self_(self), to_(to), state_(state) {
    state_.receivers_[self] = &to;
  }

  static constexpr std::size_t transfer_max = 1 << 20;

  std::string_view name() const noexcept override { return "memory"; }
  atl::transport::capabilities describe() const noexcept override {
    const std::lock_guard hold(state_.guard_);
    ++state_.counted_.descriptions;
    return {.medium_max = atl::transport::medium_least,
            .transfer_max = transfer_max,
            .lends = true,
            .network = "memory"};
  }

  // --- messages ------------------------------------------------------------------------------
  bool has_room(rank_id, atl::transport::channel) noexcept override { return true; }
  atl::transport::post send(const atl::transport::message& out) noexcept override {
    memory_network_state::packet sent{.front = {.source = self_,
                                                .via = out.via,
                                                .kind = out.kind,
                                                .handler = out.handler,
                                                .nargs = out.nargs,
                                                .endpoint = out.endpoint,
                                                .crossing = out.crossing,
                                                .taken_out = true,
                                                .bytes = out.bytes},
                                      .args = {},
                                      .payload = {}};
    std::copy_n(out.args, out.nargs, sent.args.begin());
    if (out.kind == atl::transport::category::medium) {
      const auto* const bytes = static_cast<const std::byte*>(out.payload);
      sent.payload.assign(bytes, bytes + out.bytes);
    } else {
      sent.front.payload = reinterpret_cast<void*>(out.address);
    }
    const std::lock_guard hold(state_.guard_);
    state_.queue_of(out.target, out.via).push_back(std::move(sent));
    return atl::transport::post::done;
  }
  atl::transport::staging prepare(atl::transport::channel via,
                                  std::size_t bytes) noexcept override {
    return {.data = new std::byte[bytes], .bytes = bytes, .via = via};
  }
  atl::transport::post commit(const atl::transport::staging& buffer,
                              const atl::transport::message& out) noexcept override {
    atl::transport::message whole = out;
    whole.payload = buffer.data;
    send(whole);
    cancel(buffer);
    return atl::transport::post::done;
  }
  void cancel(const atl::transport::staging& buffer) noexcept override {
    delete[] static_cast<std::byte*>(buffer.data);
  }

  std::size_t poll(bool replies_only) noexcept override {
    std::size_t count = report_loans() + report_puts();
    for (memory_network_state::packet taken; take(replies_only, taken); ++count) {
      taken.front.args = taken.args.data();
      if (taken.front.kind == atl::transport::category::medium)
        taken.front.payload = taken.payload.data();
      to_.deliver(taken.front);
    }
    return count;
  }
  /// Nothing wakes a rank, so it looks often.
  atl::transport::sleep_terms before_sleep() noexcept override { return {.ns_max = 50'000}; }

  // --- transfers -----------------------------------------------------------------------------
  std::uint64_t register_memory(std::span<std::byte>) noexcept override { return 1; }
  bool lend(rank_id, std::span<std::byte> memory, atl::transport::loan& terms) noexcept override {
    const std::lock_guard hold(state_.guard_);
    terms.key = 1;
    terms.number = static_cast<std::uint32_t>(state_.loans_.size());
    state_.loans_.push_back(
        {.terms = terms, .lender = self_, .left = memory.size(), .is_over = false});
    return true;
  }
  void take_back(const atl::transport::loan& terms) noexcept override {
    const std::lock_guard hold(state_.guard_);
    state_.loans_[terms.number].is_over = true;
  }
  atl::transport::post put(const atl::transport::transfer& request) noexcept override {
    const std::lock_guard hold(state_.guard_);
    std::memcpy(reinterpret_cast<void*>(request.remote), request.local, request.bytes);
    const bool fills = request.loan != atl::transport::loan::no_number;
    if (fills) {
      state_.loans_[request.loan].left -= request.bytes;
      state_.places_.push_back(request.remote);
    }
    ++(fills ? state_.counted_.puts_to_loans : state_.counted_.puts);
    if (!fills || !state_.holds_) return atl::transport::post::done;
    state_.ended_[self_].push_back(request.context);
    return atl::transport::post::posted;
  }
  atl::transport::post get(const atl::transport::transfer& request) noexcept override {
    const std::lock_guard hold(state_.guard_);
    std::memcpy(request.local, reinterpret_cast<const void*>(request.remote), request.bytes);
    ++state_.counted_.gets;
    return atl::transport::post::done;
  }

 private:
  bool take(bool replies_only, memory_network_state::packet& taken) {
    const std::lock_guard hold(state_.guard_);
    for (const auto via : {atl::transport::channel::reply, atl::transport::channel::request}) {
      auto& queue = state_.queue_of(self_, via);
      if (queue.empty() || (replies_only && via == atl::transport::channel::request)) continue;
      taken = std::move(queue.front());
      queue.pop_front();
      return true;
    }
    return false;
  }

  std::size_t report_puts() {
    std::vector<void*> ended;
    {
      const std::lock_guard hold(state_.guard_);
      if (!state_.holds_) ended.swap(state_.ended_[self_]);
    }
    for (void* const each : ended) to_.complete(each);
    return ended.size();
  }

  std::size_t report_loans() {
    std::vector<atl::transport::loan> ended;
    {
      const std::lock_guard hold(state_.guard_);
      for (auto& each : state_.loans_) {
        if (each.lender != self_ || each.is_over || each.left != 0) continue;
        each.is_over = true;
        ended.push_back(each.terms);
      }
    }
    for (const atl::transport::loan& each : ended) to_.filled(each);
    return ended.size();
  }

  rank_id self_;
  atl::transport::receiver& to_;
  memory_network_state& state_;
};

/// Runs `body` as a job of threads over this network, whatever the environment says of networks.
inline void run_over_memory(memory_network_state& state, const std::function<void(runtime&)>& body,
                            const char* variable = "ATOLL_RMA_PATH=direct") {
  const char* const variables[] = {"ATOLL_SEGMENT_LIMIT=64M", "ATOLL_NEIGHBOURHOOD=1", variable,
                                   nullptr};
  thread_rendezvous rendezvous(state.ranks());
  const auto open = [&](const transport::transport_request& wanted) {
    transport::opened opened = transport::open_all(wanted);
    opened.transports.push_back(std::make_unique<memory_network>(wanted.self, wanted.to, state));
    transport::transport* const network = opened.transports.back().get();
    for (rank_id rank = 0; rank < wanted.ranks; ++rank)
      if (rank != wanted.self) opened.routes[rank] = network;
    opened.polled = {network};
    opened.networks = {network};
    return opened;
  };
  std::vector<std::jthread> running;
  for (rank_id rank = 0; rank < state.ranks(); ++rank) {
    running.emplace_back([&, rank] {
      runtime job({.threads = thread_mode::any,
                   .configuration = settings::read(variables),
                   .boot = std::make_unique<thread_bootstrap>(rendezvous, rank),
                   .open_transports = open});
      body(job);
    });
  }
}

}  // namespace atl::support
