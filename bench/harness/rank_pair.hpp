// SPDX-License-Identifier: BSD-3-Clause
//
// The two ranks that measure something between them, on Atoll: rank 0 acts, rank 1 is acted upon,
// further ranks are idle. A job of one rank plays both parts, so that everything also runs without
// a launcher. Its area is memory of the shared heap, at the same place of every rank's segment, so
// an address here is a place at the peer by one addition.
#pragma once

#include <atoll/core/job/runtime.hpp>

#include <cstddef>
#include <cstring>
#include <stdexcept>

namespace bench {

class rank_pair {
 public:
  /// Collective. Takes `area_bytes` from the heap of every rank, zeroed; throws
  /// `std::runtime_error` when there is not enough memory.
  rank_pair(atl::runtime& job, std::size_t area_bytes) : job_(job), area_bytes_(area_bytes) {
    area_ = static_cast<std::byte*>(job.heap().allocate(area_bytes, 4096));
    if (area_ == nullptr) throw std::runtime_error("not enough memory for the buffers");
    std::memset(area_, 0, area_bytes);
    job.world().barrier();
  }
  rank_pair(const rank_pair&) = delete;
  rank_pair& operator=(const rank_pair&) = delete;

  atl::runtime& job() const noexcept { return job_; }
  atl::endpoint& endpoint() const noexcept { return job_.primordial(); }
  bool alone() const noexcept { return job_.size() == 1; }

  /// The rank that is acted upon.
  atl::rank_id target() const noexcept { return alone() ? 0 : 1; }
  bool acts() const noexcept { return job_.rank() == 0; }
  bool is_target() const noexcept { return job_.rank() == target(); }
  bool takes_part() const noexcept { return acts() || is_target(); }

  std::byte* area() const noexcept { return area_; }
  std::size_t area_bytes() const noexcept { return area_bytes_; }

  /// The place in the target's area that corresponds to `local` in this rank's, as an address
  /// that the target uses.
  std::byte* at_target(const void* local) const noexcept {
    const atl::route* paths = endpoint().bound().routes();
    const auto own = reinterpret_cast<std::uintptr_t>(local);
    const std::uintptr_t remote = own - paths[job_.rank()].remote() + paths[target()].remote();
    return reinterpret_cast<std::byte*>(remote);
  }

  /// The place in the given rank's area that corresponds to `local` in this rank's, as an address
  /// here; null when it is not mapped.
  std::byte* view(atl::rank_id rank, const void* local) const noexcept {
    const atl::route* paths = endpoint().bound().routes();
    const auto offset = reinterpret_cast<std::uintptr_t>(local) - paths[job_.rank()].remote();
    std::byte* const base = reinterpret_cast<std::byte*>(paths[rank].local);
    return base == nullptr ? nullptr : base + offset;
  }

 private:
  atl::runtime& job_;
  std::byte* area_;
  std::size_t area_bytes_;
};

}  // namespace bench
