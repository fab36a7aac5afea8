// SPDX-License-Identifier: BSD-3-Clause
//
// Commands from rank to rank: bytes go out in one active message, or, when they are too many, lie
// in the sender's shared memory until the receiver has read them there. What arrives is work for a
// persona: the master for calls, the one that asked for results. A handler only puts it into the
// mailbox, so nothing of the program runs inside of a handler.
//
// Not part of the specification.
#pragma once

#include <upcxx/command.hpp>
#include <upcxx/persona.hpp>
#include <upcxx/writer.hpp>

#include <cstddef>
#include <cstdint>
#include <span>

namespace atl::upcxx_front {

/// Who waits for the result of a call: kept by the rank that called, until the result comes.
struct awaited_result {
  upcxx::persona* back = nullptr;
  void (*deliver)(awaited_result& self, reader& from) = nullptr;
};

/// A message that has arrived. Held by whoever runs it, and ended once by end_message().
struct arrived_message : work {
  std::uint32_t source = 0;
  std::uint32_t bytes_held = 0;        // of this object, for its end
  std::uint64_t answer_to = 0;         // the caller's awaited_result; 0: nobody waits
  std::span<const std::byte> payload;  // behind this object, or in the sender's memory
  std::uint64_t lent = 0;              // where in the sender's heap, to be given back; 0: here
  void (*run_when_here)(work& self) noexcept = nullptr;  // while it is still to be fetched
};
void end_message(arrived_message& gone) noexcept;

/// A command that waits to be sent.
struct waiting_call {
  writer command;
};

/// Makes a call that came as a part of a message: now, on a copy of its own, at user level.
void run_copied_call(std::uint32_t source, std::span<const std::byte> command) noexcept;

/// What a command is for.
enum class message_use : std::uint8_t { call, result };

/// Sends what the writer holds. `token` is the caller's awaited_result, at either end of the way.
void send_command(std::uint32_t target, message_use use, std::uint64_t token,
                  const writer& what) noexcept;

/// Writes by write(writer&) and sends. `bound` bytes are enough, or it is `unbounded`.
template <class Write>
void write_and_send(std::uint32_t target, message_use use, std::uint64_t token, std::size_t bound,
                    Write write) {
  constexpr std::size_t small = 512;
  if (bound <= small) {
    alignas(16) std::byte nearby[small];
    writer to(std::span<std::byte>(nearby, small));
    write(to);
    return send_command(target, use, token, to);
  }
  writer to;
  write(to);
  send_command(target, use, token, to);
}

}  // namespace atl::upcxx_front
