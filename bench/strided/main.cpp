// SPDX-License-Identifier: BSD-3-Clause
//
// bench_strided: non-contiguous blocking puts and gets between two ranks, each beside the double
// loop that one would write by hand on the same memory, in the same rounds. It reads back what was
// put before it measures. Run it under `atoll run -n 2`.
#include <bench/harness/job_main.hpp>
#include <bench/harness/rank_pair.hpp>
#include <bench/harness/stopwatch.hpp>
#include <bench/strided/shapes.hpp>

#include <atoll/core/strided.hpp>

#include <CLI/CLI.hpp>

#include <algorithm>
#include <array>
#include <cstdio>
#include <string>
#include <utility>
#include <vector>

namespace {

constexpr std::size_t doubles_per_round = 1'000'000;  // at least one operation
constexpr std::uint64_t operations_max = 5'000;
constexpr double wanted = 1 / 0.9;

/// The buffers: of the acting rank, of the target by its addresses, and as this process sees them.
struct buffers {
  double* own;
  double* there;
  double* mapped;
};

/// The loops that one would write, kept out of line so that no shape is known to the compiler.
[[gnu::noinline]] void copy_by_hand(const bench::plane& of, double* to, const double* from) {
  for (std::size_t i = 0; i < of.rows; ++i) {
    for (std::size_t j = 0; j < of.columns; ++j) {
      const auto row = static_cast<std::ptrdiff_t>(i), column = static_cast<std::ptrdiff_t>(j);
      to[row * of.to_row + column * of.to_column] =
          from[row * of.from_row + column * of.from_column];
    }
  }
}

/// The same for planes whose rows are known to be dense, which most are: the better loop.
[[gnu::noinline]] void copy_rows_by_hand(const bench::plane& of, double* __restrict to,
                                         const double* __restrict from) {
  for (std::size_t i = 0; i < of.rows; ++i) {
    double* const to_row = to + static_cast<std::ptrdiff_t>(i) * of.to_row;
    const double* const from_row = from + static_cast<std::ptrdiff_t>(i) * of.from_row;
    for (std::size_t j = 0; j < of.columns; ++j) to_row[j] = from_row[j];
  }
}

void copy_as_one_would(const bench::plane& of, double* to, const double* from) {
  if (of.to_column == 1 && of.from_column == 1) return copy_rows_by_hand(of, to, from);
  copy_by_hand(of, to, from);
}

/// One plane in the terms of the runtime; valid as long as it lives.
class block {
 public:
  block(const bench::plane& of, double* to, const double* from)
      : counts_{of.rows, of.columns},
        to_strides_{of.to_row * 8, of.to_column * 8},
        from_strides_{of.from_row * 8, of.from_column * 8},
        to_(to),
        from_(from) {}

  atl::strided_transfer transfer() const noexcept {
    return {.to = to_,
            .to_strides = to_strides_,
            .from = from_,
            .from_strides = from_strides_,
            .element_bytes = sizeof(double),
            .counts = counts_};
  }

 private:
  std::array<std::size_t, 2> counts_;
  std::array<std::ptrdiff_t, 2> to_strides_, from_strides_;
  double* to_;
  const double* from_;
};

class measurement {
 public:
  measurement(bench::suite& to, const bench::rank_pair& pair, const buffers& all)
      : suite_(to), pair_(pair), all_(all) {}

  void add(const bench::plane& of) {
    atl::endpoint& at = pair_.endpoint();
    const atl::rank_id target = pair_.target();
    const auto [own, there, mapped] = all_;
    const std::string name = of.name;
    add_case("loop_to_" + name, of.doubles(), [=] { copy_as_one_would(of, mapped, own); });
    add_case("put_" + name, of.doubles(),
             [=, &at, put = block(of, there, own)] { atl::put(at, target, put.transfer()); });
    add_case("loop_from_" + name, of.doubles(), [=] { copy_as_one_would(of, own, mapped); });
    add_case("get_" + name, of.doubles(),
             [=, &at, get = block(of, own, there)] { atl::get(at, target, get.transfer()); });
    suite_.compare({.over = "put_" + name, .under = "loop_to_" + name, .at_most = wanted});
    suite_.compare({.over = "get_" + name, .under = "loop_from_" + name, .at_most = wanted});
  }

