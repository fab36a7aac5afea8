// SPDX-License-Identifier: BSD-3-Clause
//
// The cases of active messages. The target of a case waits by the runtime's own wait until it has
// handled what the case sends, as in real programs, so the wake-up is part of the time.
#include <bench/latency/messages.hpp>

#include <cstring>

namespace bench {

namespace {

constexpr std::uint64_t round_trip_operations = 4'000;
constexpr std::uint64_t flood_operations = 40'000;
constexpr std::uint64_t large_operations = 1'000;

}  // namespace

messages::messages(const rank_pair& pair, std::byte* area)
    : pair_(pair),
      copy_area_(pair.view(pair.target(), area + sizeof(ping_pong_lines))),
      payload_(large_bytes, std::byte{1}) {
  atl::handler_table& table = pair.endpoint().handlers();
  table.set(echo, {.run = on_echo, .context = this, .name = "echo"});
  table.set(answer, {.run = on_answer, .context = this, .name = "answer"});
  table.set(swallow, {.run = on_swallow, .context = this, .name = "swallow"});
  auto* const lines = reinterpret_cast<ping_pong_lines*>(pair.view(0, area));
  if (lines != nullptr) raw_.emplace(*lines, pair.acts());
  pair.job().world().barrier();
}

void messages::on_echo(void* self, atl::am_token& token, const std::uint32_t*, unsigned, void*,
                       std::size_t) {
  ++static_cast<messages*>(self)->handled_;
  token.reply({.handler = answer});
}

void messages::on_answer(void* self, atl::am_token&, const std::uint32_t*, unsigned, void*,
                         std::size_t) {
  ++static_cast<messages*>(self)->answers_;
}

void messages::on_swallow(void* self, atl::am_token&, const std::uint32_t*, unsigned, void*,
                          std::size_t) {
  ++static_cast<messages*>(self)->handled_;
}

void messages::round_trip() {
  ++asked_;
  pair_.endpoint().request({.target = pair_.target(), .handler = echo});
  pair_.job().wait_until([this] { return answers_ == asked_; });
}

double messages::round_trips(std::uint64_t count) {
  if (pair_.is_target()) expected_ += count;
  const stopwatch watch;
  if (pair_.acts()) {
    for (std::uint64_t i = 0; i < count; ++i) round_trip();
  } else if (pair_.is_target()) {
    pair_.job().wait_until([this] { return handled_ == expected_; });
  }
  return watch.elapsed_ns();
}

double messages::flood(std::uint64_t count, const atl::am_message& each) {
  if (pair_.is_target()) expected_ += count + 1;
  const stopwatch watch;
  if (pair_.acts()) {
    for (std::uint64_t i = 0; i < count; ++i) pair_.endpoint().request(each);
    round_trip();
  } else if (pair_.is_target()) {
    pair_.job().wait_until([this] { return handled_ == expected_; });
  }
  return watch.elapsed_ns();
}

double messages::copies(std::uint64_t count) {
  if (!pair_.acts()) return 0;
  const stopwatch watch;
  for (std::uint64_t i = 0; i < count; ++i) {
    std::memcpy(copy_area_ + i % copy_places * large_bytes, payload_.data(), large_bytes);
    touch_memory();
  }
  return watch.elapsed_ns();
}

void messages::add_raw_cases(suite& to) {
  if (!pair_.alone()) {
    to.add({.name = "raw_ping_pong",
            .operations = round_trip_operations,
            .run = [this](auto count) { return pair_.takes_part() ? raw_->play(count) : 0; }});
  }
  to.add({.name = "memcpy_64k",
          .operations = large_operations,
          .bytes = large_bytes,
          .run = [this](auto count) { return copies(count); }});
  to.compare({.numerator = "am_short_round_trip", .denominator = "raw_ping_pong", .at_most = 1.3});
  if (pair_.job().size() == 2) {
    to.compare({.numerator = "barrier", .denominator = "raw_ping_pong", .at_most = 1.2});
  }
  to.compare({.numerator = "am_medium_64k_flood", .denominator = "memcpy_64k", .at_most = 1 / 0.7});
}

void messages::add_cases(suite& to) {
  to.add({.name = "am_short_round_trip",
          .operations = round_trip_operations,
          .run = [this](auto count) { return round_trips(count); }});
  to.add({.name = "barrier", .operations = round_trip_operations, .run = [this](auto count) {
            return time_of(count, [this] { pair_.job().world().barrier(); });
          }});
  add_floods(to);
}

void messages::add_floods(suite& to) {
  const atl::am_message brief{.target = pair_.target(), .handler = swallow};
  atl::am_message medium = brief;
  medium.kind = atl::am_category::medium;
  medium.payload = payload_.data();
  const auto add = [&](const char* name, std::uint64_t operations, std::size_t bytes,
                       atl::am_message each) {
    each.bytes = bytes;
    to.add({.name = name,
            .operations = operations,
            .bytes = bytes,
            .operation = bytes != 0 ? "am_medium_flood" : name,
            .run = [=, this](auto count) { return flood(count, each); }});
  };
  add("am_short_flood", flood_operations, 0, brief);
  add("am_medium_8_flood", flood_operations, 8, medium);
  add("am_medium_4k_flood", flood_operations / 4, 4096, medium);
  add("am_medium_64k_flood", large_operations, large_bytes, medium);
}

}  // namespace bench
