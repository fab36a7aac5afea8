// SPDX-License-Identifier: BSD-3-Clause
//
// Moves the static variables of the program (.data and .bss) into the memory that the ranks of the
// host share, and maps them over themselves. Addresses and values stay as they were; peers reach
// the variables by loads and stores at the place in the shared memory. It works for programs of
// fixed and of any position, needs no privileges, and leaves pages that were never touched without
// memory.
//
// The writable segment of the main program is moved, in whole pages, without the part that the
// loader makes read-only after relocation. Variables of shared libraries are not moved.
//
// Threads: other threads are held still while the pages change hands (stopped_threads.hpp). Fork:
// shared pages would stay shared with a child, so a child gets a private copy of the variables as
// they are at the fork; children of vfork and posix_spawn need none.
#pragma once

#include <atoll/memory/host_memory.hpp>
#include <atoll/memory/mappings.hpp>

#include <cstddef>
#include <cstdint>

namespace atl::memory {

/// The static variables of the main program: whole pages. Empty where there are none to move.
address_range program_data() noexcept;

/// The bytes of it that moving them touches: its pages that come from the program's file, and those
/// that exist.
std::size_t existing_program_data() noexcept;

/// False where a sanitizer is linked into the program, which keeps its own state among the
/// program's variables. move() does not check that.
bool can_move_program_data() noexcept;

/// A number that two processes have in common when they run the same program: made from the
/// layout of its segments and its build id.
std::uint64_t program_mark() noexcept;

/// The variables of the program, for as long as they lie in the shared memory. One per process.
class static_data {
 public:
  /// Does not move the variables yet. `block` is memory of this rank in the host's file, as large
  /// as program_data(), aligned to pages.
  static_data(host_memory& host, std::byte* block) noexcept;
  static_data(const static_data&) = delete;
  static_data& operator=(const static_data&) = delete;
  /// Moves the variables back if move_back() has not been called.
  ~static_data();

  /// False, and nothing has changed, when a thread cannot be held still or the kernel refuses.
  bool move() noexcept;

  /// Moves the variables back into private memory, with the values that they have. False when a
  /// thread cannot be held still or there is no memory: then they stay in the block, which keeps
  /// working also after the host's memory is unmapped, but must not serve anything else.
  bool move_back() noexcept;

  const address_range& range() const noexcept { return range_; }
  bool is_moved() const noexcept { return moved_; }

 private:
  std::byte* copy_out() const noexcept;
  [[gnu::constructor]] static void register_fork_handlers() noexcept;
  static void before_fork() noexcept;
  static void after_fork_in_parent() noexcept;
  static void after_fork_in_child() noexcept;

  host_memory& host_;
  std::byte* block_;
  address_range range_;
  bool moved_ = false;
  std::byte* fork_copy_ = nullptr;  // between before_fork() and what follows
};

}  // namespace atl::memory
