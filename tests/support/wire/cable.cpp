// SPDX-License-Identifier: BSD-3-Clause
//
// A bad cable (cable.hpp). The random numbers come from SplitMix64, which needs eight bytes of
// state and is good enough for losing frames.
#include <tests/support/wire/cable.hpp>

#include <algorithm>
#include <charconv>
#include <cmath>

namespace atl::wire {

namespace {

struct name_of {
  std::string_view name;
  double condition::* value;
  double most;
};

constexpr double no_limit = 1e6;
constexpr std::array<name_of, 9> names{{{"delay_ms", &condition::delay_ms, no_limit},
                                        {"jitter_ms", &condition::jitter_ms, no_limit},
                                        {"late", &condition::late, 1},
                                        {"late_ms", &condition::late_ms, no_limit},
                                        {"loss", &condition::loss, 1},
                                        {"twice", &condition::twice, 1},
                                        {"rate_mbit", &condition::rate_mbit, no_limit},
                                        {"queue_kib", &condition::queue_kib, no_limit},
                                        {"cut", &condition::cut, 1}}};

std::int64_t ns_of_ms(double ms) { return std::llround(ms * 1e6); }

}  // namespace

bool cable::set(std::string_view word) {
  const std::size_t equals = word.find('=');
  if (equals == std::string_view::npos) return false;
  const auto found = std::find_if(names.begin(), names.end(), [&](const name_of& each) {
    return each.name == word.substr(0, equals);
  });
  double number = 0;
  const char* const end = word.data() + word.size();
  const auto [stopped, failed] = std::from_chars(word.data() + equals + 1, end, number);
  if (found == names.end() || failed != std::errc() || stopped != end) return false;
  if (!(number >= 0 && number <= found->most)) return false;
  condition_.*(found->value) = number;
  return true;
}

double cable::random() noexcept {
  random_ += 0x9e3779b97f4a7c15;
  std::uint64_t mixed = random_;
  mixed = (mixed ^ (mixed >> 30)) * 0xbf58476d1ce4e5b9;
  mixed = (mixed ^ (mixed >> 27)) * 0x94d049bb133111eb;
  mixed ^= mixed >> 31;
  return static_cast<double>(mixed >> 11) * 0x1p-53;
}

// Where the rate is limited, frames wait for those before them.
bool cable::passes_rate(std::size_t bytes, std::int64_t now_ns) {
  free_at_ns_ = std::max(free_at_ns_, now_ns);
  if (condition_.rate_mbit == 0) return true;
  const double ns_per_byte = 8e3 / condition_.rate_mbit;
  const double waiting_bytes = static_cast<double>(free_at_ns_ - now_ns) / ns_per_byte;
  if (waiting_bytes > condition_.queue_kib * 1024) return false;
  free_at_ns_ += std::llround(static_cast<double>(bytes) * ns_per_byte);
  return true;
}

departures cable::enter(std::size_t bytes, std::int64_t now_ns, bool needed) {
  const double jitter = random(), late = random(), loss = random(), twice = random();
  ++seen_.frames;
  seen_.bytes += bytes;
  departures out;
  if (is_cut()) {
    ++seen_.cut;
  } else if (loss < condition_.loss && !needed) {
    ++seen_.lost;
  } else if (!passes_rate(bytes, now_ns)) {
    ++seen_.overflowed;
  } else {
    const double more_ms =
        jitter * condition_.jitter_ms + (late < condition_.late ? condition_.late_ms : 0);
    out.count = twice < condition_.twice && !needed ? 2 : 1;
    out.at_ns.fill(free_at_ns_ + ns_of_ms(condition_.delay_ms + more_ms));
    seen_.twice += out.count - 1;
  }
  return out;
}

void cable::leave(std::uint64_t number, std::size_t bytes, std::int64_t held_ns) {
  ++seen_.delivered;
  seen_.delivered_bytes += bytes;
  seen_.held_us += static_cast<std::uint64_t>(held_ns / 1000);
  if (number < newest_out_) ++seen_.overtaken;
  newest_out_ = std::max(newest_out_, number);
}

std::string cable::statistics() const {
  const auto part = [](const char* name, std::uint64_t value) {
    return std::string("\"") + name + "\": " + std::to_string(value);
  };
  return "{" + part("frames", seen_.frames) + ", " + part("bytes", seen_.bytes) + ", " +
         part("lost", seen_.lost) + ", " + part("twice", seen_.twice) + ", " +
         part("overtaken", seen_.overtaken) + ", " + part("overflowed", seen_.overflowed) + ", " +
         part("refused", seen_.refused) + ", " + part("cut", seen_.cut) + ", " +
         part("delivered", seen_.delivered) + ", " +
         part("delivered_bytes", seen_.delivered_bytes) + ", " + part("held_us", seen_.held_us) +
         "}";
}

}  // namespace atl::wire
