// SPDX-License-Identifier: BSD-3-Clause
//
// Ticks. The processor's counter is used when the kernel itself keeps time by it: then it runs at a
// constant rate and in step on all cores. Its rate is measured against the monotonic clock, from
// two pairs of readings. The first is taken when the client starts, or with the first tick where
// there is no client; the second when ticks are first converted. Each pair is the best of several,
// so its error is some 50 ns, and over 10 ms or more that is 10^-5 or less. GASNET_TSC_RATE may
// give the rate instead, and is checked against the same measurement.
#include <gasnettools_environment.h>
#include <gasnettools_failure.h>
#include <gasnettools_timer.h>
#include <atoll/base/clock.hpp>
#include <atoll/base/log.hpp>
#include <atoll/base/text.hpp>
#include <front/gex/tools/numbers.hpp>
#include <front/gex/tools/tools.hpp>

#include <time.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cmath>
#include <cstring>
#include <fstream>
#include <limits>
#include <mutex>
#include <string>

atoll_tools_clock atoll_tools_the_clock = {0, 0};

namespace atl::gex {
namespace {

constexpr double billion = 1e9;
constexpr double one_ns_per_tick = 0x1p32;
constexpr std::int64_t shortest_measurement_ns = 10'000'000;

/// The counter and the clock at the same moment, to within `error_ns`.
struct reading {
  std::uint64_t count = 0;
  std::int64_t at_ns = 0;
  std::int64_t error_ns = std::numeric_limits<std::int64_t>::max();
};

// The only function that knows what a processor's counter is.
std::uint64_t counter() noexcept {
#if defined(__x86_64__)
  return __builtin_ia32_rdtsc();
#else
  return static_cast<std::uint64_t>(now_ns());
#endif
}

bool kernel_trusts_counter() {
  std::ifstream source("/sys/devices/system/clocksource/clocksource0/current_clocksource");
  std::string name;
  source >> name;
  return name == "tsc";
}

reading read_both() noexcept {
  reading best;
  for (int attempt = 0; attempt < 16; ++attempt) {
    const std::int64_t start_ns = now_ns();
    const std::uint64_t count = counter();
    const std::int64_t end_ns = now_ns();
    if (end_ns - start_ns < best.error_ns) {
      best = {count, start_ns + (end_ns - start_ns) / 2, end_ns - start_ns};
    }
  }
  return best;
}

/// Counts per second, and how far it may be wrong, relatively.
struct rate {
  double hz = 0;
  double error = 0;
};

rate measure(const reading& first) {
  while (now_ns() - first.at_ns < shortest_measurement_ns) gasnett_nsleep(1'000'000);
  const reading last = read_both();
  const auto elapsed_ns = static_cast<double>(last.at_ns - first.at_ns);
  return {static_cast<double>(last.count - first.count) / elapsed_ns * billion,
          static_cast<double>(first.error_ns + last.error_ns) / elapsed_ns};
}

/// The frequency that the kernel reports for the first processor; 0 where it reports none.
double cpuinfo_hz() {
  std::ifstream file("/proc/cpuinfo");
  for (std::string line; std::getline(file, line);) {
    if (!line.starts_with("cpu MHz")) continue;
    const auto colon = line.find(':');
    if (colon == std::string::npos) continue;
    return parse_real(std::string_view(line).substr(colon + 1)).value * 1e6;
  }
  return 0;
}

/// The rate that the environment gives; 0: it gives none.
double asked_hz() {
  constexpr double least = 1e6, most = 1e11;
  const std::string_view asked = gasnett_getenv_withdefault("GASNET_TSC_RATE", "walltime");
  if (asked == "walltime") return 0;
  if (asked == "cpuinfo") return cpuinfo_hz();
  const auto number = parse_integer(asked);
  const auto hz = static_cast<double>(number.value);
  if (number.length != asked.size() || hz < least || hz > most) {
    gasnett_fatalerror_nopos(
        "GASNET_TSC_RATE: the value \"%s\" is none; give walltime, cpuinfo, or "
        "counts per second from 1000000 to 100000000000",
        asked.data());
  }
  return hz;
}

void judge(double error) {
  const double tolerated = gasnett_getenv_dbl_withdefault("GASNET_TSC_RATE_TOLERANCE", 0.0005);
  const double fatal = gasnett_getenv_dbl_withdefault("GASNET_TSC_RATE_HARD_TOLERANCE", 1e9);
  if (error > fatal) {
    gasnett_fatalerror_nopos(
        "the rate of the processor's counter is uncertain by %g, and "
        "GASNET_TSC_RATE_HARD_TOLERANCE is %g",
        error, fatal);
  }
  if (error > tolerated) {
    log_warning("the rate of the processor's counter is uncertain by ", error,
                ": times may be wrong (GASNET_TSC_RATE_TOLERANCE is ", tolerated, ")");
  }
}

double counter_hz(const reading& first, double asked) {
  const rate measured = measure(first);
  const double error = asked > 0 ? std::abs(asked - measured.hz) / measured.hz : measured.error;
  judge(error);
  const double chosen = asked > 0 ? asked : measured.hz;
  if (gasnett_getenv_yesno_withdefault("GASNET_TSC_VERBOSE", 0) != 0) {
    log_line(log_level::error, text("the processor's counter runs at ", chosen / 1e6,
                                    " MHz, measured ", measured.hz / 1e6, " MHz, error ", error));
  }
  return chosen;
}

bool counts() noexcept {
  return std::atomic_ref(atoll_tools_the_clock.counts).load(std::memory_order_relaxed) != 0;
}

/// The choice between the counter and the clock, and the counter's rate; each made once.
class ticker {
 public:
  void choose() {
    std::call_once(chosen_, [this] {
      if (!kernel_trusts_counter()) return;
      first_ = read_both();
      set(atoll_tools_the_clock.counts, std::uint32_t{1});
    });
  }
  std::uint64_t ns_per_tick() {
    choose();
    std::call_once(calibrated_, [this] {
      const double asked = asked_hz();  // a wrong value is refused even when ticks need no rate
      const double ns = counts() ? billion / counter_hz(first_, asked) : 1;
      set(atoll_tools_the_clock.ns_per_tick,
          static_cast<std::uint64_t>(std::round(ns * one_ns_per_tick)));
    });
    return std::atomic_ref(atoll_tools_the_clock.ns_per_tick).load(std::memory_order_relaxed);
  }