  void add_list() {
    atl::endpoint& at = pair_.endpoint();
    const atl::rank_id target = pair_.target();
    const std::vector<std::size_t> places = bench::scattered_places();
    std::vector<void*> there, here;
    for (const std::size_t each : places) {
      there.push_back(all_.there + each);
      here.push_back(all_.own + here.size());
    }
    add_case("loop_to_scattered_10000", places.size(), [places, all = all_] {
      for (std::size_t i = 0; i < places.size(); ++i) all.mapped[places[i]] = all.own[i];
    });
    add_case("put_scattered_10000", places.size(), [there, here, target, &at] {
      atl::put(at, target, atl::indexed_transfer{.to = {there, 8}, .from = {here, 8}});
    });
    suite_.compare(
        {.over = "put_scattered_10000", .under = "loop_to_scattered_10000", .at_most = wanted});
  }

 private:
  template <class Copy>
  void add_case(std::string name, std::size_t doubles, Copy copy) {
    suite_.add(
        {.name = std::move(name),
         .operations = std::clamp<std::uint64_t>(doubles_per_round / doubles, 1, operations_max),
         .bytes = doubles * sizeof(double),
         .run = [&pair = pair_, copy](std::uint64_t count) {
           if (!pair.acts()) return 0.0;
           return bench::time_of(count, [&] {
             copy();
             bench::touch_memory();
           });
         }});
  }

  bench::suite& suite_;
  const bench::rank_pair& pair_;
  buffers all_;
};

// The measured operations must also be right: every plane is put, and compared with the loop.
bool check(const bench::rank_pair& pair, const buffers& all) {
  if (!pair.acts()) return true;
  std::vector<double> wanted_there(bench::area_doubles);
  for (std::size_t i = 0; i < bench::area_doubles; ++i) {
    all.own[i] = static_cast<double>(i);
    all.mapped[i] = 0;
  }
  for (const bench::plane& each : bench::planes) {
    copy_by_hand(each, wanted_there.data(), all.own);
    atl::put(pair.endpoint(), pair.target(), block(each, all.there, all.own).transfer());
    if (!std::equal(wanted_there.begin(), wanted_there.end(), all.mapped)) {
      std::fprintf(stderr, "bench_strided: %s arrived wrong\n", each.name);
      return false;
    }
  }
  return true;
}

bool measure(atl::runtime& job, const bench::options& chosen) {
  constexpr std::size_t area_bytes = bench::area_doubles * sizeof(double);
  const bench::rank_pair pair(job, 2 * area_bytes);
  // With one rank both sides are in the same area: own buffers in its first half.
  std::byte* const second = pair.area() + area_bytes;
  const buffers all{.own = reinterpret_cast<double*>(pair.area()),
                    .there = reinterpret_cast<double*>(pair.at_target(second)),
                    .mapped = reinterpret_cast<double*>(pair.view(pair.target(), second))};
  if (!check(pair, all)) return false;
  bench::suite suite(bench::title_of("strided", job), chosen, [&] { job.world().barrier(); });
  bench::fit_to_job(suite, job);
  measurement measured(suite, pair, all);
  for (const bench::plane& each : bench::planes) measured.add(each);
  measured.add_list();
  suite.run();
  return true;
}

}  // namespace

int main(int argc, char** argv) {
  CLI::App line("Non-contiguous puts and gets between two ranks, beside hand-written loops");
  bench::options chosen;
  bench::add_options(line, chosen);
  CLI11_PARSE(line, argc, argv);
  return bench::job_main("bench_strided", chosen, measure);
}
