// SPDX-License-Identifier: BSD-3-Clause
//
// The bootstrap of a rank started by `atoll run` on this host: a Unix socket to the launcher, named
// by ATOLL_JOB. It connects when constructed and not before, so a program that never starts Atoll,
// a shell between launcher and program, or a wrapper that closes descriptors all do no harm.
//
// One thread at a time makes collective calls; end_job() may come from any thread at any time, so
// sending is under a mutex. A process that the rank forks inherits the object but is no rank: its
// goodbye(), end_job() and destructor leave the parent's membership alone.
#pragma once

#include <atoll/bootstrap/bootstrap.hpp>
#include <atoll/bootstrap/job_address.hpp>
#include <atoll/bootstrap/stopped_ranks.hpp>

#include <sys/types.h>

#include <mutex>
#include <optional>
#include <string>

namespace atl::bootstrap {

class local final : public bootstrap {
 public:
  struct identity {
    job_address job;
    rank_id rank = 0;
    rank_id size = 1;
    std::string version;  // of the library; all ranks of a job must show the same one
  };

  /// Joins the job. Throws `atl::error` with the launcher's reason when it refuses.
  explicit local(const identity& me);

  rank_id rank() const noexcept override { return rank_; }
  rank_id size() const noexcept override { return size_; }
  std::vector<std::uint32_t> hosts() const override;
  blob_table exchange(std::span<const std::byte> contribution) override;
  void fence() override;
  descriptor host_memory() override;
  pid_t common_ancestor() const noexcept override { return launcher_; }
  [[noreturn]] void end_job(int code, std::string_view message) noexcept override;
  void stop(int code) override;
  bool has_stopped(rank_id rank) const noexcept override { return stopped_->has(rank); }
  bool any_has_stopped() const noexcept override { return !stopped_->is_empty(); }
  bool outlive_failures() override;
  void depend_on_others() override;
  bool has_failed(rank_id rank) const noexcept override { return stopped_->has_failed(rank); }
  rank_id failed_count() const noexcept override { return stopped_->failed_count(); }
  void goodbye() noexcept override;

 private:
  void join(const identity& me);
  void send(std::span<const std::byte> frame);
  wire::bytes receive(wire::kind expected, std::size_t body_bytes_max);
  wire::bytes receive(wire::kind expected, std::size_t body_bytes_max,
                      std::vector<descriptor>& carried);

  rank_id rank_;
  rank_id size_;
  pid_t owner_;  // the process that joined
  descriptor socket_;
  pid_t launcher_;  // that listens; 0: of another process namespace
  descriptor memory_;
  std::optional<stopped_ranks> stopped_;
  std::vector<rank_id> host_firsts_;
  std::mutex sending_;
};

}  // namespace atl::bootstrap
