// SPDX-License-Identifier: BSD-3-Clause
//
// Relaxed accesses of single values to threads whose memory is not mapped here (UPC language
// specification 1.3, 5.1.2.3 and appendix B). Between two points at which a thread orders its
// accesses, a read may return any value that the location has held since the first point, and
// writes may arrive in any order, except that accesses to one location stay in the order of the
// program. So a read fetches the whole line around its location, later reads find it there, and
// writes are not waited for. In a loop that waits for nothing, many writes share a message, which
// is sent at the loop's end at the latest. atoll_upc_complete() drops all lines and waits for all
// writes; each barrier, fence, lock, collective function and strict access calls it.
//
// A line serves a bounded number of reads, so that a loop of relaxed reads that waits for another
// thread ends. Accesses to threads that this process could also reach by a private pointer never go
// through here. Only the thread that runs main has lines; accesses of other threads are single
// transfers. A program has no lines, and its writes do not wait, where a unit says that several
// threads of the process access shared memory (-fopenmp).
#pragma once

#include <atoll_upc/pointer.h>
#include <atoll/core/progress/operation_group.hpp>
#include <atoll/core/strided/memory_run.hpp>
#include <front/upc/run_transfers.hpp>

#include <pthread.h>

#include <array>
#include <bitset>
#include <cstddef>
#include <cstdint>

namespace atl::upc {

struct process_state;

class relaxed_accesses {
 public:
  static constexpr std::size_t line_bytes = 1024, lines = 64, largest_value = 64;
  static constexpr unsigned reads_of_line = 128, writes_at_once = 256;
  static constexpr std::size_t parcel_writes = 128, parcels = 4;

  explicit relaxed_accesses(process_state& us) noexcept;
  relaxed_accesses(const relaxed_accesses&) = delete;
  relaxed_accesses& operator=(const relaxed_accesses&) = delete;
  /// Waits for writes that the thread which runs main has left under way.
  ~relaxed_accesses();

  /// Whether accesses of so many bytes to the thread go through here.
  [[nodiscard]] bool serves(std::uint32_t thread, std::size_t bytes) const noexcept;

  void get(void* to, atoll_upc_pointer from, std::size_t bytes) noexcept;
  void put(atoll_upc_pointer to, const void* from, std::size_t bytes) noexcept;

  /// Until send(), writes may wait for others to the same thread. False on threads whose accesses
  /// do not go through here.
  [[nodiscard]] bool hold() noexcept;
  void send() noexcept;

  /// To be called before these bytes are accessed by another way: completes earlier writes of them
  /// that were made here.
  void make_way(atoll_upc_pointer p, std::size_t bytes) noexcept;

  void complete() noexcept;

  /// Accesses to many values at once; they are ordered with those made here.
  run_transfers& runs() noexcept { return runs_; }
  /// Whether the calling thread is the one that runs main.
  [[nodiscard]] bool is_own_thread() const noexcept {
    return pthread_equal(pthread_self(), thread_) != 0;
  }

 private:
  struct line {
    std::uint64_t name = 0;  // thread and number of the line, 0: empty
    std::size_t bytes = 0;   // from its begin to the end of the thread's memory, at most a line
    unsigned reads_left = 0;
    alignas(16) std::array<std::byte, line_bytes> content;
  };

  /// Writes to one thread that wait for others.
  struct parcel {
    std::uint32_t thread = 0;
    std::size_t count = 0, bytes = 0;
    std::array<memory_run, parcel_writes> places;
    std::array<std::byte, parcel_writes * largest_value> values;
  };

  void add(parcel& to, std::uint32_t thread, std::byte* place, const void* value,
           std::size_t bytes) noexcept;
  void send(parcel& full) noexcept;
  void send_all() noexcept;
  static std::uint64_t name_of(std::uint32_t thread, std::uint64_t offset) noexcept {
    return (std::uint64_t{thread} + 1) << 44 | offset / line_bytes;
  }
  line& place_of(std::uint64_t name) noexcept { return lines_[(name * 0x9e3779b97f4a7c15U) >> 58]; }
  static std::size_t word_slot(std::uint32_t thread, std::uint64_t word) noexcept {
    return ((word + (std::uint64_t{thread} << 40)) * 0x9e3779b97f4a7c15U) >> 48;
  }
  bool fetch(line& into, std::uint64_t name, atoll_upc_pointer from) noexcept;
  void wait_for_values() noexcept;
  /// Waits for all values that are being fetched, if one of them has these bytes.
  void wait_for_values(atoll_upc_pointer p, std::size_t bytes) noexcept;
  void wait_for_writes(atoll_upc_pointer p, std::size_t bytes) noexcept;

  process_state& us_;
  run_transfers runs_;
  operation_group sent_;  // writes that are under way
  pthread_t thread_ = pthread_self();
  unsigned writes_ = 0;  // under way, or in a parcel
  struct written_bytes {
    std::uint32_t thread;
    std::uint64_t begin, end;
  };
  std::array<written_bytes, writes_at_once> places_;  // of these writes
  bool holds_ = false;
  std::array<parcel, parcels> parcels_;
  // By word_slot, to keep two writes of one word in order. A write whose slot is taken waits until
  // all others have arrived, so there are many more slots than writes at once.
  std::bitset<65536> written_;
  std::array<line, lines> lines_;
  static_assert(lines == 64, "place_of takes six bits");
};

}  // namespace atl::upc
