// SPDX-License-Identifier: BSD-3-Clause
//
// The first PEs of a job of OpenSHMEM as a group, and the variants that are written with it.
// All PEs of the job allocate symmetric memory together, also those outside the group.
#pragma once

#include <apps/stencil2d/comparison.hpp>

#include <shmem.h>

#include <cstddef>

namespace stencil2d {

/// Names of the variants, in the order in which they run.
std::vector<std::string> shmem_variants();

/// The symmetric memory of one group: two fields, boxes for packed borders, signals, and room for
/// sums. The same layout on all PEs. Collective over the job, and so is its end.
class symmetric_area {
 public:
  /// `given` may be of any rank of the group. Throws `atl::error`, on all PEs, when there is no
  /// memory.
  explicit symmetric_area(const setting& given);
  symmetric_area(const symmetric_area&) = delete;
  symmetric_area& operator=(const symmetric_area&) = delete;
  ~symmetric_area() { shmem_free(memory_); }

  static constexpr std::size_t variants_max = 2;

  double* field(std::size_t which) const noexcept { return memory_ + which * field_elements_; }
  /// The box for borders that the neighbour in this direction has packed; two are used in turn.
  double* box(std::size_t direction, std::size_t turn) const noexcept {
    return boxes_ + (2 * direction + turn) * box_elements_;
  }
  /// The signal of the neighbour in this direction.
  std::uint64_t* signal(std::size_t of_variant, std::size_t direction) const noexcept {
    return signals_ + (of_variant * directions.size() + direction) * words_per_line;
  }
  double* sums() const noexcept { return sums_; }
  static constexpr std::size_t sums_max = 64;

 private:
  static constexpr std::size_t words_per_line = 8;

  std::size_t field_elements_;
  std::size_t box_elements_;
  double* memory_;
  double* boxes_;
  double* sums_;  // this PE's numbers, and the sums
  std::uint64_t* signals_;
};

class shmem_group final : public rank_group {
 public:
  /// The team has the first PEs of the job, so a PE's number is its rank in the group.
  shmem_group(shmem_team_t team, const symmetric_area& area) : team_(team), area_(area) {}

  unsigned rank() const override { return static_cast<unsigned>(shmem_team_my_pe(team_)); }
  unsigned size() const override { return static_cast<unsigned>(shmem_team_n_pes(team_)); }
  void barrier() override {
    shmem_quiet();
    shmem_team_sync(team_);
  }
  void add(std::span<double> numbers) override;
  void add(std::uint64_t& number) override;
  std::vector<std::unique_ptr<variant>> variants(const setting& given,
                                                 const std::vector<std::string>& names) override;

 private:
  shmem_team_t team_;
  const symmetric_area& area_;
};

}  // namespace stencil2d
