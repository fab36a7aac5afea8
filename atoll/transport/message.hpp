// SPDX-License-Identifier: BSD-3-Clause
//
// The values that cross the transport contract: a message to send, a message that arrived, a buffer
// to fill in place, a one-sided transfer. Plain data, valid for the duration of the call that
// carries it.
#pragma once

#include <atoll/base/atomic_ops.hpp>
#include <atoll/base/rank.hpp>

#include <cstddef>
#include <cstdint>
#include <limits>

namespace atl::transport {

/// Most arguments (32-bit each) of an active message.
inline constexpr unsigned max_args = 16;

/// Endpoint indices that a message can name.
inline constexpr unsigned max_endpoints = 128;

/// Result of posting to a transport: it has happened; it is under way, and receiver::complete()
/// will tell (transfers only); or nothing happened.
enum class post : std::uint8_t { done, posted, retry };

/// Requests and replies travel apart; see transport.hpp.
enum class channel : std::uint8_t { request, reply };

/// How a message carries its payload: none, in a buffer valid while the handler runs, or already
/// stored in the target's segment.
enum class category : std::uint8_t { short_, medium, long_ };

/// One active message to send. `via` to `nargs` lie side by side: a transport copies them as one.
struct message {
  rank_id target = no_rank;
  channel via = channel::request;
  category kind = category::short_;
  std::uint8_t handler = 0;
  std::uint8_t nargs = 0;
  std::uint8_t endpoint = 0;            // index of the endpoint at the target, below max_endpoints
  std::uint8_t crossing = 0;            // that index XOR the one it comes from; mostly 0
  const std::uint32_t* args = nullptr;  // nargs of them
  const void* payload = nullptr;        // medium: the bytes to carry
  std::size_t bytes = 0;                // medium and long: payload size
  std::uintptr_t address = 0;           // long: where the payload is, as the target addresses it
};

/// One active message that arrived; args and payload are valid until the handler returns. Begins
/// like a message, with the source in place of the target.
struct arrival {
  rank_id source = no_rank;
  channel via = channel::request;
  category kind = category::short_;
  std::uint8_t handler = 0;
  std::uint8_t nargs = 0;
  std::uint8_t endpoint = 0;
  std::uint8_t crossing = 0;
  bool taken_out = false;  // the transport may be polled again before deliver() returns
  const std::uint32_t* args = nullptr;
  void* payload = nullptr;  // medium: a buffer, 8-byte aligned; long: in the segment
  std::size_t bytes = 0;
};

/// A buffer to fill in place before commit(); data is null when none was free.
struct staging {
  void* data = nullptr;
  std::size_t bytes = 0;    // room
  std::uint32_t block = 0;  // the transport's own name for it
  channel via = channel::request;
};

/// Networks that one rank may have at most.
inline constexpr std::size_t networks_max = 4;

/// A key that names no registered memory.
inline constexpr std::uint64_t no_memory_key = ~std::uint64_t{0};

/// Memory that a rank has registered with the transport.
struct remote_memory {
  std::uintptr_t base = 0;            // as its owner addresses it
  std::uint64_t key = no_memory_key;  // what register_memory() gave the owner
};

/// Memory that one rank may fill once by puts, from its beginning on, or read by gets; see
/// transport::lend().
struct loan {
  static constexpr std::uint32_t no_number = ~std::uint32_t{0};

  /// Bytes of each put but the last. Between two puts the sender polls, and its connection is idle;
  /// while one waits for room in the kernel's buffer, the sender receives. (To other machines that
  /// buffer may take a whole put. This size was measured between ranks of one machine only.)
  static constexpr std::size_t put_bytes = std::size_t{1} << 20;
  static constexpr std::size_t puts_of(std::size_t bytes) noexcept {
    return (bytes + put_bytes - 1) / put_bytes;
  }

  std::uint64_t key = no_memory_key;  // this and the number go to the borrower
  std::uint32_t number = no_number;
  void (*filled)(void* context) noexcept = nullptr;  // all has come, and the loan is over
  void* context = nullptr;
};

/// A native put or get: between `local` in this process and `remote`, an address of the target in
/// its registered `memory`.
struct transfer {
  rank_id target = no_rank;
  remote_memory memory;
  std::byte* local = nullptr;  // of a put: only read
  std::uintptr_t remote = 0;
  std::size_t bytes = 0;
  void* context = nullptr;    // what receiver::complete() is told
  bool keeps_source = false;  // of a put: `local` stays as it is until the put is complete
  std::uint32_t loan = loan::no_number;  // of a put that fills what was lent
  bool on_device = false;  // `local` is in registered memory of a device; the source is kept
};

/// A native atomic on one number that is aligned to its size, at `remote`, an address of the
/// target in its registered `memory`.
struct atomic_transfer {
  rank_id target = no_rank;
  remote_memory memory;
  atomic_op op = atomic_op::get;
  data_type type = data_type::u64;
  std::uintptr_t remote = 0;
  void* result = nullptr;     // of an operation that fetches: place for the old value
  std::uint64_t operand = 0;  // as bits, in the low half where the type is small
  std::uint64_t operand2 = 0;
  void* context = nullptr;  // what receiver::complete() is told
};

/// A transport's terms for a thread that is about to sleep.
struct sleep_terms {
  static constexpr std::int64_t no_limit = std::numeric_limits<std::int64_t>::max();

  bool allowed = true;             // false: something has come already, poll again
  std::int64_t ns_max = no_limit;  // poll again no later
};

}  // namespace atl::transport