 private:
  // Relaxed: readers need the value alone.
  template <class Number>
  static void set(Number& target, Number value) noexcept {
    std::atomic_ref<Number>(target).store(value, std::memory_order_relaxed);
  }
  std::once_flag chosen_;
  std::once_flag calibrated_;
  reading first_;  // written by choose()
};

ticker& the_ticker() noexcept {
  static ticker instance;
  return instance;
}

/// The mean distance of readings that differ.
double measure_granularity_us() {
  constexpr int samples = 1000;
  const gasnett_tick_t start = gasnett_ticks_now();
  gasnett_tick_t last = start;
  for (int i = 0; i < samples; ++i) {
    gasnett_tick_t next = last;
    while (next == last) next = gasnett_ticks_now();
    last = next;
  }
  return static_cast<double>(gasnett_ticks_to_ns(last - start)) * 1e-3 / samples;
}

double measure_overhead_us() {
  constexpr int samples = 10000;
  const gasnett_tick_t start = gasnett_ticks_now();
  gasnett_tick_t last = start;
  for (int i = 0; i < samples; ++i) last = gasnett_ticks_now();
  return static_cast<double>(gasnett_ticks_to_ns(last - start)) * 1e-3 / samples;
}

}  // namespace
}  // namespace atl::gex

using namespace atl::gex;

gasnett_tick_t atoll_tools_first_ticks() {
  the_ticker().choose();
  return counts() ? counter() : static_cast<gasnett_tick_t>(atl::now_ns());
}

uint64_t atoll_tools_ns_per_tick() { return the_ticker().ns_per_tick(); }

double(gasnett_tick_granularityus)() {
  static const double measured = measure_granularity_us();
  return measured;
}

double(gasnett_tick_overheadus)() {
  static const double measured = measure_overhead_us();
  return measured;
}

uint64_t(gasnett_gettimeofday_us)() {
  timespec now;
  ::clock_gettime(CLOCK_REALTIME, &now);
  return static_cast<uint64_t>(now.tv_sec) * 1'000'000 + static_cast<uint64_t>(now.tv_nsec) / 1000;
}

int(gasnett_nsleep)(uint64_t ns) {
  if (ns == 0) return 0;
  constexpr uint64_t second_ns = 1'000'000'000;
  const timespec span = {static_cast<time_t>(ns / second_ns), static_cast<long>(ns % second_ns)};
  return ::nanosleep(&span, nullptr);
}
