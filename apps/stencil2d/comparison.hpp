// SPDX-License-Identifier: BSD-3-Clause
//
// Runs the variants, compares their times and checks each. They run in rounds, one after the other
// in every round, so that a change of the machine's speed affects all of them; every run begins
// with the same field and its result is checked. One rank also runs the same kernel alone on a
// block of the same size; all variants are compared with this speed of one core.
//
// This code depends on neither Atoll nor MPI: a program gives it a `rank_group`, the ranks that run
// together, and its variants.
#pragma once

#include <apps/stencil2d/kernel.hpp>
#include <apps/stencil2d/shape.hpp>

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace stencil2d {

/// One rank's share of a run; the same on all ranks but for `rank` and `local`.
struct setting {
  layout domain;
  unsigned rank = 0;
  block local;
  std::vector<double> weights;
  const kernel* compute = nullptr;
  unsigned steps = 1;

  weight_table table() const noexcept { return {weights.data(), domain.radius}; }
  /// Computes the points of a region of `out` from `in`, both the start of a field's memory.
  void apply(const double* in, double* out, const rect& region) const {
    if (region.empty()) return;
    const std::ptrdiff_t offset = local.offset(region.x0, region.y0);
    compute->apply({in + offset, out + offset, local.pitch, region.width(), region.height()},
                   table());
  }
};

/// One way to run the steps on all ranks of a group.
class variant {
 public:
  virtual ~variant() = default;
  virtual std::string_view name() const = 0;
  /// The start of the current field's memory; that of a copy, where the field lies on a device.
  virtual double* field() = 0;
  /// Copy the field from that copy to the device, and back. Not timed.
  virtual void load() {}
  virtual void unload() {}
  /// Collective. At the call the field holds the first values, on return the last; then no rank of
  /// the group needs this rank any more.
  virtual void run(unsigned steps) = 0;
};

/// Ranks that run together.
class rank_group {
 public:
  virtual ~rank_group() = default;
  virtual unsigned rank() const = 0;
  virtual unsigned size() const = 0;
  virtual void barrier() = 0;
  /// Sums over the group, the same on all ranks.
  virtual void add(std::span<double> numbers) = 0;
  virtual void add(std::uint64_t& number) = 0;
  /// The variants that are named, or all when none is named. Collective.
  virtual std::vector<std::unique_ptr<variant>> variants(const setting& given,
                                                         const std::vector<std::string>& names) = 0;
};

/// A median and the median absolute deviation from it.
struct spread {
  double median = 0;
  double mad = 0;
};
spread spread_of(std::vector<double> samples);

/// The results of one variant. `error` is the greatest of its checked amplitudes.
struct figure {
  std::string name;
  spread seconds;  // of one run
  double points_per_s = 0;
  double efficiency = 0;  // relative to the cores' speed without communication
  std::uint64_t bits = 0;
  double error = 0;
  bool right = true;
};

struct outcome {
  layout domain;
  unsigned ranks = 1;
  unsigned steps = 1;
  unsigned rounds = 1;
  spread one_core_s;  // of the same steps on one block
  double one_core_points_per_s = 0;
  std::vector<figure> figures;
  bool has_reference = false;
  std::uint64_t reference = 0;
  bool right = true;

  const figure& fastest() const;
};

/// Runs the named variants in `rounds` rounds, or in as many as begin within ten seconds;
/// collective over the group.
outcome compare_variants(rank_group& group, const setting& given,
                         const std::vector<std::string>& names, unsigned rounds);

/// The number of cores that `ranks` ranks can use on this machine.
unsigned cores_for(unsigned ranks) noexcept;

}  // namespace stencil2d
