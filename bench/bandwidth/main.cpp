// SPDX-License-Identifier: BSD-3-Clause
//
// bench_bandwidth: blocking puts and gets of 8 bytes to 64 MB between two ranks, each beside memcpy
// on the same buffers in the same rounds. Each is measured twice: on the same buffers repeatedly
// (caches), and with both sides rotating through areas larger than the last-level cache (memory),
// where the kind of copy matters most. Run it under `atoll run -n 2`.
#include <bench/harness/command_line.hpp>
#include <bench/harness/job_main.hpp>
#include <bench/harness/rank_pair.hpp>
#include <bench/harness/rotation.hpp>
#include <bench/harness/stopwatch.hpp>

#include <atoll/core/rma/rma.hpp>

#include <algorithm>
#include <cstring>
#include <string>
#include <utility>

namespace {

constexpr std::size_t largest_bytes = std::size_t{64} << 20;
constexpr std::size_t quick_bytes = std::size_t{1} << 20;
constexpr std::size_t cache_bytes = std::size_t{32} << 20;
constexpr std::size_t bytes_per_round = std::size_t{16} << 20;  // at least one operation
constexpr std::uint64_t operations_max = 20'000;
constexpr std::size_t checked_from_bytes = 4096;  // smallest size whose ratio has a goal

/// The buffers of the acting rank and of the target.
struct buffers {
  std::byte* own;     // in the heap of this rank
  std::byte* remote;  // the target's area, by the target's addresses
  std::byte* mapped;  // and as this process sees it
  std::size_t area_bytes;
};

/// The four cases of one size.
class transfers {
 public:
  transfers(bench::suite& to, const bench::rank_pair& pair, const buffers& areas, std::size_t bytes)
      : suite_(to), pair_(pair), areas_(areas), bytes_(bytes) {}

  void add(bool rotating) {
    const std::string kind = (rotating ? "rotating_" : "repeated_") + std::to_string(bytes_);
    const std::size_t half = rotating ? areas_.area_bytes / 2 : 0;
    atl::endpoint& endpoint = pair_.endpoint();
    const atl::rank_id target = pair_.target();
    const auto [own, remote, mapped, area_bytes] = areas_;
    const std::size_t bytes = bytes_;
    add_case("memcpy_to_" + kind, places(rotating, 0),
             [=](std::size_t i) { std::memcpy(mapped + i, own + i, bytes); });
    add_case("put_" + kind, places(rotating, half), [=, &endpoint](std::size_t i) {
      atl::put(endpoint, target, remote + i, own + i, bytes);
    });
    add_case("memcpy_from_" + kind, places(rotating, 0),
             [=](std::size_t i) { std::memcpy(own + i, mapped + i, bytes); });
    add_case("get_" + kind, places(rotating, half), [=, &endpoint](std::size_t i) {
      atl::get(endpoint, own + i, target, remote + i, bytes);
    });
    const double wanted = bytes >= checked_from_bytes ? 1 / 0.95 : 0;
    suite_.compare(
        {.numerator = "put_" + kind, .denominator = "memcpy_to_" + kind, .at_most = wanted});
    suite_.compare(
        {.numerator = "get_" + kind, .denominator = "memcpy_from_" + kind, .at_most = wanted});
  }

 private:
  bench::rotation places(bool rotating, std::size_t start) const {
    return bench::rotation(bytes_, rotating ? areas_.area_bytes : 0, start);
  }

  template <class Copy>
  void add_case(std::string name, bench::rotation places, Copy copy) {
    const auto run = [&pair = pair_, places, copy](std::uint64_t count) mutable {
      if (!pair.acts()) return 0.0;
      return bench::time_of(count, [&] {
        copy(places.next());
        bench::touch_memory();
      });
    };
    suite_.add(
        {.name = std::move(name),
         .operations = std::clamp<std::uint64_t>(bytes_per_round / bytes_, 1, operations_max),
         .bytes = bytes_,
         .run = run});
  }

  bench::suite& suite_;
  const bench::rank_pair& pair_;
  const buffers& areas_;
  std::size_t bytes_;
};

bool measure(atl::runtime& job, const bench::options& chosen, std::size_t most_bytes) {
  if (chosen.quick) most_bytes = std::min(most_bytes, quick_bytes);
  const std::size_t area_bytes = 2 * std::max(most_bytes, chosen.quick ? 0 : cache_bytes);
  const bench::rank_pair pair(job, 2 * area_bytes);
  // With one rank both sides are in the same area: own buffers in its first half, targets in the
  // second, so that a copy never overlaps itself.
  std::byte* const second = pair.area() + area_bytes;
  const buffers areas{.own = pair.area(),
                      .remote = pair.at_target(second),
                      .mapped = pair.view(pair.target(), second),
                      .area_bytes = area_bytes};
  bench::suite suite(bench::title_of("bandwidth", job), chosen, [&] { job.world().barrier(); });
  bench::fit_to_job(suite, job);
  for (const bool rotating : {false, true}) {
    for (std::size_t bytes = 8; bytes <= most_bytes; bytes *= bytes < 4096 ? 8 : 4) {
      transfers(suite, pair, areas, bytes).add(rotating);
    }
  }
  suite.run();
  return true;
}

}  // namespace

int main(int argc, char** argv) {
  bench::options chosen;
  std::size_t most_bytes = largest_bytes;
  bench::command_line line("Bandwidth of puts and gets between two ranks, beside memcpy", chosen);
  line.add_number("--most", most_bytes, "Largest transfer, in bytes", std::size_t{8},
                  std::size_t{1} << 30);
  line.parse(argc, argv);
  return bench::job_main("bench_bandwidth", chosen,
                         [&](atl::runtime& job, const bench::options& options) {
                           return measure(job, options, most_bytes);
                         });
}
