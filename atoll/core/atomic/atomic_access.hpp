// SPDX-License-Identifier: BSD-3-Clause
//
// Atomics for the library's own layers: what makes a rank serve them, and a put followed by an
// atomic at the same rank, of which OpenSHMEM's signals consist. Not installed.
#pragma once

#include <atoll/core/atomic/atomic.hpp>

namespace atl {

/// A put as it travels. With `keeps_source` the source must stay as it is until the put is
/// complete.
struct put_call {
  rank_id target;
  void* to;
  const void* from;
  std::size_t bytes;
  bool keeps_source = false;
};

/// Starts a put that is not direct, then an atomic that does not fetch, on a number of the same
/// rank; it is done once the data can be read there. Data that fits into one message takes one.
/// Both count in the caller's record. Without `keeps_source` the source may be reused on return.
void start_put_then_atomic(segment& memory, const put_call& data, segment& numbers,
                           const atomic_call& call, operation& record) noexcept;

/// Makes this rank serve requests; the runtime does so once.
void add_atomic_handlers(runtime& owner);

}  // namespace atl
