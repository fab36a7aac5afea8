// SPDX-License-Identifier: BSD-3-Clause
//
// The process that has the ranks of one host of several. The daemon forks it first of all,
// when nothing secret is in its memory yet; it waits for two frames, the interface that leads to
// the other hosts and the plan, makes its part of the job ready and runs it. When the daemon ends
// before that, this process exits too.
#pragma once

#include <atoll/base/system/descriptor.hpp>

#include <sys/types.h>

#include <utility>

namespace atl::tools {

class host_ranks {
 public:
  /// Forks it. Throws `atl::error`.
  host_ranks();
  host_ranks(const host_ranks&) = delete;
  host_ranks& operator=(const host_ranks&) = delete;

  /// The connection to it, once.
  descriptor take_link() { return std::move(link_); }

  pid_t pid() const { return pid_; }

  /// The caller, which waits for all its children, has found that the process has ended.
  void has_ended(int wait_status);

  /// Ends it if it has not ended, and returns its wait status. Its process number is not used after
  /// the wait, because another process may have it then.
  int end();

 private:
  descriptor link_;
  pid_t pid_ = 0;
  bool ended_ = false;
  int wait_status_ = 0;
};

}  // namespace atl::tools
