// SPDX-License-Identifier: BSD-3-Clause
//
// The comparison. Rank 0 times a run between two barriers, from when all ranks are ready until all
// are done. The checked values are summed over the group, so that every rank knows the verdict.
#include <apps/stencil2d/comparison.hpp>
#include <apps/stencil2d/field_pair.hpp>
#include <apps/stencil2d/problem.hpp>
#include <atoll/base/clock.hpp>

#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <cstring>

namespace stencil2d {
namespace {

constexpr double seconds_max = 10;     // after this time no further round begins
constexpr unsigned warming_steps = 2;  // bring both fields back into the caches

double seconds_since(std::int64_t start_ns) {
  return static_cast<double>(atl::now_ns() - start_ns) * 1e-9;
}

// The field before the first step, without halos, row after row.
std::vector<double> first_field(const setting& given) {
  const rect part = given.domain.part_of(given.rank);
  std::vector<double> values;
  values.reserve(part.points());
  for (int y = part.y0; y < part.y1; ++y)
    for (int x = part.x0; x < part.x1; ++x)
      values.push_back(initial_heat(given.domain.points, x, y));
  return values;
}

void fill(const block& shape, const std::vector<double>& values, double* field) {
  const auto width = static_cast<std::size_t>(shape.size.x);
  for (int y = 0; y < shape.size.y; ++y) {
    std::memcpy(field + shape.offset(0, y), values.data() + static_cast<std::size_t>(y) * width,
                width * sizeof(double));
  }
}

// One periodic block on one core of rank 0, with which all variants are compared.
class one_core {
 public:
  explicit one_core(const setting& given)
      : given_(given), fields_(given.rank == 0 ? given.local.elements : 0) {}

  double* field() { return fields_.now(); }

  double run(unsigned steps) {
    const std::int64_t start_ns = atl::now_ns();
    for (unsigned step = 0; step < steps; ++step) {
      for (std::size_t d = 0; d < directions.size(); ++d) wrap(d);
      given_.apply(fields_.now(), fields_.next(), given_.local.bounds());
      fields_.swap();
    }
    return seconds_since(start_ns);
  }

 private:
  void wrap(std::size_t direction) {
    const rect from = given_.local.border(direction);
    const rect to = given_.local.halo(opposite(direction));
    for (int y = 0; y < from.height(); ++y) {
      const double* const row = fields_.now() + given_.local.offset(from.x0, from.y0 + y);
      std::copy_n(row, from.width(), fields_.now() + given_.local.offset(to.x0, to.y0 + y));
    }
  }

  const setting& given_;
  field_pair fields_;
};

// The known properties of the right result, and the check of a field against them.
class correctness_check {
 public:
  correctness_check(rank_group& group, const setting& given, const std::vector<double>& first)
      : group_(group), given_(given), part_(given.domain.part_of(given.rank)) {
    initial_ = amplitudes_of(part_, given.domain.points, first.data(), given.local.size.x);
    add(initial_);
  }

  void check(const double* field, figure& result) {
    const double* const first = field + given_.local.offset(0, 0);
    std::uint64_t bits = bits_of(part_, given_.domain.points, first, given_.local.pitch);
    group_.add(bits);
    if (result.bits != 0 && result.bits != bits)
      result.right = false;  // not the same in all rounds
    result.bits = bits;
    amplitudes now = amplitudes_of(part_, given_.domain.points, first, given_.local.pitch);
    add(now);
    result.error =
        amplitude_error(initial_, now, given_.domain.points, given_.table(), given_.steps);
    if (!(result.error <= amplitude_error_max(given_.steps))) result.right = false;
  }

 private:
  // By the standard, an array of complex numbers may be read as an array of pairs of numbers.
  void add(amplitudes& values) {
    group_.add(std::span(reinterpret_cast<double*>(values.data()), 2 * values.size()));
  }

