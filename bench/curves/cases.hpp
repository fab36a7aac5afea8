// SPDX-License-Identifier: BSD-3-Clause
//
// The cases of bench_curves, written once for every library: transfers by size, one at a time
// (latency) or 64 in flight (bandwidth, rate), between pairs of ranks. The lower half of the ranks
// acts, rank i on rank i + ranks/2; in latency and bandwidth only rank 0 acts, and others are idle.
//
// Buffers are used in turn: 64 of them, or as many as fit into 64 MiB, on both sides. The transfers
// carry a pattern that is checked afterwards, so the measured transfers have really happened.
//
// A library has these functions for the pair of this rank; places are offsets in its areas:
//     acts(), is_target(), ranks(), barrier()
//     put(position, bytes)                    complete at the target on return
//     get(position, bytes)                    complete on return
//     start_put(position, bytes)              complete after complete()
//     start_get(position, bytes)              the same
//     put_and_raise(position, bytes, flag)    a put, and after it a flag at the partner
//     await(flag)                             until the partner has raised this rank's flag
//     put_in_epoch(position, bytes), fence()  puts between collective fences
//     forget()                                zeroes the areas that are written to here
//     ping(position, bytes)                   a message and its answer
//     pong(places, bytes, count)              the target's part in pings
//     start_message(position, bytes)          many; end_messages() waits for the last one's answer
//     take_messages(places, bytes, count)     the target's part in these
// Messages arrive in the receiver's own buffer.
#pragma once

#include <bench/harness/rotation.hpp>
#include <bench/harness/stopwatch.hpp>
#include <bench/harness/suite.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace bench {

inline constexpr std::size_t curve_places = 64;
inline constexpr std::size_t curve_area_bytes_max = std::size_t{64} << 20;
inline constexpr std::uint64_t curve_in_flight = 64;

/// The bytes of the area in which the 64 buffers of a size lie.
inline std::size_t curve_area_bytes(std::size_t bytes) {
  const std::size_t total_bytes = (bytes + 63) / 64 * 64 * curve_places;
  return std::max(std::min(total_bytes, curve_area_bytes_max), bytes);
}

/// The bytes that the source areas hold.
inline std::byte curve_pattern(std::size_t index) {
  return static_cast<std::byte>(index * 37 % 251 + 1);
}

inline void fill_with_pattern(std::span<std::byte> area) {
  for (std::size_t i = 0; i < area.size(); ++i) area[i] = curve_pattern(i);
}

/// Whether whatever was written to an area is the pattern.
inline bool holds_pattern(std::span<const std::byte> area) {
  for (std::size_t i = 0; i < area.size(); ++i) {
    if (area[i] == std::byte{0} || area[i] == curve_pattern(i)) continue;
    std::fprintf(stderr, "bench_curves: byte %zu of a buffer is not what was sent\n", i);
    return false;
  }
  return true;
}

template <class Library>
class curve_cases {
 public:
  /// `many`: all pairs act at once.
  curve_cases(Library& library, bool many) : library_(library), many_(many) {}

  /// Touches every page of both areas from both sides, so that no case pays for the first touch;
  /// collective. Zeroes the areas again afterwards.
  void warm_up(std::size_t area_bytes) {
    constexpr std::size_t step = std::size_t{64} << 10;
    for (std::size_t position = 0; position < area_bytes; position += step) {
      const std::size_t bytes = std::min(step, area_bytes - position);
      library_.put(position, bytes);
      library_.get(position, bytes);
      library_.put_in_epoch(position, bytes);
    }
    library_.fence();
    library_.forget();
    library_.barrier();
  }

  void add_latency(suite& to, std::size_t bytes) {
    add_acting(to, "put", bytes,
               [this, bytes](std::size_t position) { library_.put(position, bytes); });
    add_acting(to, "get", bytes,
               [this, bytes](std::size_t position) { library_.get(position, bytes); });
    add(to, "put_visible", bytes,
        [=, this](auto& places, auto count) { return visible(places, bytes, count); });
    add(to, "put_fence", bytes, [=, this](auto& places, auto count) {
      return time_of(count, [&] {
        if (active()) library_.put_in_epoch(places.next(), bytes);
        library_.fence();
      });
    });
    if (library_.ranks() < 2) return;  // messages need a second rank
    add(to, "message", bytes,
        [=, this](auto& places, auto count) { return ping_pong(places, bytes, count); });
  }

