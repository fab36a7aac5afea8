// SPDX-License-Identifier: BSD-3-Clause
//
// The state of one peer with which packets are exchanged: for each channel the packet in which
// small messages gather, and the credits. A window of packets may be under way to a peer on a
// channel. The peer tells how many it has handled in the head of its next packet, or in a packet of
// its own when half a window has gathered. So no queue at a receiver exceeds its size, and a rank
// that is behind throttles the ranks that send to it.
//
// A connection that breaks may swallow packets without a word, and the provider makes a new one for
// the next packet. So packets have numbers (numbers.hpp), and a peer that owes credits for long is
// asked for them: the numbers of the question and of the answer tell when packets before them are
// missing.
#pragma once

#include <atoll/base/rank.hpp>
#include <atoll/transport/ofi/buffers.hpp>
#include <atoll/transport/ofi/numbers.hpp>

#include <rdma/fabric.h>

#include <array>
#include <cstddef>
#include <cstdint>

namespace atl::transport::ofi {

/// One channel to and from a peer.
struct channel_state {
  std::uint32_t buffer = buffers::no_buffer;  // the packet that gathers
  std::uint32_t filled_bytes = 0;             // of it, with its head
  std::uint32_t under_way = 0;                // packets sent whose credit has not come back
  std::uint32_t owed = 0;                     // packets handled here whose credit was not sent yet
  std::uint64_t round = 0;                    // of polls, in which the last packet went out
};

struct peer_state {
  rank_id rank = no_rank;
  fi_addr_t address = FI_ADDR_UNSPEC;     // libfabric's name for it, from the first contact on
  std::uint64_t sent = 0;                 // packets, and puts that fill loans
  packet_numbers numbers;                 // of its packets
  std::array<channel_state, 2> lanes;     // by channel
  std::uint32_t answers = 0;              // that have come from it
  bool has_transfers = false;             // some are under way to it, as note_transfers() has found
  bool has_filled = false;                // puts into its loans were sent, and may be swallowed
  std::uint32_t answers_when_filled = 0;  // `answers` when the last of these was sent
  bool wants_credits = false;             // it wants its credits back, however few
  bool wants_answer = false;              // it wants an answer, also without credits
  bool owes_answer = false;               // it was asked, and has not answered since
  bool is_listed = false;                 // among the peers to which something is to be sent
  bool is_throttled = false;              // if it is to be: its connection's send buffer is small
  bool is_lost = false;                   // nothing is sent to it, and nothing taken from it
};

}  // namespace atl::transport::ofi
