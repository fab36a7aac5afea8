// SPDX-License-Identifier: BSD-3-Clause
//
// bench_sockets: what bench_curves and bench_latency measure, over a plain TCP connection, which
// shows beside the libraries what the machine itself can do. Cases of the same name move the same
// bytes between the same kind of buffers:
//
//     put      the bytes there, an answer of 8 bytes back      a flood: a stream of them, 8 back
//     get      8 there, the bytes back                         a flood: a stream the other way
//     message  the bytes there and back; half of the time      a flood: a stream, 8 back
//
// Both ends know the sizes, so messages have no headers, and a stream does not mark where a
// transfer ends. Atoll only starts the two ranks and synchronizes them between cases.
#include <bench/curves/cases.hpp>
#include <bench/curves/options.hpp>
#include <bench/harness/command_line.hpp>
#include <bench/harness/job_main.hpp>
#include <bench/network/joined_link.hpp>

#include <algorithm>
#include <stdexcept>
#include <string>

namespace {

constexpr std::size_t answer_bytes = 8;

struct asked_for {
  bench::options chosen = {};
  bench::curve_options curves = {};
  std::string interface;
  bool blocks = false;
};

class socket_cases {
 public:
  socket_cases(bench::suite& to, const bench::rank_pair& pair, bench::raw_link& link,
               bench::raw_wait wait_mode)
      : suite_(to), pair_(pair), link_(link), wait_mode_(wait_mode) {}

  void add_latency(std::size_t bytes) {
    add_exchange("put", bytes, {.forward = bytes, .back = answer_bytes});
    add_exchange("get", bytes, {.forward = answer_bytes, .back = bytes});
    add_exchange("message", bytes, {.forward = bytes, .back = bytes}, 2);
  }

  void add_floods(std::size_t bytes) {
    add_stream("put_flood", bytes, pair_.acts());
    add_stream("get_flood", bytes, !pair_.acts());
    add_stream("message_flood", bytes, pair_.acts());
  }

  /// Cases with the names that the messages of bench_mpi have.
  void add_messages() {
    add_exchange("message_8_round_trip", answer_bytes, {}, 1, true);
    for (const auto& [name, bytes] : {std::pair{"message_8_flood", std::size_t{8}},
                                      std::pair{"message_4k_flood", std::size_t{4096}},
                                      std::pair{"message_64k_flood", std::size_t{65536}}}) {
      add_stream(name, bytes, pair_.acts(), true);
    }
  }

 private:
  void add_exchange(const std::string& operation, std::size_t bytes, const bench::raw_sizes& sizes,
                    double ways = 1, bool named = false) {
    add(operation, bytes, named, [this, sizes, ways](auto& places, auto count) {
      return link_.exchanges(count, sizes, wait_mode_, places, pair_.acts()) / ways;
    });
  }

  void add_stream(const std::string& operation, std::size_t bytes, bool sends, bool named = false) {
    add(operation, bytes, named, [this, bytes, sends](auto& places, auto count) {
      return link_.stream_over(count, bytes, wait_mode_, places, sends);
    });
  }

  template <class Run>
  void add(const std::string& operation, std::size_t bytes, bool named, Run run) {
    suite_.add({.name = named ? operation : operation + "_" + std::to_string(bytes),
                .operations = 1'000,
                .bytes = bytes,
                .operation = operation,
                .run = [this, run, places = bench::rotation(bytes, bench::curve_area_bytes(bytes))](
                           std::uint64_t count) mutable {
                  return pair_.takes_part() ? run(places, count) : 0.0;
                }});
  }

  bench::suite& suite_;
  const bench::rank_pair& pair_;
  bench::raw_link& link_;
  bench::raw_wait wait_mode_;
};

bool measure(atl::runtime& job, const asked_for& options) {
  if (job.size() < 2) throw std::runtime_error("it takes 2 ranks (atoll run -n 2)");
  const std::vector<std::size_t> sizes = options.curves.sizes_to_measure(options.chosen.quick);
  const bench::rank_pair pair(job, 4096);
  bench::raw_link link = bench::joined_link(pair, options.interface);
  constexpr std::size_t largest_message = 65536;
  link.use_area(
      bench::curve_area_bytes(std::max(*std::ranges::max_element(sizes), largest_message)));
  bench::suite_title title = bench::title_of(options.curves.set.c_str(), job);
  title.implementation = "sockets";
  bench::suite suite(title, options.chosen, [&] { job.world().barrier(); });
  bench::fit_to_job(suite, job);
  const auto wait_mode = options.blocks ? bench::raw_wait::blocking : bench::raw_wait::spinning;
  socket_cases cases(suite, pair, link, wait_mode);
  for (const std::size_t bytes : sizes) {
    if (options.curves.set == "latency") cases.add_latency(bytes);
    if (options.curves.set == "bandwidth") cases.add_floods(bytes);
  }
  if (options.curves.set == "messages") cases.add_messages();
  suite.run();
  job.world().barrier();
  return true;
}

}  // namespace

int main(int argc, char** argv) {
  asked_for options;
  bench::command_line line(
      "Transfers by size over a TCP connection: what the machine itself can do", options.chosen);
  bench::add_curve_options(line, options.curves);
  line.add_choice("set", options.curves.set, "latency, bandwidth or messages",
                  {"latency", "bandwidth", "messages"});
  line.add_text("--interface", options.interface,
                "of the connection; the launcher's or loopback when not said");
  line.add_flag("--block", options.blocks, "wait in the kernel; else call recv again and again");
  line.parse(argc, argv);
  return bench::job_main("bench_sockets", options.chosen,
                         [&](atl::runtime& job, const auto&) { return measure(job, options); });
}
