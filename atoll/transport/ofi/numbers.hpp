// SPDX-License-Identifier: BSD-3-Clause
//
// The numbers of the packets of one peer, as they arrive. Where packets complete in the order in
// which they were sent, a number that is not the next one shows that a connection has broken and
// has swallowed some. Where they complete in any order (a large one later than small ones sent
// after it), a missing packet may still be under way, and only waiting can tell. So this class
// remembers a *mark*: the number of a question or an answer, and how many packets before it are
// missing. As long as some are missing, the peer is asked (context::ask_debtors). Each answer has
// travelled to the peer and back since, and packets under way have moved on meanwhile. Packets
// still missing after several answers are lost.
//
// Nothing here knows libfabric or the time.
#pragma once

#include <cstdint>

namespace atl::transport::ofi {

class packet_numbers {
 public:
  /// Answers since the mark after which a packet that is still missing is lost. They come a second
  /// apart, and rxd, which repeats what gets lost, pauses for up to 4 s between two attempts.
  static constexpr std::uint32_t answers_max = 9;

  /// How many packets have come.
  std::uint64_t heard() const noexcept { return heard_; }

  /// A packet has come where all complete in order; false when those before it have not.
  bool next(std::uint64_t number) noexcept { return number == heard_++; }

  /// The same for something that carries the low half of its number.
  bool next_low(std::uint32_t low) noexcept { return low == static_cast<std::uint32_t>(heard_++); }

  /// A packet has come where they complete in any order.
  void take(std::uint64_t number) noexcept {
    ++heard_;
    if (number > highest_) highest_ = number;
    if (number < mark_ && --missing_ == 0) mark_ = 0;
  }

  /// The packet just taken was a question or an answer, sent while the peer polled. Sets a mark
  /// unless there is one already, or the number of packets that arrived before it is not known.
  void set_mark(std::uint64_t number) noexcept {
    if (mark_ != 0 || number < highest_ || heard_ > number) return;
    mark_ = number;
    missing_ = number + 1 - heard_;
    answers_ = 0;
  }

  /// An answer has come, the first since this side has last asked; false when the packets that are
  /// missing before the mark are lost.
  bool answered() noexcept { return mark_ == 0 || ++answers_ < answers_max; }

  /// Packets before the mark that have not come; 0: none is missed.
  std::uint64_t missing() const noexcept { return mark_ == 0 ? 0 : missing_; }

 private:
  std::uint64_t heard_ = 0;
  std::uint64_t highest_ = 0;
  std::uint64_t mark_ = 0;  // 0: none, since nothing can be missing before number 0
  std::uint64_t missing_ = 0;
  std::uint32_t answers_ = 0;
};

}  // namespace atl::transport::ofi
