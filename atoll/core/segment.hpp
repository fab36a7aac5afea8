// SPDX-License-Identifier: BSD-3-Clause
//
// Segments: memory that ranks have shared with each other. Each rank has a part, perhaps an empty
// one, and a table of routes to the parts of all ranks (route.hpp). Segment 0 is the heaps: all
// memory from which any front allocates, shared when the runtime starts. Other segments may be any
// memory of the process.
//
// Ranks of the same host reach memory in the heaps by loads and stores, and ranks of other hosts by
// the network's own transfers. Any other memory is registered with the network for those; a
// neighbour lets the kernel copy, where that is allowed and the transfer is not small, and
// otherwise sends messages, which the owner must poll for.
//
// Threads: any thread may transfer in mode `any`. Placing a part and learning the parts of other
// ranks is set-up, before any transfer to them begins.
#pragma once

#include <atoll/base/rank.hpp>
#include <atoll/core/event.hpp>
#include <atoll/core/route.hpp>
#include <atoll/transport/message.hpp>

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace atl {

class runtime;

/// A rank's part of a segment, by its owner's addresses.
struct segment_part {
  std::byte* base = nullptr;
  std::size_t bytes = 0;  // 0: none
};

/// A part as its owner tells others of it; crosses from rank to rank as it is.
struct published_part {
  static constexpr std::uint64_t outside_of_heaps = ~std::uint64_t{0};

  std::uint64_t address = 0;                     // the owner's
  std::uint64_t bytes = 0;                       // 0: none
  std::uint64_t heap_offset = outside_of_heaps;  // in the owner's heaps, if it lies there
  std::uint64_t key = transport::no_memory_key;  // by which the network reaches it, if it does
  std::uint32_t number = 0;                      // of segments: one that the owner has not used
};

/// Options of a transfer's operation.
struct transfer_options {
  bool immediate = false;     // refuse rather than wait for resources
  bool keeps_source = false;  // of a put: the source stays as it is until the put is complete
  bool alone = false;         // the caller waits for it, and starts no other meanwhile
};

class segment : private atoll_segment {
 public:
  /// Without parts, and without a number until share().
  explicit segment(runtime& owner);
  segment(const segment&) = delete;
  segment& operator=(const segment&) = delete;
  /// No transfer to this rank's part may be under way.
  ~segment();

  runtime& owner() const noexcept { return owner_; }

  /// The same on all ranks that have shared it; `unshared` before that.
  std::uint32_t number() const noexcept { return atoll_segment::number; }
  static constexpr std::uint32_t unshared = ~std::uint32_t{0};
  static constexpr std::uint32_t heaps = 0;

  // --- parts ---------------------------------------------------------------------------------

  /// Shares this rank's part with those of all ranks of the job, and gives the segment its number:
  /// collective, with a part of any size, or none, per rank. Any memory of this process, which
  /// stays as long as the segment. May be called again with another.
  void share(segment_part mine);
  /// The same with the part that this rank has placed.
  void share();

  /// Sets this rank's part, here alone. Others reach it once they have learned of it.
  void place(segment_part mine) noexcept;

  /// publish() describes this rank's part for other ranks; learn() stores the description of
  /// another rank's part.
  published_part publish() const noexcept;
  void learn(rank_id rank, const published_part& theirs) noexcept;

  /// This rank's part, and that of any rank by its own addresses.
  segment_part mine() const noexcept { return mine_; }
  segment_part part(rank_id rank) const noexcept { return {rows_[rank].base(), rows_[rank].bytes}; }

  rank_id ranks() const noexcept { return atoll_segment::ranks; }

  /// The rows, by rank; the address stays the same for the segment's life.
  const route* routes() const noexcept { return rows_.data(); }

  /// Ranks below this one may be reached by inline code: all, or none where ATOLL_COUNTERS asks for
  /// a count of every transfer, which only the library keeps.
  rank_id inline_ranks() const noexcept { return atoll_segment::inline_ranks; }

  /// As C programs and the headers of fronts know it (atoll/abi.h).
  const atoll_segment* handle() const noexcept { return this; }
  static segment& of(const atoll_segment* handle) noexcept {
    return const_cast<segment&>(static_cast<const segment&>(*handle));  // none is ever const
  }

  // --- transfers: see rma.hpp, whose inline functions fall back to these ----------------------

  /// Starts a put or get that cannot be direct; adds its pieces to `record`. False: `immediate` and
  /// there was no room, nothing happened.
  bool start_put(rank_id target, void* to, const void* from, std::size_t bytes, operation& record,
                 transfer_options how) noexcept;
  bool start_get(void* to, rank_id target, const void* from, std::size_t bytes, operation& record,
                 transfer_options how) noexcept;

  /// Whether the network reaches the part of `target`, for its own atomics.
  bool network_reaches(rank_id target) const noexcept;
  /// Starts an atomic by the network, whose context and memory it sets; a piece of `record`.
  bool start_atomic(transport::atomic_transfer what, operation& record, bool immediate) noexcept;

  /// Whether the kernel is to copy between here and the part of `peer`, which is not mapped here.
  bool goes_by_kernel(rank_id peer, std::size_t bytes, std::size_t pieces,
                      bool alone) const noexcept;
  /// Ends the job when such a copy was refused and the setting asks for nothing else.
  void check_kernel_copy(rank_id peer) const noexcept;
  /// Copies by the kernel; false: some of it cannot be reached this way.
  bool put_by_kernel(rank_id target, std::uintptr_t there, const void* from,
                     std::size_t bytes) noexcept;

  /// Ends the job with a message when `target` is no rank, or these bytes are not in its part.
  void check_range(const char* what, rank_id target, const void* there,
                   std::size_t bytes) const noexcept;
  /// The first half of that.
  void check_rank(const char* what, rank_id target) const noexcept;

 private:
  bool get_by_kernel(void* to, rank_id target, std::uintptr_t there, std::size_t bytes) noexcept;
  template <class Post>
  bool start_native(transport::transfer all, std::size_t piece_max, operation& record,
                    bool immediate, Post post) noexcept;
  bool put_native(const transport::transfer& all, operation& record, bool immediate) noexcept;
  bool goes_native(rank_id target, std::size_t bytes, bool alone) const noexcept;
  bool is_in_heaps(segment_part part) const noexcept;
  void note_memory(rank_id rank, const published_part& theirs) noexcept;
  void forget_key() noexcept;

  runtime& owner_;
  segment_part mine_;
  std::uint64_t key_ = transport::no_memory_key;  // of this rank's part, if registered for itself
  std::vector<route> rows_;
  std::vector<transport::remote_memory> remote_;  // by rank; none where there is no network
};

}  // namespace atl
