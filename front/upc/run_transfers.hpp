// SPDX-License-Identifier: BSD-3-Clause
//
// Copies of the elements that a loop goes through on threads whose memory is not mapped here
// (atoll_upc/run.h), a piece at a time. While the loop works on one piece, the next ones are
// fetched, and those that it has written are stored. The memory model allows that between two
// points at which a thread orders its accesses, as for single values (relaxed.hpp): complete()
// waits for all stores and drops what was fetched and not used.
//
// Accesses to one location stay in the order of the program: an access by another way calls
// make_way() first, which waits for a store of these bytes and drops what was fetched of them.
// Threads: the one that runs main; pieces of other threads are moved one by one.
#pragma once

#include <atoll_upc/pointer.h>
#include <atoll/core/progress/event.hpp>

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

namespace atl::upc {

struct process_state;

class run_transfers {
 public:
  static constexpr std::size_t piece_bytes_max = std::size_t{64} << 10;
  static constexpr std::size_t piece_bytes_min = piece_bytes_max / 2;  // of one fetched ahead
  static constexpr std::size_t pieces_ahead = 2, pieces_at_once = 16;

  using memory = std::unique_ptr<std::byte[]>;

  explicit run_transfers(process_state& us) noexcept : us_(us) {}

  /// A copy of these bytes. The loop then reads `ahead` more bytes that follow them at the same
  /// thread. `is_written`: it also writes what it reads.
  [[nodiscard]] memory read(atoll_upc_pointer from, std::size_t bytes, std::size_t ahead,
                            bool is_written);
  /// Whether these bytes have been fetched ahead and not been read since.
  [[nodiscard]] bool holds(atoll_upc_pointer p, std::size_t bytes) const noexcept;
  /// Stores a piece; takes over its copy.
  void store(memory copy, atoll_upc_pointer to, std::size_t bytes);

  /// Gives memory for a piece, and takes it back.
  [[nodiscard]] memory take();
  void give_back(memory copy) { unused_.push_back(std::move(copy)); }

  void make_way(atoll_upc_pointer p, std::size_t bytes) noexcept;
  /// Waits if one of these bytes is being stored.
  void finish_stores(atoll_upc_pointer p, std::size_t bytes) noexcept;
  void complete() noexcept;

 private:
  struct piece {
    std::uint32_t thread = 0;
    std::uint64_t offset = 0;
    std::size_t bytes = 0;
    std::size_t used = 0;  // from its begin: each byte is read once, so that a loop that waits ends
    memory copy;
    event done;

    [[nodiscard]] bool holds(atoll_upc_pointer p, std::size_t length) const noexcept {
      return thread == p.thread && offset + used <= p.offset && p.offset + length <= offset + bytes;
    }
    [[nodiscard]] bool overlaps(atoll_upc_pointer p, std::size_t length) const noexcept {
      return thread == p.thread && p.offset < offset + bytes && offset < p.offset + length;
    }
  };

  [[nodiscard]] piece start(atoll_upc_pointer from, std::size_t bytes);
  [[nodiscard]] piece take_fetched(atoll_upc_pointer from, std::size_t bytes);
  void fetch_ahead(atoll_upc_pointer from, std::size_t piece_bytes, std::size_t ahead);
  void make_room() noexcept;
  [[nodiscard]] std::size_t bytes_to_expect(atoll_upc_pointer from, std::size_t bytes,
                                            std::size_t ahead);
  void end(piece& ended) noexcept;
  void finish_stores() noexcept;

  /// The progress of the reads of a thread's memory.
  struct stream {
    std::uint32_t thread = 0;
    bool ended_a_loop = false;            // the last read did
    bool continues_behind_loops = false;  // the reads go on where a loop has ended
    std::uint64_t end = 0;
  };

  process_state& us_;
  std::array<stream, 16> streams_;
  std::vector<memory> unused_;
  std::vector<piece> fetched_, stored_;  // under way or done, in the order of their start
};

}  // namespace atl::upc
