// SPDX-License-Identifier: BSD-3-Clause
//
// Memory at one offset on all threads that one thread allocates by itself. The others need not
// answer, so a thread that only waits for a flag cannot delay it. The front takes a range of
// addresses out of the symmetric heap for that. A word on thread 0 says how much of the range has
// been given out. A thread takes stretches from there by one remote atomic, and allocates inside
// of them, so two threads never hold the same offset.
//
// Before a block lies a header, in the memory of thread 0. It names the thread that handed the
// block out, to which it goes back: a thread that frees it links it into a list of that thread
// (thread_words), and the owner takes the list over when it allocates next.
//
// The machine promises memory (host_memory::commit) for all threads of the caller's host. Hosts of
// other threads are not asked: one that runs out of memory ends the job.
//
// Threads: one at a time.
#pragma once

#include <front/upc/process_state.hpp>

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <utility>

namespace atl::upc {

class global_heap {
 public:
  /// Collective.
  explicit global_heap(process_state& us);

  /// The offset of a new block of `bytes` on every thread, at a multiple of 64; 0 when there is
  /// not enough memory.
  std::uint64_t allocate(std::size_t bytes);

  /// Frees a block that any thread has allocated; `call` names the caller where no block is there.
  void free(const char* call, std::uint64_t offset);

  /// The begin and the end, as its user sees it, of the live block that holds an offset of this
  /// heap; two zeros when there is none. Searches for the header backwards from the offset, so it
  /// takes long for a large block. Empty where thread 0's memory is not mapped here.
  std::optional<std::pair<std::uint64_t, std::uint64_t>> find_block(
      std::uint64_t offset) const noexcept;

  /// Whether the offset is one of this heap's.
  bool contains(std::uint64_t offset) const noexcept { return offset >= begin_ && offset < end_; }

 private:
  struct header;

  std::uint64_t take(std::size_t bytes);
  void give(std::uint64_t place, std::size_t bytes);
  void take_back();
  bool extend(std::size_t bytes);
  std::uint64_t take_addresses(std::size_t bytes);
  void discard(std::uint64_t place, std::size_t bytes) const noexcept;
  header read_header(std::uint64_t place) const noexcept;
  std::uint64_t header_atomic(std::uint64_t place, std::size_t member, atomic_op op,
                              std::uint64_t operand, std::uint64_t operand2) const noexcept;

  process_state& us_;
  std::uint64_t begin_ = 0;  // of the range
  std::uint64_t end_ = 0;
  std::map<std::uint64_t, std::uint64_t> free_;  // offset -> bytes, of what this thread has taken
};

}  // namespace atl::upc
