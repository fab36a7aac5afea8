// SPDX-License-Identifier: BSD-3-Clause
//
// Exchanges the addresses of an object on every rank, each as that rank's own address: a test needs
// them before it can put and get.
#pragma once

#include <atoll/core/job/runtime.hpp>

#include <cstring>
#include <span>
#include <vector>

namespace atl::support {

/// Collective on the job: the addresses that all ranks pass, by rank.
template <class T>
std::vector<T*> exchange_addresses(runtime& job, T* own) {
  const auto blobs = job.exchange(std::as_bytes(std::span(&own, 1)));
  std::vector<T*> addresses(job.size());
  for (rank_id rank = 0; rank < job.size(); ++rank)
    std::memcpy(&addresses[rank], blobs.at(rank).data(), sizeof(T*));
  return addresses;
}

}  // namespace atl::support