  rank_group& group_;
  const setting& given_;
  rect part_;
  amplitudes initial_;
};

// Compares all bits with the reference where there is one, otherwise with each other.
void compare(rank_group& group, const setting& given, outcome& result) {
  result.has_reference = reference_is_quick(given.domain.points, given.domain.radius, given.steps);
  if (result.has_reference && group.rank() == 0) {
    result.reference =
        reference_bits(given.domain.points, given.table(), given.steps, *given.compute);
  }
  group.add(result.reference);  // others add nothing
  for (figure& each : result.figures) {
    const std::uint64_t expected =
        result.has_reference ? result.reference : result.figures.front().bits;
    each.right = each.right && each.bits == expected;
    result.right = result.right && each.right;
  }
}

// Whether the time for rounds is over by rank 0's clock; the same on all ranks.
bool is_late(rank_group& group, std::int64_t start_ns) {
  std::uint64_t late = group.rank() == 0 && seconds_since(start_ns) > seconds_max ? 1 : 0;
  group.add(late);
  return late != 0;
}

double timed(rank_group& group, variant& candidate, unsigned steps) {
  group.barrier();
  const std::int64_t start_ns = atl::now_ns();
  candidate.run(steps);
  group.barrier();
  return seconds_since(start_ns);
}

// Computes the figures of an outcome from the samples of all rounds.
void summarize(outcome& result, const setting& given, std::vector<std::vector<double>>& samples,
               const std::vector<double>& alone) {
  const auto points = [&](const extent& size) {
    return static_cast<double>(size.x) * size.y * given.steps;
  };
  result.one_core_s = spread_of(alone);
  result.one_core_points_per_s = points(given.local.size) / result.one_core_s.median;
  for (std::size_t i = 0; i < result.figures.size(); ++i) {
    figure& each = result.figures[i];
    each.seconds = spread_of(samples[i]);
    each.points_per_s = points(given.domain.points) / each.seconds.median;
    each.efficiency = each.points_per_s / (result.one_core_points_per_s * cores_for(result.ranks));
  }
}

}  // namespace

spread spread_of(std::vector<double> samples) {
  const auto middle = [](std::vector<double>& values) {
    if (values.empty()) return 0.0;
    std::sort(values.begin(), values.end());
    return (values[(values.size() - 1) / 2] + values[values.size() / 2]) / 2;
  };
  spread result{.median = middle(samples)};
  for (double& each : samples) each = std::abs(each - result.median);
  result.mad = middle(samples);
  return result;
}

unsigned cores_for(unsigned ranks) noexcept {
  const long cores = ::sysconf(_SC_NPROCESSORS_ONLN);
  return cores < 1 ? 1 : std::min(ranks, static_cast<unsigned>(cores));
}

const figure& outcome::fastest() const {
  const auto faster = [](const figure& a, const figure& b) {
    return a.seconds.median < b.seconds.median;
  };
  return *std::min_element(figures.begin(), figures.end(), faster);
}

outcome compare_variants(rank_group& group, const setting& given,
                         const std::vector<std::string>& names, unsigned rounds) {
  const std::vector<double> first = first_field(given);
  correctness_check is_right(group, given, first);
  one_core measure(given);
  const auto candidates = group.variants(given, names);
  outcome result{.domain = given.domain, .ranks = group.size(), .steps = given.steps};
  for (const auto& each : candidates) result.figures.push_back({.name = std::string(each->name())});
  std::vector<std::vector<double>> samples(candidates.size());
  std::vector<double> alone;
  const std::int64_t start_ns = atl::now_ns();
  for (unsigned round = 0; round <= rounds; ++round) {  // the first is not counted
    if (round > 1 && is_late(group, start_ns)) break;
    result.rounds = round;
    if (group.rank() == 0) {
      measure.run(warming_steps);
      fill(given.local, first, measure.field());
      const double seconds = measure.run(given.steps);
      if (round > 0) alone.push_back(seconds);
    }
    for (std::size_t i = 0; i < candidates.size(); ++i) {
      candidates[i]->run(warming_steps);
      group.barrier();
      fill(given.local, first, candidates[i]->field());
      candidates[i]->load();
      const double seconds = timed(group, *candidates[i], given.steps);
      if (round > 0) samples[i].push_back(seconds);
      candidates[i]->unload();
      is_right.check(candidates[i]->field(), result.figures[i]);
    }
  }
  compare(group, given, result);
  summarize(result, given, samples, alone);
  return result;
}

}  // namespace stencil2d
