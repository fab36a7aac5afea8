// SPDX-License-Identifier: BSD-3-Clause
//
// bench_strided: non-contiguous blocking puts and gets between two ranks, each beside the double
// loop that one would write by hand on the same memory, in the same rounds. It reads back what was
// put before it measures. Run it under `atoll run -n 2`.
#include <bench/harness/command_line.hpp>
#include <bench/harness/job_main.hpp>
#include <bench/harness/rank_pair.hpp>
#include <bench/harness/stopwatch.hpp>
#include <bench/strided/shapes.hpp>

#include <atoll/core/strided/strided.hpp>

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
  double* remote;
  double* mapped;
};

/// The loops that one would write, kept out of line so that no shape is known to the compiler.
[[gnu::noinline]] void copy_by_hand(const bench::plane& shape, double* to, const double* from) {
  for (std::size_t i = 0; i < shape.rows; ++i) {
    for (std::size_t j = 0; j < shape.columns; ++j) {
      const auto row = static_cast<std::ptrdiff_t>(i), column = static_cast<std::ptrdiff_t>(j);
      to[row * shape.to_row + column * shape.to_column] =
          from[row * shape.from_row + column * shape.from_column];
    }
  }
}

/// The faster loop for planes whose rows are known to be dense, as most are.
[[gnu::noinline]] void copy_rows_by_hand(const bench::plane& shape, double* __restrict to,
                                         const double* __restrict from) {
  for (std::size_t i = 0; i < shape.rows; ++i) {
    double* const to_row = to + static_cast<std::ptrdiff_t>(i) * shape.to_row;
    const double* const from_row = from + static_cast<std::ptrdiff_t>(i) * shape.from_row;
    for (std::size_t j = 0; j < shape.columns; ++j) to_row[j] = from_row[j];
  }
}

void copy_plane(const bench::plane& shape, double* to, const double* from) {
  if (shape.to_column == 1 && shape.from_column == 1) return copy_rows_by_hand(shape, to, from);
  copy_by_hand(shape, to, from);
}

/// One plane as the runtime describes it; valid as long as this object lives.
class block {
 public:
  block(const bench::plane& shape, double* to, const double* from)
      : counts_{shape.rows, shape.columns},
        to_strides_{shape.to_row * 8, shape.to_column * 8},
        from_strides_{shape.from_row * 8, shape.from_column * 8},
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
  measurement(bench::suite& to, const bench::rank_pair& pair, const buffers& areas)
      : suite_(to), pair_(pair), areas_(areas) {}

  void add(const bench::plane& shape) {
    atl::endpoint& endpoint = pair_.endpoint();
    const atl::rank_id target = pair_.target();
    const auto [own, remote, mapped] = areas_;
    const std::string name = shape.name;
    add_case("loop_to_" + name, shape.doubles(), [=] { copy_plane(shape, mapped, own); });
    add_case("put_" + name, shape.doubles(), [=, &endpoint, put = block(shape, remote, own)] {
      atl::put(endpoint, target, put.transfer());
    });
    add_case("loop_from_" + name, shape.doubles(), [=] { copy_plane(shape, own, mapped); });
    add_case("get_" + name, shape.doubles(), [=, &endpoint, get = block(shape, own, remote)] {
      atl::get(endpoint, target, get.transfer());
    });
    suite_.compare(
        {.numerator = "put_" + name, .denominator = "loop_to_" + name, .at_most = wanted});
    suite_.compare(
        {.numerator = "get_" + name, .denominator = "loop_from_" + name, .at_most = wanted});
  }

  void add_list() {
    atl::endpoint& endpoint = pair_.endpoint();
    const atl::rank_id target = pair_.target();
    const std::vector<std::size_t> places = bench::scattered_places();
    std::vector<void*> remote, local;
    for (const std::size_t each : places) {
      remote.push_back(areas_.remote + each);
      local.push_back(areas_.own + local.size());
    }
    add_case("loop_to_scattered_10000", places.size(), [places, areas = areas_] {
      for (std::size_t i = 0; i < places.size(); ++i) areas.mapped[places[i]] = areas.own[i];
    });
    add_case("put_scattered_10000", places.size(), [remote, local, target, &endpoint] {
      atl::put(endpoint, target, atl::indexed_transfer{.to = {remote, 8}, .from = {local, 8}});
    });
    suite_.compare({.numerator = "put_scattered_10000",
                    .denominator = "loop_to_scattered_10000",
                    .at_most = wanted});
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
  buffers areas_;
};

// The measured operations must also be right: every plane is put, and compared with the loop.
bool check(const bench::rank_pair& pair, const buffers& areas) {
  if (!pair.acts()) return true;
  std::vector<double> wanted_remote(bench::area_doubles);
  for (std::size_t i = 0; i < bench::area_doubles; ++i) {
    areas.own[i] = static_cast<double>(i);
    areas.mapped[i] = 0;
  }
  for (const bench::plane& each : bench::planes) {
    copy_by_hand(each, wanted_remote.data(), areas.own);
    atl::put(pair.endpoint(), pair.target(), block(each, areas.remote, areas.own).transfer());
    if (!std::equal(wanted_remote.begin(), wanted_remote.end(), areas.mapped)) {
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
  const buffers areas{.own = reinterpret_cast<double*>(pair.area()),
                      .remote = reinterpret_cast<double*>(pair.at_target(second)),
                      .mapped = reinterpret_cast<double*>(pair.view(pair.target(), second))};
  if (!check(pair, areas)) return false;
  bench::suite suite(bench::title_of("strided", job), chosen, [&] { job.world().barrier(); });
  bench::fit_to_job(suite, job);
  measurement measured(suite, pair, areas);
  for (const bench::plane& each : bench::planes) measured.add(each);
  measured.add_list();
  suite.run();
  return true;
}

}  // namespace

int main(int argc, char** argv) {
  bench::options chosen;
  bench::command_line line(
      "Non-contiguous puts and gets between two ranks, beside hand-written loops", chosen);
  line.parse(argc, argv);
  return bench::job_main("bench_strided", chosen, measure);
}
