// SPDX-License-Identifier: BSD-3-Clause
//
// The bootstrap of a rank that a PMI-1 launcher has started: mpiexec of MPICH (Hydra) and of Intel
// MPI, srun --mpi=pmi2. The launcher names a connection to itself by PMI_FD, or by PMI_PORT and
// PMI_ID.
//
// An MPI library in the same process uses the same connection, before or after Atoll, and ends it
// when it is finalised, which may be before Atoll is. So Atoll speaks PMI only while it joins: the
// ranks tell each other who shares a host and how to connect, and everything later goes over
// connections of their own (rank_tree.hpp). The launcher takes a process that ends without having
// finalised PMI for a failure. Atoll does that when the process exits, and only after goodbye(); if
// MPI has done it by then, the launcher no longer listens, and Atoll need not do it.
//
// The program must not start MPI in one thread while another one starts Atoll.
#pragma once

#include <atoll/bootstrap/bootstrap.hpp>
#include <atoll/bootstrap/host_sharing.hpp>
#include <atoll/bootstrap/rank_tree.hpp>

#include <memory>
#include <optional>

namespace atl::bootstrap {

class pmi1 final : public bootstrap {
 public:
  /// Joins the job. Throws `atl::error`.
  explicit pmi1(const settings& settings);

  rank_id rank() const noexcept override { return rank_; }
  rank_id size() const noexcept override { return size_; }
  std::vector<std::uint32_t> hosts() const override;
  blob_table exchange(std::span<const std::byte> contribution) override;
  void fence() override { tree_->fence(); }
  descriptor host_memory() override;
  [[noreturn]] void end_job(int code, std::string_view message) noexcept override;
  void goodbye() noexcept override;

 private:
  [[noreturn]] void end_after(rank_id peer, std::optional<int> code) noexcept;

  pid_t owner_;  // the process that joined; a forked child is no rank
  rank_id rank_ = 0;
  rank_id size_ = 1;
  shared_host host_;
  std::optional<rank_tree> tree_;
};

/// Whether the launcher's variables name a PMI-1 connection.
bool has_pmi1();

}  // namespace atl::bootstrap
