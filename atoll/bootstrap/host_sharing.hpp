// SPDX-License-Identifier: BSD-3-Clause
//
// One memory file per host, for jobs whose launcher carries bytes and no descriptors. Every rank
// makes a file and tells all where its neighbours find it below /proc; the one of a host's first
// rank is kept. The same exchange shows who is on one host: the ranks that see the same processes.
#pragma once

#include <atoll/bootstrap/bootstrap.hpp>

#include <cstdint>
#include <functional>
#include <vector>

namespace atl::bootstrap {

/// The collectives that a launcher offers, before there is a bootstrap.
struct launcher_collectives {
  std::function<blob_table(std::span<const std::byte>)> exchange;
  std::function<void()> fence;
};

struct shared_host {
  descriptor memory;
  std::vector<std::uint32_t> host_of_rank;  // numbers from 0 up, in the order of first ranks

  bool is_only() const;
};

/// Collective over the job. Throws `atl::error` when the ranks use different versions of Atoll, or
/// cannot open each other's files.
shared_host share_host(rank_id rank, const launcher_collectives& job);

}  // namespace atl::bootstrap
