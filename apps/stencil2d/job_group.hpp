// SPDX-License-Identifier: BSD-3-Clause
//
// The first ranks of an Atoll job as a group, with the variants that run on Atoll.
#pragma once

#include <apps/stencil2d/comparison.hpp>
#include <apps/trial/arena.hpp>
#include <atoll/memory/device/device.hpp>

#include <memory>

namespace stencil2d {

using trial::arena;

/// Names of the variants, in the order in which they run.
std::vector<std::string> job_variants();

/// Throws `atl::error` on all ranks when the machine has too little memory; collective over the
/// team.
void check_memory(atl::team& team, const setting& given);

class job_group final : public rank_group {
 public:
  /// `team` has the job's first ranks. With a kind of memory other than host memory there are only
  /// the variants `device` and `elegant`, and the team must have all ranks.
  job_group(atl::team& team, atl::memory::memory_kind memory) : team_(team), kind_(memory) {}

  unsigned rank() const override { return team_.rank(); }
  unsigned size() const override { return team_.size(); }
  void barrier() override { team_.barrier(); }
  void add(std::span<double> numbers) override;
  void add(std::uint64_t& number) override;
  std::vector<std::unique_ptr<variant>> variants(const setting& given,
                                                 const std::vector<std::string>& names) override;

 private:
  atl::team& team_;
  atl::memory::memory_kind kind_;
  std::unique_ptr<arena> memory_;  // of the variants; must outlive them
};

}  // namespace stencil2d
