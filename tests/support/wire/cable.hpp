// SPDX-License-Identifier: BSD-3-Clause
//
// A bad cable for the frames of one host: it loses some, duplicates some, delays them, lets them
// overtake each other, and limits the bits per second. It decides and counts; it neither holds
// frames nor reads a clock, so its test needs no network.
//
// The same seed and the same frames give the same decisions: every frame takes the same number of
// random numbers, whatever the settings, so that a change of one setting changes no other decision.
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
  double late = 0;       // the share (0 to 1) of frames that are overtaken
  double late_ms = 0;    // their additional delay
  double loss = 0;       // the share (0 to 1) that is lost
  double twice = 0;      // the share (0 to 1) that arrives twice
  double rate_mbit = 0;  // per second; 0: no limit
  double queue_kib = 0;  // of frames that wait for the rate; frames beyond it are dropped
  double cut = 0;        // 1: nothing comes out of it or goes into it
};

/// Counts of the frames that a host has sent, by their fate. At the end each frame was delivered,
/// or dropped in one of these ways.
struct counts {
  std::uint64_t frames = 0;
  std::uint64_t bytes = 0;
  std::uint64_t lost = 0;
  std::uint64_t twice = 0;
  std::uint64_t overtaken = 0;   // came out after one that was sent later
  std::uint64_t overflowed = 0;  // found no place in the queue for the rate
  std::uint64_t refused = 0;     // dropped because the receiver's device was not up
  std::uint64_t cut = 0;         // dropped because this cable or the receiver's was cut
  std::uint64_t delivered = 0;
  std::uint64_t delivered_bytes = 0;
  std::uint64_t held_us = 0;  // the sum over all delivered frames
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

  /// A frame goes in now. A `needed` one is never lost or sent twice.
  departures enter(std::size_t bytes, std::int64_t now_ns, bool needed);

  /// A frame that went in as number `number` comes out now, having been held for `held_ns`.
  void leave(std::uint64_t number, std::size_t bytes, std::int64_t held_ns);

  bool is_cut() const noexcept { return condition_.cut != 0; }
  std::uint64_t entered() const noexcept { return seen_.frames; }
  void count_cut() noexcept { ++seen_.cut; }
  void count_overflow() noexcept { ++seen_.overflowed; }
  void count_refused() noexcept { ++seen_.refused; }

  /// The counts as a JSON object.
  std::string statistics() const;

 private:
  double random() noexcept;
  bool passes_rate(std::size_t bytes, std::int64_t now_ns);

  condition condition_;
  counts seen_;
  std::uint64_t random_;
  std::int64_t free_at_ns_ = 0;   // when the last bit that waits for the rate is out
  std::uint64_t newest_out_ = 0;  // number of the newest frame that has come out
};

}  // namespace atl::wire
