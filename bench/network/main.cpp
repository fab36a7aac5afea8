// SPDX-License-Identifier: BSD-3-Clause
//
// bench_network: operations of two ranks that share no memory, beside a raw TCP connection between
// the same two processes in the same rounds. On one machine over loopback:
//
//     ATOLL_NETWORK=ofi ATOLL_NEIGHBOURHOOD=1 atoll run -n 2 bench_network
//
// The raw round trip is measured twice, waiting in the kernel and spinning; compare ours with the
// one that waits as ATOLL_WAIT says (sleep, spin).
#include <bench/harness/command_line.hpp>
#include <bench/harness/job_main.hpp>
#include <bench/harness/rank_pair.hpp>
#include <bench/harness/stopwatch.hpp>
#include <bench/latency/messages.hpp>
#include <bench/network/joined_link.hpp>

#include <atoll/core/rma/rma.hpp>

#include <cstdio>
#include <stdexcept>
#include <string>

namespace {

constexpr std::size_t large_bytes = std::size_t{1} << 20;
constexpr std::size_t round_bytes = std::size_t{32} << 20;  // of a stream
constexpr std::uint64_t round_trips = 1'000;

class network_cases {
 public:
  network_cases(bench::suite& to, const bench::rank_pair& pair, bench::raw_link& link)
      : suite_(to), pair_(pair), link_(link) {}

  void add_raw() {
    add_raw_round_trip("raw_blocking_round_trip", bench::raw_wait::blocking);
    add_raw_round_trip("raw_spinning_round_trip", bench::raw_wait::spinning);
  }

  /// Cases of 8 bytes, one after the other.
  void add_small() {
    atl::endpoint& endpoint = pair_.endpoint();
    const atl::rank_id target = pair_.target();
    auto* const remote = reinterpret_cast<std::uint64_t*>(pair_.at_target(pair_.area()));
    add_acting("put_8_blocking", 8, round_trips, [=, &endpoint](std::uint64_t i) {
      atl::put(endpoint, target, remote + i % 64, &i, sizeof i);
    });
    add_acting("get_8_blocking", 8, round_trips, [=, &endpoint](std::uint64_t i) {
      std::uint64_t value;
      atl::get(endpoint, &value, target, remote + i % 64, sizeof value);
      bench::keep(value);
    });
    for (const char* each : {"put_8_blocking", "get_8_blocking", "am_short_round_trip"}) {
      suite_.compare({.numerator = each, .denominator = "raw_blocking_round_trip", .at_most = 1.5});
      suite_.compare({.numerator = each, .denominator = "raw_spinning_round_trip", .at_most = 1.5});
    }
  }

  /// Cases of many at once, beside the stream.
  void add_streams(std::size_t bytes) {
    const std::string size = std::to_string(bytes);
    const std::uint64_t count = round_bytes / bytes;
    suite_.add({.name = "raw_stream_" + size,
                .operations = count,
                .bytes = bytes,
                .run = [this, bytes](auto operations) {
                  return pair_.takes_part() ? link_.stream(operations, bytes, pair_.acts()) : 0;
                }});
    atl::endpoint& endpoint = pair_.endpoint();
    const atl::rank_id target = pair_.target();
    std::byte* const local = pair_.area();
    std::byte* const remote = pair_.at_target(local);
    add_flood("put_nbi_" + size, bytes, count, [=, &endpoint](std::uint64_t) {
      atl::put_nbi(endpoint, target, remote, local, bytes, {.keeps_source = true});
    });
    add_flood("get_nbi_" + size, bytes, count, [=, &endpoint](std::uint64_t) {
      atl::get_nbi(endpoint, local, target, remote, bytes);
    });
    add_acting("put_blocking_" + size, bytes, count,
               [=, &endpoint](std::uint64_t) { atl::put(endpoint, target, remote, local, bytes); });
    for (const char* each : {"put_nbi_", "get_nbi_"}) {
      suite_.compare(
          {.numerator = each + size, .denominator = "raw_stream_" + size, .at_most = 1 / 0.9});
    }
  }

 private:
  void add_raw_round_trip(const char* name, bench::raw_wait wait_mode) {
    suite_.add({.name = name, .operations = round_trips, .run = [this, wait_mode](auto count) {
                  return pair_.takes_part() ? link_.round_trips(count, wait_mode, pair_.acts()) : 0;
                }});
  }

  template <class Each>
  void add_acting(std::string name, std::size_t bytes, std::uint64_t count, Each each) {
    suite_.add({.name = std::move(name),
                .operations = count,
                .bytes = bytes,
                .run = [this, each](std::uint64_t operations) {
                  if (!pair_.acts()) return 0.0;
                  std::uint64_t i = 0;
                  return bench::time_of(operations, [&] { each(i++); });
                }});
  }

  template <class Each>
  void add_flood(std::string name, std::size_t bytes, std::uint64_t count, Each each) {
    suite_.add({.name = std::move(name),
                .operations = count,
                .bytes = bytes,
                .run = [this, each](std::uint64_t operations) {
                  if (!pair_.acts()) return 0.0;
                  const bench::stopwatch watch;
                  for (std::uint64_t i = 0; i < operations; ++i) each(i);
                  pair_.job().wait_implicit(true, true);
                  return watch.elapsed_ns();
                }});
  }

  bench::suite& suite_;
  const bench::rank_pair& pair_;
  bench::raw_link& link_;
};

bool measure(atl::runtime& job, const bench::options& chosen, const std::string& interface) {
  if (job.size() < 2) throw std::runtime_error("it takes 2 ranks (atoll run -n 2)");
  const bench::rank_pair pair(job, large_bytes + bench::messages::area_bytes);
  bench::raw_link link = bench::joined_link(pair, interface);
  bench::messages messages(pair, pair.area() + large_bytes);
  bench::suite suite(bench::title_of("network", job), chosen, [&] { job.world().barrier(); });
  network_cases cases(suite, pair, link);
  cases.add_raw();
  messages.add_cases(suite);
  cases.add_small();
  for (const std::size_t bytes : {std::size_t{4096}, std::size_t{65536}, large_bytes})
    cases.add_streams(bytes);
  suite.run();
  job.world().barrier();
  if (messages.all_arrived()) return true;
  std::fprintf(stderr, "bench_network: rank %u missed messages\n", job.rank());
  return false;
}

}  // namespace

int main(int argc, char** argv) {
  bench::options chosen;
  std::string interface;
  bench::command_line line(
      "Puts, gets and messages between 2 ranks that share no memory, beside raw TCP", chosen);
  line.add_text("--interface", interface,
                "of the raw connection; the launcher's or loopback when not said");
  line.parse(argc, argv);
  return bench::job_main("bench_network", chosen,
                         [&](atl::runtime& job, const bench::options& options) {
                           return measure(job, options, interface);
                         });
}
