// SPDX-License-Identifier: BSD-3-Clause
//
// The transports of one rank, and which of them reaches which rank. It owns them, polls those that
// have something to poll, and tells all of them of a rank that is lost. Which transports there are
// is the caller's choice: a runtime takes transport::open_all, or what its options name, and a test
// makes a router of transports that it has written.
//
// Threads: as the transports; making one is set-up.
#pragma once

#include <atoll/base/rank.hpp>
#include <atoll/transport/transport.hpp>

#include <cstddef>
#include <memory>
#include <vector>

namespace atl::transport {
struct opened;
}

namespace atl {

class router {
 public:
  explicit router(transport::opened&& opened);
  router(const router&) = delete;
  router& operator=(const router&) = delete;
  ~router();

  /// The transport that reaches this rank of the job.
  transport::transport& to(rank_id target) const noexcept { return *routes_[target]; }

  /// The transport to ranks of other hosts; null when all ranks share memory.
  transport::transport* network() const noexcept { return network_; }

  /// Most payload of a medium message, on every route.
  std::size_t medium_max() const noexcept { return medium_max_; }

  /// Polls those that need it; returns how many messages were delivered.
  std::size_t poll(bool replies_only) noexcept {
    if (polled_.size() == 1) [[likely]]
      return polled_.front()->poll(replies_only);
    std::size_t delivered = 0;
    for (transport::transport* each : polled_) delivered += each->poll(replies_only);
    return delivered;
  }

  /// Nothing goes to this rank any more.
  void forget(rank_id lost) noexcept;

  /// Gives the transports away, in a forked child, which must not close what its parent uses.
  std::vector<std::unique_ptr<transport::transport>> release() noexcept;

 private:
  std::vector<std::unique_ptr<transport::transport>> transports_;
  std::vector<transport::transport*> routes_;  // by rank
  std::vector<transport::transport*> polled_;  // those with something to poll
  transport::transport* network_;
  std::size_t medium_max_;
};

}  // namespace atl
