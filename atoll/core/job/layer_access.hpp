// SPDX-License-Identifier: BSD-3-Clause
//
// The functions of a runtime for the library's own layers (core, collectives, fronts), beside its
// public interface: launcher, memory and messages of the runtime's own, work for progress, losses.
// A runtime keeps these parts private, so programs see none of them, and this header is not
// installed. Functions for core alone are in core_access.hpp.
#pragma once

#include <atoll/base/halves.hpp>
#include <atoll/core/job/front_table.hpp>
#include <atoll/core/job/runtime.hpp>
#include <atoll/core/job/runtime_parts.hpp>
#include <atoll/trace/counters.hpp>

#include <string>

namespace atl {

struct layer_access {
  static bootstrap::bootstrap& boot(runtime& owner) noexcept { return owner.parts_->job_.boot(); }

  // --- memory --------------------------------------------------------------------------------
  /// Shared memory for the runtime's own use (teams, collectives), apart from the program's heap so
  /// that the same allocations on all ranks have the same offsets there. 64 MiB at most.
  static memory::heap& internal_heap(runtime& owner) noexcept {
    return owner.parts_->memory_->internal_heap();
  }
  /// The address at which the internal heap of a neighbour begins here.
  static std::byte* internal_heap_of(const runtime& owner, rank_id neighbour) noexcept {
    return owner.parts_->memory_->internal_heap_of(neighbour);
  }
  /// The smallest heap limit of all ranks, in bytes, since hosts differ.
  static std::size_t heap_limit_everywhere(const runtime& owner) noexcept {
    return owner.parts_->heap_limit_everywhere_;
  }
  /// Whether ranks may reach each other's memory; else all goes over messages (ATOLL_RMA_PATH).
  static bool direct_allowed(const runtime& owner) noexcept {
    return owner.parts_->direct_allowed_;
  }

  /// The memory of this rank's host.
  static memory::host_memory& host_memory(const runtime& owner) noexcept {
    return owner.parts_->memory_->host();
  }
  /// Transfers with memory of devices.
  static device_transfers& devices(runtime& owner) noexcept { return *owner.parts_->devices_; }

  /// The networks between hosts, by name and in the job's order, separated by commas; alike on all
  /// ranks that have the same ones. Empty: there is none.
  static std::string network_names(const runtime& owner) {
    std::string names;
    for (const transport::transport* const each : owner.parts_->router_->networks()) {
      if (!names.empty()) names += ',';
      names += each->describe().network;
    }
    return names;
  }

  // --- of each front ---------------------------------------------------------------------------
  /// Endpoints of a front's own: `index` counts those that it has declared, from 0. The same ones
  /// on all ranks, whenever each asks for them; made when they are first asked for. Throws
  /// `atl::error` for a front that is not declared. Any thread.
  static endpoint& endpoint_of(runtime& owner, const front_declaration& front,
                               std::size_t index = 0) {
    return owner.parts_->endpoint_of(front, index);
  }
  /// A team of all ranks of a front's own: no barrier and no collective of another front, or of the
  /// program on runtime::world(), can meet those on it. It is made here when it is first asked for,
  /// without a message to another rank, and lasts as long as the runtime, so a front that starts
  /// again goes on with it. Throws `atl::error` when there is no memory for it. Any thread.
  static team& world_of(runtime& owner, const front_declaration& front) {
    return owner.parts_->world_of(front);
  }

  // --- messages and operations ---------------------------------------------------------------
  /// The endpoint of the runtime's own messages; its handlers are named in system_handlers.hpp.
  static endpoint& system_endpoint(runtime& owner) noexcept { return *owner.parts_->system_; }
  static operation_pool& operations(runtime& owner) noexcept { return owner.parts_->operations_; }
  /// The implicit operations of the calling thread.
  static implicit_state& implicit_operations(runtime& owner) noexcept {
    return owner.parts_->implicit_operations();
  }
  /// The number of threads whose implicit operations are kept: at most as many as existed at one
  /// time.
  static std::size_t implicit_states_kept(const runtime& owner) noexcept {
    return owner.parts_->implicit_->count();
  }
  /// A number for a team that this rank is to lead: unique in the job, 0 is the team of all.
  static std::uint64_t next_team_id(runtime& owner) noexcept {
    const std::uint32_t serial = owner.parts_->teams_.fetch_add(1, std::memory_order_relaxed) + 1;
    return join_halves(serial, owner.rank());
  }

  // --- progress and waiting ------------------------------------------------------------------
  /// The work that progress moves besides messages.
  static attachment_list& attachments(runtime& owner) noexcept {
    return owner.parts_->attachments_;
  }
  /// Delivers replies only: what a handler that waits for room does.
  static std::size_t progress_replies(runtime& owner) noexcept {
    return owner.parts_->progress_replies();
  }
  /// Wakes the threads of this rank that sleep in a wait.
  static void wake_own_threads(runtime& owner) noexcept { owner.parts_->waiting_->wake(); }
  /// Longest sleep of a wait whose condition rings this rank's bell: only a safety net. Barriers
  /// over messages may wait for room, for which no bell may ring.
  static std::int64_t bell_sleep_ns(const runtime& owner) noexcept {
    return owner.parts_->waiting_->bell_sleep_ns();
  }
  static const lost_peers& losses(const runtime& owner) noexcept { return owner.parts_->losses_; }

  /// Polls until `attempt()` returns true, because it has found room towards `target` on this
  /// channel; false when the target is lost meanwhile. For requests everything that arrives is
  /// handled, for replies only replies.
  template <class Attempt>
  static bool wait_for_room(runtime& owner, rank_id target, transport::channel via,
                            Attempt attempt) noexcept {
    const bool is_request = via == transport::channel::request;
    trace::count(is_request ? trace::counter::request_stalls : trace::counter::reply_stalls);
    bool found = false;
    const auto ended = [&] { return (found = attempt()) || owner.parts_->losses_.is_lost(target); };
    const auto poll = [&] {
      if (is_request) return owner.progress();
      owner.parts_->losses_.settle();
      return owner.parts_->progress_replies();
    };
    // Not every transport rings when there is room, and a ring can be missed: the sleeps are short.
    owner.wait_while(poll, ended, runtime::silent_sleep_ns);
    return found;
  }
};

}  // namespace atl
