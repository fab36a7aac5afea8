// SPDX-License-Identifier: BSD-3-Clause
//
// One side of a message, as the mailbox keeps it, and the arguments of messages that name it. Only
// the sources of the mailbox include this.
//
// A mail is in one place at a time: in the table, in the outbox, among those that the network
// moves, or named by the other side. A sender that has offered its data is in the table, where the
// answer of the receiver finds it. The memory of a mail whose team was abandoned is not used again,
// because the other side may still name it.
#pragma once

#include <atoll/base/halves.hpp>
#include <atoll/coll/engine/mailbox.hpp>
#include <atoll/core/am/am.hpp>
#include <atoll/core/progress/event.hpp>
#include <atoll/transport/message.hpp>

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>

namespace atl::coll {

inline constexpr std::uint32_t side_data = 0, side_ready = 1, side_offer = 2;

struct mail {
  message_name name;
  mail* next = nullptr;  // in a bucket, the list of free ones, or of granted ones
  transfers* group = nullptr;
  std::byte* data = nullptr;  // target or source; of early data: a block
  std::size_t bytes = 0;
  std::size_t sent = 0;               // of a large one, by the side that moves it; or asked for
  std::atomic<std::size_t> left = 0;  // of a large one, at its receiver
  std::uint64_t other = 0;            // at the side that moves it: the other side's mail,
  std::uint64_t place = 0;            // its memory,
  std::uint64_t expected = 0;         // and its bytes
  bool allows_kernel = false;         // whether the kernel may write, or read, them there
  bool gets = false;                  // a receiver that moves the data
  bool stops = false;                 // no transfer of it may begin any more
  std::uint64_t recalled_as = 0;      // the lender wants its memory back: an answer goes there
  mailbox* box = nullptr;             // of a lender
  transport::loan lent = {};          // of this side, which the other's network may fill or read
  transport::loan borrowed = {};      // of the other side, which this side's network may
  std::array<operation*, 2> under_way{};  // by the network, at the side that moves the data
  mailbox::step (mailbox::*attempt)(mail&) noexcept = nullptr;  // in the outbox: what to try again
};

inline std::uint64_t bits(const void* address) noexcept {
  return reinterpret_cast<std::uintptr_t>(address);
}

inline message_name name_from(const am_token& token, const std::uint32_t* args,
                              std::uint32_t side) noexcept {
  return {.team = join_halves(args),
          .sequence = args[2],
          .tag = args[3],
          .peer = token.source(),
          .side = side};
}

// A bit in the size that one side gives to the other: the kernel may copy the data.
inline constexpr std::uint64_t by_kernel_flag = std::uint64_t{1} << 63;

}  // namespace atl::coll