  /// Floods; their names end in `ending`: "flood" for bandwidth, "rate" for operations.
  void add_floods(suite& to, const std::string& ending, std::size_t bytes) {
    add_flood(to, "put_" + ending, bytes,
              [this, bytes](std::size_t position) { library_.start_put(position, bytes); });
    add_flood(to, "get_" + ending, bytes,
              [this, bytes](std::size_t position) { library_.start_get(position, bytes); });
    if (library_.ranks() < 2) return;
    add(to, "message_" + ending, bytes,
        [=, this](auto& places, auto count) { return messages(places, bytes, count); });
  }

 private:
  bool active() const noexcept { return library_.acts() && (many_ || library_.rank() == 0); }
  bool acted_upon() const noexcept {
    return library_.is_target() && (many_ || library_.partner() == 0);
  }
  double pairs() const noexcept { return many_ ? std::max(1u, library_.ranks() / 2) : 1; }

  template <class Run>
  void add(suite& to, const std::string& operation, std::size_t bytes, Run run) {
    to.add({.name = operation + "_" + std::to_string(bytes),
            .operations = 1'000,
            .bytes = bytes,
            .operations_least = many_ ? 20'000u : 1u,  // all ranks meet at the end of a round
            .operation = operation,
            .run = [run, places = rotation(bytes, curve_area_bytes(bytes))](
                       std::uint64_t count) mutable { return run(places, count); }});
  }

  /// A case of the acting rank, one operation at a time.
  template <class Each>
  void add_acting(suite& to, const std::string& operation, std::size_t bytes, Each each) {
    add(to, operation, bytes, [this, each](rotation& places, std::uint64_t count) {
      if (!active()) return 0.0;
      return time_of(count, [&] {
        each(places.next());
        touch_memory();
      });
    });
  }

  /// A case with many in flight. With several pairs the time is that of all, so all meet at its
  /// end.
  template <class Start>
  void add_flood(suite& to, const std::string& operation, std::size_t bytes, Start start) {
    add(to, operation, bytes, [this, start](rotation& places, std::uint64_t count) {
      const stopwatch watch;
      if (active()) {
        for (std::uint64_t i = 1; i <= count; ++i) {
          start(places.next());
          touch_memory();
          if (i % curve_in_flight == 0) library_.complete();
        }
        library_.complete();
      }
      if (many_) library_.barrier();
      return watch.elapsed_ns() / pairs();
    });
  }

  double visible(rotation& places, std::size_t bytes, std::uint64_t count) {
    const bool is_alone = library_.ranks() < 2;
    const stopwatch watch;
    for (std::uint64_t i = 0; i < count; ++i) {
      if (active()) library_.put_and_raise(places.next(), bytes, ++flag_);
      if (acted_upon() && !is_alone) {
        library_.await(++flag_);
        library_.put_and_raise(places.next(), bytes, flag_);
      }
      if (active()) library_.await(flag_);
    }
    return watch.elapsed_ns() / (is_alone ? 1 : 2);  // one way
  }

  double ping_pong(rotation& places, std::size_t bytes, std::uint64_t count) {
    const stopwatch watch;
    if (active()) {
      for (std::uint64_t i = 0; i < count; ++i) library_.ping(places.next(), bytes);
    } else if (acted_upon()) {
      library_.pong(places, bytes, count);
    }
    return watch.elapsed_ns() / 2;  // one way
  }

  double messages(rotation& places, std::size_t bytes, std::uint64_t count) {
    const stopwatch watch;
    if (active()) {
      for (std::uint64_t i = 0; i < count; ++i) library_.start_message(places.next(), bytes);
      library_.end_messages();
    } else if (acted_upon()) {
      library_.take_messages(places, bytes, count);
    }
    if (many_) library_.barrier();
    return watch.elapsed_ns() / pairs();
  }

  Library& library_;
  bool many_;
  std::uint64_t flag_ = 0;
};

/// Adds what `set` ("latency", "bandwidth" or "rate") measures at these sizes.
template <class Library>
void add_curves(suite& to, curve_cases<Library>& cases, const std::string& set,
                std::span<const std::size_t> sizes) {
  for (const std::size_t bytes : sizes) {
    if (set == "latency") cases.add_latency(to, bytes);
    if (set == "bandwidth") cases.add_floods(to, "flood", bytes);
    if (set == "rate") cases.add_floods(to, "rate", bytes);
  }
}

}  // namespace bench
