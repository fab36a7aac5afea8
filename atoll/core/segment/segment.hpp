// SPDX-License-Identifier: BSD-3-Clause
//
// Segments: memory that ranks have shared with each other. Each rank has a part, perhaps an empty
// one, and a table of routes to the parts of all ranks (route.hpp). Segment 0 is the heaps: all
// memory from which any front allocates, shared when the runtime starts. Other segments may be any
// memory of the process.
//
// Ranks of the same host reach memory in the heaps by loads and stores, and ranks of other hosts by
// the network's own transfers. Any other memory is registered with the network for those. A
// neighbour loads and stores there too if the memory is a mapping of a file that was given with it
// (segment_part::file). Else it lets the kernel copy, where that is allowed and the transfer is not
// small, and otherwise sends messages, which the owner must poll for.
//
// Threads: any thread may transfer in mode `any`. Placing a part and learning the parts of other
// ranks is set-up, before any transfer to them begins.
#pragma once

#include <atoll/base/rank.hpp>
#include <atoll/core/progress/event.hpp>
#include <atoll/core/segment/device_part.hpp>
#include <atoll/core/segment/route.hpp>
#include <atoll/transport/message.hpp>

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace atl {

class runtime;
struct file_parts;
struct segment_access;
template <class Row>
class sparse_table;

/// A rank's part of a segment, by its owner's addresses.
///
/// A part that is a shared mapping of a file may say so by `file` and `file_offset`: neighbours
/// then map it as well, and put, get and do atomics there by loads and stores, as in the heaps. The
/// file is a memfd, or any other that can be mapped to be read and written. The program may close
/// its descriptor when the part has been shared; the file must not be made shorter while the
/// segment has it. Neighbours take a duplicate of the descriptor through the kernel; where that
/// refuses (containers, Yama), and between hosts, transfers go as to any other memory.
struct segment_part {
  std::byte* base = nullptr;
  std::size_t bytes = 0;             // 0: none
  memory::device* device = nullptr;  // the device that it is memory of; null: host memory
  bool is_registered = false;        // of a device's: all networks read and write it here
  std::byte* in_heaps = nullptr;     // another address of the same memory, in the owner's heaps
  int file = -1;  // the descriptor of the file that the part maps, without fcntl locks; -1: none
  std::uint64_t file_offset = 0;  // of the part's first byte in that file
};

/// The description of a part that its owner sends to other ranks; these bytes travel as they are.
struct published_part {
  static constexpr std::uint64_t outside_of_heaps = ~std::uint64_t{0};

  std::uint64_t address = 0;                     // the owner's
  std::uint64_t bytes = 0;                       // 0: none
  std::uint64_t heap_offset = outside_of_heaps;  // in the owner's heaps, if it lies there
  std::array<std::uint64_t, transport::networks_max> keys = no_keys();  // by the owner's networks
  std::uint32_t number = 0;  // a segment number that the owner has not used
  memory::memory_kind kind = memory::memory_kind::host;
  bool is_exported = false;          // by the handle that follows
  memory::exported_memory exported;  // of a device's memory or of a file, and only sent with those

  static constexpr std::array<std::uint64_t, transport::networks_max> no_keys() noexcept {
    std::array<std::uint64_t, transport::networks_max> keys{};
    for (auto& key : keys) key = transport::no_memory_key;  // fill() is not constexpr in C++17
    return keys;
  }

  std::size_t sent_bytes() const noexcept {
    const bool is_plain = kind == memory::memory_kind::host && !is_exported;
    return is_plain ? offsetof(published_part, exported) : sizeof *this;
  }
};

/// Options of a transfer's operation.
struct transfer_options {
  bool immediate = false;     // refuse rather than wait for resources
  bool keeps_source = false;  // of a put: the source stays as it is until the put is complete
  bool alone = false;         // the caller waits for it, and starts no other meanwhile
  memory::device* device = nullptr;  // the local end is memory of this device
};

class segment : private atoll_segment {
 public:
  /// A segment without parts, and without a number until share().
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

  /// Shares this rank's part with those of all ranks of the job, and gives the segment its
  /// number. Collective; each rank may have a part of any size, or none. The part is any memory
  /// of this process that outlives the segment. May be called again with another part. Throws
  /// `atl::error` on all ranks where one's part is no mapping of its file; that rank then has none.
  void share(segment_part own);
  /// The same with the part that this rank has placed.
  void share();

  /// Sets this rank's part on this rank only; others reach it once they have learned of it. Throws
  /// as share() does; then the part is the one of before.
  void place(segment_part own);

  /// This rank's part, and that of any rank by its own addresses.
  segment_part own_part() const noexcept { return own_part_; }
  segment_part part(rank_id rank) const noexcept { return {rows_[rank].base(), rows_[rank].bytes}; }

  rank_id ranks() const noexcept { return atoll_segment::ranks; }

  /// The rows, by rank; the address stays the same for the segment's life.
  const route* routes() const noexcept { return rows_; }

  /// Ranks below this one may be reached by inline code: all, or none where ATOLL_COUNTERS asks for
  /// a count of every transfer, which only the library keeps.
  rank_id inline_ranks() const noexcept { return atoll_segment::inline_ranks; }

  /// The segment as C programs and the headers of fronts know it (atoll/abi.h).
  const atoll_segment* handle() const noexcept { return this; }
  static segment& from_handle(const atoll_segment* handle) noexcept {
    return const_cast<segment&>(static_cast<const segment&>(*handle));  // no segment is const
  }

 private:
  friend struct segment_access;
  rank_id share_all(bool is_refused, bool is_alike);
  /// Shares the same range of addresses on every rank, which none has in the heaps, so that no rank
  /// has to keep the others' parts: a transfer to a rank begins with open_alike(). Throws as
  /// share() does.
  void share_alike(segment_part own);
  /// Writes the row of a rank's part. One thread at a time.
  void open_alike(rank_id rank) noexcept;
  /// Starts a put or get that cannot be direct; adds its pieces to `record`. False: `immediate` and
  /// there was no room, nothing happened.
  bool start_put(rank_id target, void* to, const void* from, std::size_t bytes, operation& record,
                 transfer_options options) noexcept;
  bool start_get(void* to, rank_id target, const void* from, std::size_t bytes, operation& record,
                 transfer_options options) noexcept;

  /// publish() describes this rank's part for other ranks; learn() stores the description of
  /// another rank's part.
  published_part publish() const noexcept;
  void learn(rank_id rank, const published_part& published) noexcept;

  /// The rank is lost: nothing reaches its part directly any more.
  void close(rank_id lost) noexcept;

  /// Whether the part of `target` is memory of a device, which no processor touches.
  bool is_on_device(rank_id target) const noexcept {
    return !device_parts_.empty() && device_parts_[target].kind != memory::memory_kind::host;
  }
  device_part& device_part_of(rank_id target) noexcept { return device_parts_[target]; }
  /// Ends the job with a message when it is: this operation cannot be done there.
  void check_host_memory(const char* action, rank_id target) const noexcept;

  /// The part of `target` as the network reaches it; without a key where it does not.
  transport::remote_memory memory_of(rank_id target) const noexcept;
  /// Whether the network reaches the part of `target`, for its own atomics.
  bool network_reaches(rank_id target) const noexcept {
    return memory_of(target).key != transport::no_memory_key;
  }
  /// A transfer by the network where it reaches the part, and the local end if that is a device's.
  void start_registered(bool is_put, const transport::transfer& request,
                        operation& record) noexcept;
  /// Starts an atomic by the first network as a piece of `record`; sets the context and memory of
  /// `transfer`.
  bool start_atomic(transport::atomic_transfer transfer, operation& record,
                    bool immediate) noexcept;

  /// Whether the kernel should copy between this process and the part of `peer`, which is not
  /// mapped here.
  bool goes_by_kernel(rank_id peer, std::size_t bytes, std::size_t pieces,
                      bool alone) const noexcept;
  /// Ends the job when such a copy was refused and the setting allows no other way.
  void check_kernel_copy(rank_id peer) const noexcept;
  /// Copies by the kernel; false: some of it cannot be reached this way.
  bool put_by_kernel(rank_id target, std::uintptr_t address, const void* from,
                     std::size_t bytes) noexcept;

  /// Whether the network should put the payload of a long request to `target` in its place: when it
  /// has so many pieces that this is worth another round trip.
  bool puts_payload(rank_id target, std::size_t bytes) const noexcept;
  /// Starts that put; its source must stay as it is until `record` is complete. Counted as part of
  /// the message, not as a put.
  void start_payload(const transport::message& message, operation& record) noexcept;

  /// Ends the job with a message when `target` is no rank, or these bytes are not in its part.
  void check_range(const char* action, rank_id target, const void* address,
                   std::size_t bytes) const noexcept;
  /// Checks `target` alone.
  void check_rank(const char* action, rank_id target) const noexcept;

  bool get_by_kernel(void* to, rank_id target, std::uintptr_t address, std::size_t bytes) noexcept;
  template <class Post>
  transport::post start_piece(rank_id target, operation& record, bool immediate,
                              Post post) noexcept;
  template <class Post>
  bool start_native(transport::transfer transfer, std::size_t piece_max, operation& record,
                    bool immediate, Post post) noexcept;
  bool put_native(const transport::transfer& transfer, operation& record, bool immediate) noexcept;
  bool goes_native(rank_id target, std::size_t bytes, bool alone) const noexcept;
  bool is_in_heaps(segment_part part) const noexcept;
  void note_key(rank_id rank, const published_part& published) noexcept;
  void note_device(rank_id rank, const published_part& published);
  std::byte* map_file(rank_id rank, const published_part& published) noexcept;
  void forget_keys() noexcept;
  bool has_all_keys() const noexcept;
  void forget_device() noexcept;

  runtime& owner_;
  segment_part own_part_;
  // Of this rank's part, if it is registered for itself; by network.
  std::array<std::uint64_t, transport::networks_max> keys_ = published_part::no_keys();
  // In pages that take memory when a row is written that is not zero: a segment without parts, or
  // of parts that are alike, has few such rows.
  std::unique_ptr<sparse_table<route>> table_;
  route* rows_;
  // By rank: the complement of the key of a part that is registered for itself, 0 where none is.
  std::unique_ptr<sparse_table<std::uint64_t>> registered_;  // null without a network
  std::vector<device_part> device_parts_;  // by rank; empty while no part is a device's
  std::unique_ptr<file_parts> files_;      // null while no part that this rank maps has a file
};

}  // namespace atl
