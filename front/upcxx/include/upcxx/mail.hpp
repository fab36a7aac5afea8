// SPDX-License-Identifier: BSD-3-Clause
//
// Commands from rank to rank. Bytes are written once: a few into a message's cell, more into a
// buffer of the transport, too many for a message into the sender's shared memory, where they lie
// until the receiver has read them. A command is for one persona of its target: a call for the
// master, a result for the persona that asked for it. Where the holder of that persona polls at
// user level, the command runs at once and reads the bytes where they came (takes_calls,
// process_state.hpp); otherwise it is copied into the persona's mailbox. A command to the own rank
// is a message in the mailbox from the start.
//
// This header is not part of the specification.
#pragma once

#include <atoll/base/slice.hpp>
#include <upcxx/command.hpp>
#include <upcxx/job.hpp>
#include <upcxx/persona.hpp>
#include <upcxx/writer.hpp>

#include <atoll/transport/message.hpp>

#include <cstddef>
#include <cstdint>

namespace atl::upcxx_front {

/// The waiter for the result of a call: kept by the rank that called, until the result comes.
struct awaited_result {
  upcxx::persona* back = nullptr;
  void (*deliver)(awaited_result& self, reader& from) = nullptr;
};

/// The purpose of a command.
enum class message_use : std::uint8_t { call, result };

/// A message that has arrived. The code that runs it holds it, and ends it once by end_message().
/// Its size is an alignment that suffices for nearly all that can be sent, so what lies behind it
/// has that.
struct alignas(64) arrived_message : work {
  std::uint32_t source = 0;
  std::uint32_t bytes_held = 0;    // of this object and what is behind it; 0: not ours to keep
  std::uint64_t answer_to = 0;     // the caller's awaited_result; 0: the caller waits for none
  slice<const std::byte> payload;  // behind this object, in a transport's or a sender's memory
  std::uint64_t lent = 0;          // where in the sender's heap, to be given back; 0: here
  message_use use = message_use::call;
  std::uint8_t alignment_log2 = 6;  // of the payload
};
static_assert(sizeof(arrived_message) == 64);

/// A message that may be kept after the function that runs it has returned: the same, or a copy
/// of one whose bytes are only lent to that run.
arrived_message& keep_message(arrived_message& message) noexcept;

void end_kept_message(arrived_message& gone) noexcept;
inline void end_message(arrived_message& gone) noexcept {
  if (gone.bytes_held != 0) end_kept_message(gone);
}

/// A command that waits to be sent.
struct waiting_call {
  writer command;
};

/// Makes a call that came as a part of a message: copies it and runs it at user level.
void run_copied_call(std::uint32_t source, slice<const std::byte> command) noexcept;

/// The bytes that a message's cell has room for beside the token.
inline constexpr std::size_t cell_bytes = 104;

/// Sends a copy of what the writer holds. `token` is the caller's awaited_result, whether a call or
/// its result is sent.
void send_command(std::uint32_t target, message_use use, std::uint64_t token,
                  const writer& command) noexcept;

/// A message while it is written, in the memory that it is sent from. A message that is too large
/// for the transport needs shared memory. Where none is left, a call throws
/// upcxx::bad_shared_alloc, and a result ends the job, since no caller could catch an exception.
class outgoing {
 public:
  /// `bound` bytes are enough, or it is `unbounded`.
  outgoing(std::uint32_t target, message_use use, std::uint64_t token, std::size_t bound)
      : target_(target), use_(use), token_(token), to(choose(bound)) {}
  outgoing(const outgoing&) = delete;
  outgoing& operator=(const outgoing&) = delete;
  ~outgoing() { give_back(); }
  /// Moves what has been written to the memory that it is sent from.
  void place();
  /// After place().
  void send() noexcept;

 private:
  slice<std::byte> choose(std::size_t bound);
  void give_back() noexcept;
  bool fits_where_it_is() const noexcept;
  std::byte* room_in_heap(std::size_t bytes, std::size_t alignment) const;
  void send_to_self() noexcept;
  void send_buffer() noexcept;
  void send_from_heap() noexcept;

  std::uint32_t target_;
  message_use use_;
  std::uint64_t token_;
  // One of these, the one that is not null.
  arrived_message* own_ = nullptr;
  transport::staging buffer_;
  std::byte* lent_ = nullptr;

 public:
  writer to;
};

/// Writes by write(writer&) and sends. `bound` bytes are enough, or it is `unbounded`. Calls
/// ready() between the two: after that nothing throws.
template <class Write, class Ready>
void write_and_send(std::uint32_t target, message_use use, std::uint64_t token, std::size_t bound,
                    Write write, Ready ready) {
  if (bound <= cell_bytes && target != job.rank) {
    alignas(64) std::byte nearby[cell_bytes];
    writer to(slice<std::byte>(nearby, cell_bytes));
    write(to);
    ready();
    return send_command(target, use, token, to);
  }
  outgoing out(target, use, token, bound);
  write(out.to);
  out.place();
  ready();
  out.send();
}

}  // namespace atl::upcxx_front
