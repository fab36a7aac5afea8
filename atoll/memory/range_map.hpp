// SPDX-License-Identifier: BSD-3-Clause
//
// Which parts of an address range are in use, kept beside that range and not inside it. The
// symmetric heap needs that for two reasons: a rank must be able to take a block at an offset that
// other ranks chose, and memory of a device cannot hold headers that the processor writes. Offsets
// count from the start of the range.
//
// Gaps hang in a map by their offset. The one behind all ranges in use is kept apart, and the sizes
// of all others in a set, so that a request larger than every gap goes after them at once.
//
// Threads: one at a time; the owner locks.
#pragma once

#include <cstddef>
#include <map>
#include <set>

namespace atl::memory {

class range_map {
 public:
  static constexpr std::size_t no_offset = ~std::size_t{0};

  /// A map of a range of this size, all of it free.
  explicit range_map(std::size_t limit_bytes) : limit_(limit_bytes) {}

  /// The lowest multiple of `alignment`, not below `from`, at which `bytes` are free; `no_offset`
  /// when there is no such place. `bytes` is not 0, `alignment` is a power of two.
  std::size_t find_room(std::size_t bytes, std::size_t alignment, std::size_t from = 0) const;

  /// Whether these bytes are free and inside the range.
  bool is_free(std::size_t offset, std::size_t bytes) const;

  /// Takes bytes that are free.
  void take(std::size_t offset, std::size_t bytes);

  /// Gives back the block that begins at `offset`; returns its bytes, or 0 when none begins
  /// there.
  std::size_t give_back(std::size_t offset);

  /// Lets the block that begins at `offset` end elsewhere. False, and nothing changed, when what it
  /// would grow into is not free.
  bool resize(std::size_t offset, std::size_t bytes);

  /// Ends the range at `limit_bytes`, below where it ended. False, and nothing changed, when
  /// something is taken after that.
  bool lower_limit(std::size_t limit_bytes) noexcept {
    if (limit_bytes < end_ || limit_bytes > limit_) return false;
    limit_ = limit_bytes;
    return true;
  }

  /// Bytes of the block that begins at `offset`; 0 when none begins there.
  std::size_t size_at(std::size_t offset) const;

  /// Where the last block ends; 0 when there is none.
  std::size_t end() const noexcept { return end_; }
  std::size_t limit() const noexcept { return limit_; }
  std::size_t used() const noexcept { return used_; }
  std::size_t blocks() const noexcept { return blocks_.size(); }

  struct gap {
    std::size_t offset;
    std::size_t bytes;
  };
  /// The free bytes around a free offset, up to the blocks at both sides.
  gap gap_around(std::size_t offset) const;

  /// Compares blocks, gaps and sums with each other; false when they do not fit together.
  bool is_valid() const;

 private:
  void add_gap(std::size_t offset, std::size_t bytes);
  void remove_gap(std::map<std::size_t, std::size_t>::iterator entry);

  std::size_t limit_;
  std::size_t end_ = 0;
  std::size_t used_ = 0;
  std::map<std::size_t, std::size_t> blocks_;  // offset -> bytes
  std::map<std::size_t, std::size_t> gaps_;    // the same for what is free below end_
  std::multiset<std::size_t> gap_sizes_;       // of gaps_
};

}  // namespace atl::memory
