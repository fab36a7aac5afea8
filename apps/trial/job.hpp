// SPDX-License-Identifier: BSD-3-Clause
//
// The main function of a program on Atoll's core: joins the job, refuses what cannot be done before
// anything is allocated, runs the rounds, reports.
#pragma once

#include <apps/trial/arena.hpp>
#include <apps/trial/trial.hpp>

namespace trial {

/// The ranks of a team as a group.
class team_group final : public group {
 public:
  explicit team_group(atl::team& members) : members_(members) {}
  unsigned rank() const override { return members_.rank(); }
  unsigned size() const override { return members_.size(); }
  void barrier() override { members_.barrier(); }
  void add(std::span<double> numbers) override;
  double greatest(double number) override;
  void broadcast(std::span<double> numbers) override;

 private:
  atl::team& members_;
};

/// Makes the variants of these names; collective. The group lives as long as they do.
using job_variants =
    std::function<variant_list(atl::team& world, group& ranks, const std::vector<std::string>&)>;

/// Returns the exit code: 0 when all is right, 1 when not, 2 when something was refused.
int run_in_job(int argc, char** argv, program& program, const job_variants& make,
               const final_work& afterwards = {});

}  // namespace trial
