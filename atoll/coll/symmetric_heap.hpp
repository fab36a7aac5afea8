// SPDX-License-Identifier: BSD-3-Clause
//
// The symmetric heap: memory that the members of a team allocate together, at the same offset on
// every member. So one number names a block everywhere, and a member that knows its own block knows
// those of all others (address_at).
//
// Ranks may have allocated differently before, because they are members of different teams. So
// members agree on an offset in rounds: each holds the lowest place that is free on it, from the
// agreed bound on, and one reduction finds the highest of these. If all named the same place, it
// is taken; otherwise the highest is the next bound. A bound only rises, so the rounds end, at
// the lowest place that is free on all members. If all ranks make the same calls, the first round
// decides. The reduction carries what was asked for as well, so a member that asks for something
// else than the others is noticed at no further cost.
//
// Nothing about blocks is kept inside the memory that is handed out (memory/range_map.hpp). The
// heap takes memory from the host as it grows, and gives the pages of large blocks back when they
// are freed.
//
// Errors: members that call differently all get an `atl::error` that names the difference, and
// nothing has happened. A null pointer, on all members, says that one of them has no room.
// Threads: any, by one at a time per team; calls of several teams may be under way at once.
#pragma once

#include <atoll/core/progress/attachment.hpp>
#include <atoll/core/team/rank_set.hpp>
#include <atoll/core/team/team.hpp>

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <string>

namespace atl::memory {
class host_memory;
class range_map;
}  // namespace atl::memory

namespace atl::coll {

class symmetric_heap final : public attachment {
 public:
  static constexpr std::size_t default_alignment = 16;

  explicit symmetric_heap(runtime& owner);
  ~symmetric_heap() override;

  /// A block of at least `bytes` (a block of its own for 0) at a multiple of `alignment`, a power
  /// of two, on every member. Collective, and a barrier: when it returns, others may write to the
  /// block. Null on all members when one has no room, or for an alignment beyond what the heaps of
  /// all ranks share (32 MiB, or the largest power of two in ATOLL_SYMMETRIC_LIMIT). The content is
  /// undefined.
  void* allocate(team& members, std::size_t bytes, std::size_t alignment = default_alignment);

  /// Changes the size of a block to `bytes`; the content is kept up to the smaller size. The block
  /// stays where it is if all members have room there. Collective, and a barrier. Null on all
  /// members when one has no room: then the block stays as it was. A null block is allocated.
  void* resize(team& members, void* block, std::size_t bytes,
               std::size_t alignment = default_alignment);

  /// Gives the block back. Collective, by the members that allocated it, and a barrier before
  /// anything is given back; nothing for null.
  void free(team& members, void* block);

  /// Allocation and release without communication, for members that tell each other by means of
  /// their own which place they hold. hold_local() returns the lowest place that is free on this
  /// member, or null without room. When all members hold the same place, each accepts it; when they
  /// do not, or when the block is no longer needed, each frees it here.
  void* hold_local(std::size_t bytes, std::size_t alignment = default_alignment);
  void accept_local(const team& members, void* block);
  void free_local(void* block);

  /// Takes the last `bytes` addresses of the heap out of it, for an allocator of the caller's, and
  /// returns the offset at which they begin; 0 when something is allocated there on a member.
  /// No memory is promised for them: the caller asks host_memory::commit before it uses any.
  /// Collective by all ranks of the job, for the life of the runtime.
  std::size_t set_aside(team& members, std::size_t bytes);

  /// The address, on `rank`, of what this rank has at `address`: for puts and gets through an
  /// endpoint to which both heaps are bound. Any rank of the job, any thread.
  void* address_at(rank_id rank, const void* address) const noexcept;

  /// The same at a neighbour, as an address of this process: for loads and stores.
  void* at_neighbour(rank_id neighbour, const void* address) const noexcept;

  /// Whether an address lies in this rank's symmetric heap.
  bool contains(const void* address) const noexcept;

  /// Bytes of the live block that begins at `address`; 0 when none does. Any thread.
  std::size_t block_bytes(const void* address) const noexcept;

  struct usage {
    std::size_t used_bytes = 0;       // of live blocks
    std::size_t committed_bytes = 0;  // taken from the host
    std::size_t limit_bytes = 0;
    std::size_t blocks = 0;
  };
  usage current_usage() const noexcept;

  bool advance() noexcept override { return false; }
  bool busy() const noexcept override { return false; }

 private:
  struct heap_call;
  struct answers;

  answers agree(team& members, const heap_call& own_request) const;
  static std::string difference(const heap_call& own_request, const answers& bounds);
  [[noreturn]] void refuse(const team& members, const heap_call& own_request,
                           const std::string& cause) const;
  bool is_block_of(const team& members, std::size_t offset) const;
  std::size_t place_together(team& members, heap_call own_request);
  void* move(team& members, const heap_call& own_request, std::size_t old_bytes);

  std::size_t hold(std::size_t bytes, std::size_t alignment, std::size_t from);
  void drop(std::size_t offset);
  bool try_grow(std::size_t offset, std::size_t bytes);
  void cut(std::size_t offset, std::size_t bytes);
  bool cover(std::size_t end);
  void shrink_to_fit();
  void discard_block(std::size_t offset, std::size_t bytes);
  std::size_t offset_of(const void* address) const noexcept {
    return static_cast<std::size_t>(static_cast<const std::byte*>(address) - base_);
  }

  runtime& owner_;
  memory::host_memory& host_;
  std::byte* base_;
  mutable std::mutex guard_;  // of what follows; never held while members agree
  const std::unique_ptr<memory::range_map> map_;
  std::size_t committed_ = 0;               // from the start of the heap on
  std::map<std::size_t, rank_set> owners_;  // the members that allocated the block at an offset
};

/// The symmetric heap of a runtime for which coll::open() was called.
symmetric_heap& symmetric_heap_of(runtime& owner);

}  // namespace atl::coll
