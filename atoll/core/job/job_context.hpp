// SPDX-License-Identifier: BSD-3-Clause
//
// This process's place in its job: the settings, the way to the launcher, which rank it is of how
// many, which ranks are where, and which threads communicate. It is the first part of a runtime and
// knows nothing of memory or transports, so it can be made alone with any bootstrap. It also ends
// the job: that must work while the other parts are only half made, and from any thread.
//
// A process that the rank forks has a copy of this object and is no rank: it ends itself only.
//
// Threads: constant after construction; the endings may be called from any thread.
#pragma once

#include <atoll/base/rank.hpp>
#include <atoll/base/settings.hpp>
#include <atoll/bootstrap/bootstrap.hpp>
#include <atoll/core/job/job_hosts.hpp>
#include <atoll/core/job/thread_mode.hpp>

#include <sys/types.h>

#include <memory>
#include <optional>
#include <string_view>
#include <utility>

namespace atl {

class job_context {
 public:
  /// Joins the job by `boot`, or by the launcher that the settings name. Throws `atl::error`.
  job_context(settings configuration, std::unique_ptr<bootstrap::bootstrap> boot,
              std::optional<thread_mode> threads);
  job_context(const job_context&) = delete;
  job_context& operator=(const job_context&) = delete;

  const settings& configuration() const noexcept { return settings_; }
  bootstrap::bootstrap& boot() const noexcept { return *boot_; }
  rank_id rank() const noexcept { return rank_; }
  rank_id size() const noexcept { return size_; }
  const job_hosts& hosts() const noexcept { return hosts_; }
  const rank_range& neighbours() const noexcept { return neighbours_; }
  rank_range ranks_of_host() const noexcept { return hosts_.ranks_of(hosts_.host_of(rank_)); }

  thread_mode threads() const noexcept { return threads_; }
  /// Whether there is a progress thread, or will be because a setting asks for it.
  bool has_progress_thread() const noexcept { return has_progress_thread_; }
  /// Whether several threads of this rank may poll and send.
  bool is_threaded() const noexcept { return threads_ == thread_mode::any || has_progress_thread_; }

  /// Whether this process is a forked child of the one that joined.
  bool is_forked_copy() const noexcept;

  /// Gives the launcher's connection away, in a forked child, so that it stays open for the parent.
  std::unique_ptr<bootstrap::bootstrap> release_boot() noexcept { return std::move(boot_); }

  /// Writes this rank's counters to the standard error stream when ATOLL_COUNTERS asks for it.
  void report_counters(std::string_view more) const noexcept;

  /// Ends the whole job with this exit code.
  [[noreturn]] void exit(int code) const noexcept;

  /// Ends the whole job because of an error: object, cause, remedy.
  [[noreturn]] void fail(std::string_view object, std::string_view cause,
                         std::string_view remedy) const noexcept;

 private:
  settings settings_;
  std::unique_ptr<bootstrap::bootstrap> boot_;
  rank_id rank_;
  rank_id size_;
  job_hosts hosts_;
  rank_range neighbours_;
  thread_mode threads_;
  bool has_progress_thread_;
  pid_t process_;  // that has joined the job
};

}  // namespace atl
