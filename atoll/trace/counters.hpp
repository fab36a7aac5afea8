// SPDX-License-Identifier: BSD-3-Clause
//
// Counters of what a process did: operations, bytes, polls, stalls. The library always counts, so
// counting must cost next to nothing and never be wrong: every thread counts in a block of its own
// (thread-local, no atomic read-modify-write, no shared line), and a reader adds the blocks up. A
// block joins the list when its thread counts for the first time and is folded into the total when
// the thread ends.
//
// Puts and gets that a program does inline, by loads and stores, are not counted: a counter costs
// more than the transfer. Where ATOLL_COUNTERS asks for the table, none is done inline, and all are
// counted here.
//
// Counters belong to the process, not to a runtime: several runtimes in one process (tests) share
// them. Sharing is the price of an increment that costs one instruction.
#pragma once

#include <atoll/base/language.hpp>
#include <atoll/base/threads/atomic_view.hpp>

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace atl::trace {

/// The counters, in the order of the printed table.
enum class counter : std::uint8_t {
  puts,
  put_bytes,
  gets,
  get_bytes,
  requests,
  replies,
  am_bytes,        // payload of requests and replies sent
  handled,         // messages whose handler ran here
  polls,           // calls of progress that looked for messages
  request_stalls,  // requests that had to wait for room
  reply_stalls,    // replies that had to wait for room
  refusals,        // immediate operations refused
  waits,           // blocking waits that did not find their condition true at once
  barriers,
  atomics,
  network_atomics,  // of these, done by a network itself
  registrations,    // of memory with a network
  kernel_copies,    // puts, gets and long messages that the kernel has copied
  count
};

inline constexpr std::size_t counter_count = static_cast<std::size_t>(counter::count);

/// The total of every thread of this process, by counter.
using totals = std::array<std::uint64_t, counter_count>;

/// One thread's block.
struct thread_counters {
  std::array<std::uint64_t, counter_count> values;
};

/// This thread's block; null until it counts. `initial-exec`: found by one load, no call.
extern ATOLL_CONSTINIT thread_local thread_counters* my_counters [[gnu::tls_model("initial-exec")]];

/// Makes this thread's block, and adds it to the list that `read` sums.
[[gnu::cold]] void enlist() noexcept;

/// Counts; any thread.
inline void count(counter counter_id, std::uint64_t amount = 1) noexcept {
  if (my_counters == nullptr) [[unlikely]]
    enlist();
  // A plain add for this thread; atomic so that a reader in another thread sees whole values.
  atomic_view<std::uint64_t> value(my_counters->values[static_cast<std::size_t>(counter_id)]);
  value.store(value.load(std::memory_order_relaxed) + amount, std::memory_order_relaxed);
}

/// Counts one transfer and its bytes. The first count has found the counters of this thread.
inline void count_transfer(counter operations, counter volume, std::uint64_t bytes) noexcept {
  count(operations);
  atomic_view<std::uint64_t> value(my_counters->values[static_cast<std::size_t>(volume)]);
  value.store(value.load(std::memory_order_relaxed) + bytes, std::memory_order_relaxed);
}

/// The sums over all threads, living and ended.
totals read() noexcept;

/// The name of a counter, as printed ("put bytes").
std::string_view name_of(counter counter_id) noexcept;

/// A table of the non-zero counters, one line each, for `ATOLL_COUNTERS=1`.
std::string table(const totals& sums);

}  // namespace atl::trace
