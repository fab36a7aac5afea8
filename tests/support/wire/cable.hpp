// SPDX-License-Identifier: BSD-3-Clause
//
// A bad cable, and what it does to the frames that one host sends into it: it loses some, sends
// some twice, takes its time, lets frames overtake each other, and carries only so many bits in a
// second. It decides and counts; it neither holds frames nor knows the time, so its test needs no
// network.
//
// The same seed and the same frames give the same decisions: each frame takes as many random
// numbers as any other, whatever the settings, so that a change of one of them moves no other
// decision.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace atl::wire {

/// The conditions of a cable. `cable::set` takes them by these names.
struct condition {
  double delay_ms = 0;   // to every frame
  double jitter_ms = 0;  // more, evenly spread up to this
  double late = 0;       // of 1: the share of frames that are overtaken
  double late_ms = 0;    // by this much
  double loss = 0;       // of 1
  double twice = 0;      // of 1: the share that comes twice
  double rate_mbit = 0;  // in a second; 0: no limit
  double queue_kib = 0;  // that may wait for the rate; frames beyond it are dropped
  double cut = 0;        // 1: nothing comes out of it, nor into it
};

/// Counts of the frames that a host has sent, by their fate. At the end each was delivered or
/// dropped in one of the ways below.
struct counts {
  std::uint64_t frames = 0;
  std::uint64_t bytes = 0;
  std::uint64_t lost = 0;
  std::uint64_t twice = 0;
  std::uint64_t overtaken = 0;   // came out after one that was sent later
  std::uint64_t overflowed = 0;  // found no place in the queue for the rate
  std::uint64_t refused = 0;     // by a receiver's device that was not up
  std::uint64_t cut = 0;         // by the cable's own cut or the receiver's
  std::uint64_t delivered = 0;
  std::uint64_t delivered_bytes = 0;
  std::uint64_t held_us = 0;  // by all that were delivered, together
};

/// When the copies of a frame come out: none, one or two.
struct departures {
  std::array<std::int64_t, 2> at_ns{};
  std::size_t count = 0;
};

class cable {
 public:
  explicit cable(std::uint64_t seed) : random_(seed) {}

  /// Changes one condition, `name=number`; false when there is no such name or number.
  bool set(std::string_view word);

  /// A frame goes in now. `needed`: it is never lost nor sent twice.
  departures enter(std::size_t bytes, std::int64_t now_ns, bool needed);

  /// A frame that went in as number `number` comes out now, having been held for `held_ns`.
  void leave(std::uint64_t number, std::size_t bytes, std::int64_t held_ns);

  bool is_cut() const noexcept { return condition_.cut != 0; }
  std::uint64_t entered() const noexcept { return seen_.frames; }
  void count_cut() noexcept { ++seen_.cut; }
  void count_overflow() noexcept { ++seen_.overflowed; }
  void count_refused() noexcept { ++seen_.refused; }

  /// The counts as a JSON object.
  std::string told() const;

 private:
  double random() noexcept;
  bool passes_rate(std::size_t bytes, std::int64_t now_ns);

  condition condition_;
  counts seen_;
  std::uint64_t random_;
  std::int64_t free_at_ns_ = 0;   // when the last bit that has to wait for the rate is out
  std::uint64_t newest_out_ = 0;  // number of the newest frame that has come out
};

}  // namespace atl::wire
