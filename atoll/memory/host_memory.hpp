// SPDX-License-Identifier: BSD-3-Clause
//
// The memory that the ranks of one host share: one anonymous file (memfd) for the whole job, mapped
// once by every rank, so that every rank's heap and message rings are ordinary addresses of every
// other rank. Laid out as
//
//     [header][area of the first rank][area of the next]...
//     area = [control][symmetric heap][shared heap]
//
// at a fixed stride, which is a multiple of the largest alignment of the symmetric heaps: they
// begin equally aligned on every rank, so an aligned offset is an aligned address everywhere. The
// file is sparse: an area reserves addresses for a heap as large as the machine, and only pages
// that a rank touches exist. Nothing has a name in a file system, so a killed job leaves nothing
// behind.
//
// A sparse file never raises SIGBUS inside its size, but the machine can run out of pages. So a
// heap asks commit() before it hands out memory: a counter in the header, shared by all ranks,
// holds what was promised, and is checked against the host's limit (from the machine's and the
// control group's memory) and against what is available now. Pages that transports use without a
// promise are no part of that: they must not count as promised pages that exist already.
//
// Threads: construction is set-up; everything else is const or atomic and may be called by any.
#pragma once

#include <atoll/base/rank.hpp>
#include <atoll/base/system/descriptor.hpp>
#include <atoll/memory/host_layout.hpp>
#include <atoll/memory/shared_page.hpp>

#include <cstddef>
#include <cstdint>
#include <span>

namespace atl::memory {

/// The sizes that a user has asked for, in bytes; 0: chosen by the machine's memory.
struct memory_wishes {
  std::size_t heap_limit = 0;
  std::size_t symmetric_limit = 0;
  std::size_t host_limit = 0;
};

/// The layout for this number of ranks. The whole control part is used without a promise, unless
/// the caller changes that.
host_layout plan(rank_id ranks, std::size_t control_bytes, const memory_wishes& wishes);

/// One rank's view of the host's shared memory.
class host_memory {
 public:
  /// Maps the file, growing it to the layout's size; throws `atl::error` where the address space
  /// or the file is refused.
  host_memory(descriptor file, const host_layout& layout, rank_id self);
  host_memory(const host_memory&) = delete;
  host_memory& operator=(const host_memory&) = delete;
  ~host_memory();

  const host_layout& layout() const noexcept { return layout_; }
  host_header& header() const noexcept { return *reinterpret_cast<host_header*>(base_); }
  rank_page& page(rank_id rank) const noexcept {
    return *reinterpret_cast<rank_page*>(control(rank));
  }
  /// The parts of a rank of this host, by its number in the job. The shared part is both heaps,
  /// and begins with the symmetric one.
  std::byte* control(rank_id rank) const noexcept;
  std::byte* shared(rank_id rank) const noexcept;
  std::byte* heap(rank_id rank) const noexcept { return shared(rank) + layout_.symmetric_limit; }

  /// Whether all ranks of the host see this memory at the same address, so that a pointer into it
  /// means the same in all of them. Known once all ranks have mapped it.
  bool is_at_one_address() const noexcept;

  /// Takes away access to the areas of all ranks of the host but `count` from `first` on, as a
  /// rank of another host would have none.
  void hide_all_but(rank_id first, rank_id count) noexcept;

  /// Promises `bytes` more to this rank's shared heap, whose committed part is now `already` bytes.
  /// False, and nothing changed, when the host's limit or the memory available now does not allow
  /// it.
  bool commit(std::size_t already, std::size_t bytes) noexcept;
  /// The same for a heap that checks its own limit.
  bool commit(std::size_t bytes) noexcept;

  /// Gives back what commit() promised.
  void release(std::size_t bytes) noexcept;

  /// The bytes that commit() has promised to the heaps of all ranks and that no rank has touched
  /// yet.
  std::size_t untouched_bytes() const noexcept;

  /// Gives the pages of this range of the file back to the machine; they read as zeros afterwards.
  /// Whole pages of 4 KiB.
  void discard(std::byte* begin, std::size_t bytes) noexcept;

  /// Maps this range of the file at `address` as well, in place of what is mapped there. Whole
  /// pages. False, and nothing changed, where the kernel refuses it.
  bool map_also(void* address, const std::byte* begin, std::size_t bytes) const noexcept;

  /// The first bytes from `begin` on, and before `end`, whose pages exist; all others are zeros
  /// that no page holds. Empty when there are none.
  std::span<std::byte> find_existing(std::byte* begin, std::byte* end) const noexcept;

 private:
  std::byte* map_at_common_address(std::size_t bytes, std::size_t front_bytes,
                                   std::size_t unit) const noexcept;
  std::byte* map_anywhere(std::size_t bytes, std::size_t front_bytes, std::size_t unit) const;
  bool is_covered(std::size_t promised) const noexcept;
  std::size_t touched_bytes() const noexcept;
  std::size_t touched_fixed_bytes() const noexcept;

  descriptor file_;
  host_layout layout_;
  rank_id self_;
  std::byte* base_ = nullptr;
};

}  // namespace atl::memory
