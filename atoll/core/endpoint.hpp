// SPDX-License-Identifier: BSD-3-Clause
//
// An endpoint: one addressable party. It has handlers, at most one bound segment, and a table of
// paths to the segments bound to its counterparts at all ranks. The primordial endpoint of every
// rank has index 0; the runtime's own messages use one of their own, so that fronts and clients own
// all 256 handler indices of theirs.
//
// Threads: sending and transfers from any thread in mode `any`; binding is collective set-up.
#pragma once

#include <atoll/base/copy.hpp>
#include <atoll/core/am.hpp>
#include <atoll/core/event.hpp>
#include <atoll/core/path.hpp>
#include <atoll/core/thread_state.hpp>
#include <atoll/trace/counters.hpp>

#include <cstddef>
#include <cstdint>
#include <vector>

namespace atl {

/// A range of memory that others may access, by its owner's addresses.
struct segment {
  std::byte* base = nullptr;
  std::size_t bytes = 0;
};

/// A segment as its owner tells others of it; crosses from rank to rank as it is.
struct published_segment {
  static constexpr std::uint64_t private_memory = ~std::uint64_t{0};

  std::uint64_t address = 0;                     // the owner's
  std::uint64_t bytes = 0;                       // 0: none
  std::uint64_t shared_offset = private_memory;  // in the owner's heaps, if it lies there
};

/// What an operation of a transfer may and should do.
struct transfer_options {
  bool immediate = false;     // refuse rather than wait for resources
  bool keeps_source = false;  // of a put: the source stays as it is until the put is complete
  bool alone = false;         // the caller waits for it, and starts no other meanwhile
};

class endpoint {
 public:
  endpoint(runtime& owner, std::uint8_t index);
  endpoint(const endpoint&) = delete;
  endpoint& operator=(const endpoint&) = delete;

  runtime& owner() const noexcept { return owner_; }
  std::uint8_t index() const noexcept { return index_; }
  handler_table& handlers() noexcept { return handlers_; }

  /// Binds a segment of this rank's heaps, collectively: every rank calls it with its own (perhaps
  /// empty) segment and learns those of all others. Throws `atl::error` when memory outside of the
  /// heaps is given.
  void bind(segment mine);

  /// Binds a segment here alone: any memory of this process. Others reach it once they have been
  /// told by publish() and learn(). Memory of the heap is reached by loads and stores. Any other is
  /// reached by neighbours through the kernel where it allows that and the transfer is not small,
  /// and else over messages, which this rank must poll for.
  void bind_here(segment mine) noexcept;

  /// What to tell other ranks of this rank's segment, and taking note of another rank's. To be
  /// called before any transfer to that rank through this index begins.
  published_segment publish() const noexcept;
  void learn(rank_id rank, const published_segment& theirs) noexcept;

  /// Binds here, and knows of the others, what another endpoint of this runtime does. Each rank by
  /// itself, and alike on all.
  void bind_as(const endpoint& other) noexcept;

  /// This rank's segment; empty when none is bound.
  segment bound() const noexcept { return mine_; }

  /// The segment bound at `rank`, by that rank's own addresses; empty when it bound none.
  segment bound_at(rank_id rank) const noexcept {
    const path& there = paths_[rank];
    return {reinterpret_cast<std::byte*>(there.remote_base), there.segment_bytes};
  }

  rank_id ranks() const noexcept { return ranks_; }

  /// Ranks below this one may be reached by inline code: all, or none where ATOLL_COUNTERS asks for
  /// a count of every transfer, which only the library keeps.
  rank_id inline_ranks() const noexcept { return inline_ranks_; }

  /// The rows of the path table, by rank; the address stays the same for the endpoint's life.
  const path* paths() const noexcept { return paths_.data(); }

  /// Whether the kernel is to copy between here and memory of `peer` that is not mapped here.
  bool goes_by_kernel(rank_id peer, std::size_t bytes, std::size_t pieces,
                      bool alone) const noexcept;
  /// Ends the job when such a copy was refused and the setting asks for nothing else.
  void check_kernel_copy(rank_id peer) const noexcept;

