// SPDX-License-Identifier: BSD-3-Clause
//
// The transports of one rank, and which of them reaches which rank. It owns them, polls those that
// have something to poll, and tells all of them of a rank that is lost. Which transports there are
// is the caller's choice: a runtime takes transport::open_all, or what its options name, and a test
// makes a router of transports that it has written.
//
// A rank may have several networks. Each rank publishes the names and cards of its own, in its
// order. Two ranks then use the first of the lower rank's list that the other rank has too, so both
// of them use the same. Operations go by the route's network; a loss there is the loss of the rank.
//
// Threads: as the transports; making one is set-up.
#pragma once

#include <atoll/base/rank.hpp>
#include <atoll/core/job/job_hosts.hpp>
#include <atoll/transport/transport.hpp>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
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
  transport::transport& to(rank_id target) const noexcept { return *numbered_[routes_[target]]; }

  /// The description of that transport. Each was asked for it at the start, so that transfers need
  /// no virtual call for its limits.
  const transport::capabilities& description_of(rank_id target) const noexcept {
    return descriptions_[routes_[target]];
  }

  // --- networks ------------------------------------------------------------------------------

  /// The transports to ranks of other hosts, best first; none when all ranks share memory.
  std::span<transport::transport* const> networks() const noexcept { return networks_; }
  bool is_network(const transport::transport& via) const noexcept;

  /// The names and cards by which other ranks reach this one.
  std::vector<std::byte> publish() const;

  /// Connects the networks to those of all ranks, given what each rank has published, and chooses a
  /// network for each rank that is no neighbour. Collective. Throws `atl::error` where no network
  /// of this rank reaches another one.
  void connect(rank_id self, rank_range neighbours,
               std::span<const std::span<const std::byte>> published);

  /// The number, in the list of `peer`, of the network by which these two ranks reach each other.
  std::size_t number_at(rank_id peer) const noexcept {
    return numbers_.empty() ? 0 : numbers_[peer];
  }
  /// Whether the first network of that rank's list is the first one here.
  bool shares_first(rank_id peer) const noexcept {
    return other_first_.empty() || other_first_[peer] == 0;
  }

  /// A line per network: the operations that it was given.
  std::string counts_table() const;

  // --- all transports ------------------------------------------------------------------------

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

  /// Tells all transports that this rank is lost and nothing goes to it any more.
  void forget(rank_id lost) noexcept;

  /// Gives the transports away, in a forked child, which must not close what its parent uses.
  std::vector<std::unique_ptr<transport::transport>> release() noexcept;

 private:
  std::uint8_t number_of(const transport::transport* one) const noexcept;
  void choose(rank_id self, rank_id peer, std::span<const std::byte> own,
              std::span<const std::byte> remote);

  std::vector<std::unique_ptr<transport::transport>> transports_;
  std::vector<transport::transport*> numbered_;        // the same, kept when they are given away
  std::vector<transport::capabilities> descriptions_;  // in the same order
  std::vector<std::uint8_t> routes_;                   // by rank: a number of a transport
  std::vector<transport::transport*> polled_;          // those with something to poll
  std::vector<transport::transport*> networks_;        // best first
  std::vector<std::uint8_t> numbers_;                  // by rank; empty while all are 0
  std::vector<std::uint8_t> other_first_;              // by rank; empty while all are 0
  std::size_t medium_max_;
};

}  // namespace atl
