// SPDX-License-Identifier: BSD-3-Clause
//
// Copies between the memories of two ranks of a host, made by the kernel (process_vm_writev and
// process_vm_readv): for memory that is no part of the host's shared file, such as a buffer that
// the program has brought. One system call, one copy, and the peer need not take part.
//
// A process offers its memory when it first binds such a segment or receives a large message of a
// collective: it declares to the Yama module, where that asks, that the ranks of its job may reach
// it, and writes a card to its page: process id, and a random token with the token's address. A
// peer reads the token through the kernel before its first copy. So a process id of another
// namespace, a container that forbids the call, or a kernel without it are noticed, and the
// caller uses messages instead.
//
// Threads: all functions by any, but offer() by one at a time.
#pragma once

#include <atoll/base/rank.hpp>
#include <atoll/memory/host_memory.hpp>

#include <sys/types.h>
#include <sys/uio.h>

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace atl::memory {

/// The values of ATOLL_KERNEL_COPY, in the order of its choices.
enum class kernel_copy_mode : std::uint8_t { automatic, never, always };

/// Lets `ancestor` and its descendants take descriptors of this process and copy from and to its
/// memory, where the kernel's module Yama asks for that.
void declare_to_descendants_of(pid_t ancestor) noexcept;

class kernel_copy {
 public:
  kernel_copy(const host_memory& host, rank_id self, kernel_copy_mode mode);
  kernel_copy(const kernel_copy&) = delete;
  kernel_copy& operator=(const kernel_copy&) = delete;
  ~kernel_copy();

  /// Lets the ranks of this job reach this process's memory. `ancestor`: a process from which all
  /// ranks of the host descend. Does nothing when that has been done, or in mode `never`.
  void offer(pid_t ancestor) noexcept;

  /// Whether copies with this rank of the host work: it has made its offer, and the token has been
  /// read. Asks the kernel once.
  bool reaches(rank_id peer) noexcept;

  /// Whether a copy of this many bytes in `pieces` pieces is better than messages. `alone`: the
  /// caller waits for it before it does anything else.
  bool pays(std::size_t bytes, std::size_t pieces, bool alone) const noexcept;

  /// Copies to, and from, the memory of a rank that is reached; what was written is there on
  /// return, before any later store of this thread. False: some of it cannot be reached this way,
  /// and how much has been copied is not known.
  bool write(rank_id peer, std::uintptr_t remote, const void* local, std::size_t bytes) noexcept;
  bool read(rank_id peer, std::uintptr_t remote, void* local, std::size_t bytes) noexcept;

  /// The same between two lists of at most `parts_max` parts each, that hold `bytes` bytes each.
  bool write(rank_id peer, std::span<const iovec> remote, std::span<const iovec> local,
             std::size_t bytes) noexcept;
  bool read(rank_id peer, std::span<const iovec> remote, std::span<const iovec> local,
            std::size_t bytes) noexcept;
  static constexpr std::size_t parts_max = 256;

  /// Whether the setting allows no other way (mode `always`).
  bool is_forced() const noexcept { return mode_ == kernel_copy_mode::always; }
  /// The error number that tells why a peer was not reached, or why the last copy failed.
  int last_error() const noexcept { return last_error_.load(std::memory_order_relaxed); }

 private:
  enum class state : std::uint8_t { unknown, reached, refused };
  using call = ssize_t (*)(pid_t, const iovec*, unsigned long, const iovec*, unsigned long,
                           unsigned long);

  state probe(rank_id peer) noexcept;
  bool move(call copy, rank_id peer, std::uintptr_t remote_address, std::byte* local_address,
            std::size_t bytes) noexcept;
  ssize_t move_parts(call copy, rank_id peer, std::span<const iovec> remote,
                     std::span<const iovec> local) noexcept;
  pid_t process_of(rank_id peer) const noexcept;

  const host_memory& host_;
  rank_id self_;
  kernel_copy_mode mode_;
  std::array<std::uint64_t, 2> token_{};    // read by peers, through the kernel
  std::atomic<int> last_error_ = 0;         // relaxed: for a message
  std::vector<std::atomic<state>> states_;  // by rank of the host; relaxed: asked twice at worst
};

/// Tries a copy between two children of this process, as between two ranks: 0, or an error number.
int try_kernel_copy() noexcept;

}  // namespace atl::memory