  // --- active messages -----------------------------------------------------------------------

  /// Sends a request: `out` names target, category, handler, arguments and payload. The payload may
  /// be reused when it returns. Waits for room while handlers run, or with `immediate` returns
  /// false and nothing happened. Not from a handler.
  bool request(am_message&& out, bool immediate = false) noexcept {
    if (current_handler != handler_context::none || out.target >= ranks_) [[unlikely]] {
      refuse_request(out);
    }
    out.via = transport::channel::request;
    return send(out, immediate);
  }
  bool request(const am_message& out, bool immediate = false) noexcept {
    return request(am_message(out), immediate);
  }

  /// A buffer of at least out.bytes (at most medium_max) to fill in place, for a request to
  /// out.target or a reply. Its data is null only when `immediate` and none is free. End it by one
  /// commit, or by cancel.
  transport::staging prepare(const am_message& out, bool immediate) noexcept;

  /// Sends a prepared buffer; false only when `immediate`, and then the buffer is still held.
  bool commit(const transport::staging& buffer, const am_message& out, bool immediate) noexcept;
  void cancel(rank_id target, const transport::staging& buffer) noexcept;

  /// Sends a message whose channel is set already: what request() and reply() come down to.
  bool send(am_message& out, bool immediate) noexcept;

  /// Most payload of a medium message to `target`, in bytes; the same for requests and replies and
  /// for any number of arguments. A long may be as large as the segment.
  std::size_t medium_max(rank_id) const noexcept { return medium_max_; }

  // --- transfers: see rma.hpp, whose inline functions fall back to these -----------------------

  /// Starts a put or get that cannot be direct; adds its pieces to `record`. False: `immediate` and
  /// there was no room, nothing happened.
  bool start_put(rank_id target, void* to, const void* from, std::size_t bytes, operation& record,
                 transfer_options how) noexcept;
  bool start_get(void* to, rank_id target, const void* from, std::size_t bytes, operation& record,
                 transfer_options how) noexcept;

  /// Starts an atomic by the network, whose context it sets; a piece of `record`.
  bool start_atomic(transport::atomic_transfer what, operation& record, bool immediate) noexcept;

  /// Ends the job with a message when `target` is no rank, or these bytes are not in its segment.
  void check_range(const char* what, rank_id target, const void* there,
                   std::size_t bytes) const noexcept;

 private:
  bool send_long(am_message& out, bool immediate) noexcept;
  bool send_long_by_kernel(am_message& out, bool immediate) noexcept;
  bool send_long_in_pieces(am_message& out, bool immediate) noexcept;
  bool put_by_kernel(rank_id target, std::uintptr_t there, const void* from,
                     std::size_t bytes) noexcept;
  bool get_by_kernel(void* to, rank_id target, std::uintptr_t there, std::size_t bytes) noexcept;
  template <class Post>
  bool start_native(transport::transfer all, std::size_t piece_max, operation& record,
                    bool immediate, Post post) noexcept;
  bool goes_native(rank_id target, std::uintptr_t there, std::size_t bytes,
                   bool alone) const noexcept;
  bool put_native(const transport::transfer& all, operation& record, bool immediate) noexcept;
  bool post(am_message& out, bool immediate) noexcept;
  [[noreturn]] void refuse_request(const am_message& out) const noexcept;
  [[noreturn]] void refuse_size(const am_message& out) const noexcept;
  template <class Attempt>
  void wait_for_room(transport::channel via, Attempt attempt) noexcept;
  void count_sent(const am_message& out) const noexcept;
  void check_target(rank_id target, const char* what) const noexcept;

  runtime& owner_;
  std::uint8_t index_;
  rank_id ranks_;
  rank_id inline_ranks_;
  std::size_t medium_max_;
  segment mine_;
  std::vector<path> paths_;
  handler_table handlers_;
};

}  // namespace atl
