// SPDX-License-Identifier: BSD-3-Clause
//
// The contract of start-up: the number of this rank and of all ranks, an exchange of small blobs, a
// fence, and the end of the job. A bootstrap knows nothing of memory or transports; it carries
// bytes until the job has better means. All calls may throw `atl::error`; exchange and fence are
// collective over the job, in the same order on every rank, from one thread at a time.
//
// A rank that joined (constructed a bootstrap) and ends without goodbye() has failed: the launcher
// ends the job and says so. Implementations: `single` (no launcher, a job of one), `local` (the
// `atoll run` launcher over a Unix socket), `pmix` and `pmi1` (launchers of MPI); factory.cpp
// chooses.
#pragma once

#include <atoll/base/rank.hpp>
#include <atoll/base/settings.hpp>
#include <atoll/base/system/descriptor.hpp>
#include <atoll/bootstrap/blob_table.hpp>

#include <sys/types.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string_view>
#include <vector>

namespace atl::bootstrap {

class bootstrap {
 public:
  bootstrap() = default;
  bootstrap(const bootstrap&) = delete;
  bootstrap& operator=(const bootstrap&) = delete;
  virtual ~bootstrap() = default;

  virtual rank_id rank() const noexcept = 0;
  virtual rank_id size() const noexcept = 0;

  /// The host of each rank, by rank: numbers from 0 up, in the order of their first ranks. Empty
  /// when the whole job is on one host. Ranks of one host share host_memory().
  virtual std::vector<std::uint32_t> hosts() const { return {}; }

  /// All-gather: returns every rank's blob, indexed by rank. Blobs may differ in size, up to 64
  /// KiB. They are read where they lie, in memory that the ranks of a host may share.
  virtual blob_table exchange(std::span<const std::byte> contribution) = 0;

  /// Returns when every rank has entered.
  virtual void fence() = 0;

  /// The memory file that all ranks of this host share (a memfd of size 0 at first, grown by
  /// ftruncate). Each call returns a new descriptor of the same file.
  virtual descriptor host_memory() = 0;

  /// A process from which the ranks of this host descend; 0 where none is known.
  virtual pid_t common_ancestor() const noexcept { return 0; }

  /// Ends every rank of the job with this exit code; a message, when not empty, is printed once by
  /// the launcher as this rank's reason. Code 0 without a message is a clean end. Does not return.
  [[noreturn]] virtual void end_job(int code, std::string_view message) noexcept = 0;

  /// The program of this rank has ended with this exit code, but its memory is still of use to the
  /// others. Returns when every other rank has stopped as well or has left; a rank that has stopped
  /// may stop again, and does nothing else but leave. The launcher of `atoll run` ends with the
  /// first code of any rank that is not 0. Other launchers only know a fence: there all ranks must
  /// stop, and no code is passed on but by the exit of the process.
  virtual void stop(int /*code*/) { fence(); }

  /// Whether a rank has stopped, as far as is known here, and whether any has. Any thread. Always
  /// false under launchers other than `atoll run`.
  virtual bool has_stopped(rank_id) const noexcept { return false; }
  virtual bool any_has_stopped() const noexcept { return false; }

  /// This rank wants to go on when another one fails. When all ranks of the job that have not left
  /// it want that, a failure does not end it: the launcher tells of it, and from then on its
  /// collectives and stops do without that rank, whose contribution to an exchange is empty. False
  /// under launchers that cannot do so.
  virtual bool outlive_failures() { return false; }

  /// Takes outlive_failures() back: from now on the failure of this rank ends the job, and so does
  /// that of another. Any thread.
  virtual void depend_on_others() {}

  /// Whether a rank has failed in a job that goes on, as far as is known here, and how many have.
  /// Any thread.
  virtual bool has_failed(rank_id) const noexcept { return false; }
  virtual rank_id failed_count() const noexcept { return 0; }

  /// This rank is done with the job and may exit in its own time and with any code; no call
  /// follows.
  virtual void goodbye() noexcept = 0;
};

/// Chooses by the settings and the environment: the launcher of ATOLL_JOB, or one that speaks PMIx
/// or PMI-1, else a job of one; throws where another would silently make N jobs of one.
std::unique_ptr<bootstrap> make(const settings& settings);

}  // namespace atl::bootstrap
