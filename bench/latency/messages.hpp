// SPDX-License-Identifier: BSD-3-Clause
//
// Cases of active messages: the round trip of a short one and of a barrier, beside the cache-line
// ping-pong of the raw machine; and one-way floods of shorts and mediums, beside memcpy.
//
// A flood is measured from the first message to the answer to a last one, which runs after all of
// them, so the figure is the time per message delivered, not the time to fill a queue.
#pragma once

#include <bench/harness/rank_pair.hpp>
#include <bench/harness/suite.hpp>
#include <bench/machine/ping_pong.hpp>

#include <cstdint>
#include <optional>
#include <vector>

namespace bench {

class messages {
 public:
  static constexpr std::size_t large_bytes = 65536;
  static constexpr std::size_t copy_places = 16;  // of large_bytes each; memcpy rotates over them

  /// Bytes of the pair's area that the cases use.
  static constexpr std::size_t area_bytes = sizeof(ping_pong_lines) + copy_places * large_bytes;

  /// Collective: registers handlers. Uses the area from `area` on, at the same place on all ranks.
  messages(const rank_pair& pair, std::byte* area);
  messages(const messages&) = delete;
  messages& operator=(const messages&) = delete;

  /// Adds the cases; this object must outlive the suite. Those of the raw machine need ranks that
  /// share memory.
  void add_cases(suite& to);
  void add_raw_cases(suite& to);

  /// Whether the two ranks share memory.
  bool over_memory() const noexcept { return raw_.has_value() && copy_area_ != nullptr; }

  /// Whether every message that was sent here has run its handler, exactly once.
  bool all_arrived() const noexcept { return handled_ == expected_; }

 private:
  enum handler : atl::handler_id { echo, answer, swallow };

  static void on_echo(void* self, atl::am_token& token, const std::uint32_t* args, unsigned nargs,
                      void* payload, std::size_t bytes);
  static void on_answer(void* self, atl::am_token& token, const std::uint32_t* args, unsigned nargs,
                        void* payload, std::size_t bytes);
  static void on_swallow(void* self, atl::am_token& token, const std::uint32_t* args,
                         unsigned nargs, void* payload, std::size_t bytes);

  void round_trip();
  double round_trips(std::uint64_t count);
  double flood(std::uint64_t count, const atl::am_message& each);
  double copies(std::uint64_t count);
  void add_floods(suite& to);

  const rank_pair& pair_;
  std::optional<ping_pong> raw_;    // where the two share memory
  std::byte* copy_area_;            // the target's copies, as mapped here
  std::vector<std::byte> payload_;  // of large_bytes
  std::uint64_t answers_ = 0;       // replies that came
  std::uint64_t asked_ = 0;         // replies that should come
  std::uint64_t handled_ = 0;       // requests that came
  std::uint64_t expected_ = 0;      // requests that should have come
};

}  // namespace bench
