// SPDX-License-Identifier: BSD-3-Clause
//
// The bootstrap of a rank that a PMIx launcher has started: Open MPI's mpirun, PRRTE's prterun,
// Slurm's srun --mpi=pmix. It lives in a module of its own, libatoll_pmix.so, which is built where
// libpmix is found and opened at run time; the library itself does not know libpmix.
//
// PMIx has no memory file to give: the ranks of a host share that of their first
// (host_sharing.hpp).
#pragma once

#include <atoll/bootstrap/bootstrap.hpp>
#include <atoll/bootstrap/host_sharing.hpp>

#include <cstdint>
#include <string>
#include <vector>

namespace atl::bootstrap {

class pmix final : public bootstrap {
 public:
  /// Joins the job. Throws `atl::error` when there is no PMIx server, or another Atoll in the job.
  pmix();
  ~pmix() override;

  rank_id rank() const noexcept override { return rank_; }
  rank_id size() const noexcept override { return size_; }
  std::vector<std::uint32_t> hosts() const override;
  blob_table exchange(std::span<const std::byte> contribution) override;
  void fence() override;
  descriptor host_memory() override;
  [[noreturn]] void end_job(int code, std::string_view message) noexcept override;
  void goodbye() noexcept override;

 private:
  rank_id rank_ = 0;
  rank_id size_ = 1;
  std::string job_;  // PMIx calls it the name space
  bool joined_ = false;
  std::uint64_t exchanges_ = 0;
  shared_host host_;
};

/// Opens the module and joins; throws `atl::error` with `launcher` in its text when it cannot.
std::unique_ptr<bootstrap> join_by_pmix(const std::string& launcher);

}  // namespace atl::bootstrap
