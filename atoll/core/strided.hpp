// SPDX-License-Identifier: BSD-3-Clause
//
// Non-contiguous put and get, in the forms of scattered.hpp: vector, indexed, strided. To a rank
// whose memory is mapped here they are loops of loads and stores without a temporary, complete on
// return; otherwise the bytes travel packed into active messages (packed_transfers.hpp), however
// many they are, with no memory taken for them. Bounds are checked once per transfer, by the extent
// of what it touches.
//
// The arrays that describe a transfer, and the source of a put, may be reused when any of these
// returns. A put may carry a notice: a message that the target's handler gets after the data is
// there. Errors, which end the job with a message: a range outside of the target's segment, sides
// of different lengths, strides that leave the address space, a call in a handler. Threads: any, in
// mode `any`; the implicit forms belong to the calling thread.
#pragma once

#include <atoll/core/endpoint.hpp>
#include <atoll/core/scattered.hpp>

#include <concepts>
#include <cstddef>

namespace atl {

/// Tells the target of a put that the data has come: its handler at `handler`, registered for
/// medium replies of no arguments on the same endpoint, runs once with a copy of the payload.
struct put_notice {
  static constexpr std::size_t bytes_max = 256;

  handler_id handler = 0;
  const void* payload = nullptr;
  std::size_t bytes = 0;
};

struct scattered_options {
  bool immediate = false;              // refuse rather than wait for resources
  const put_notice* notice = nullptr;  // puts only; with one, `immediate` is not honoured
};

template <class Transfer>
concept scattered =
    std::same_as<Transfer, vector_transfer> || std::same_as<Transfer, indexed_transfer> ||
    std::same_as<Transfer, strided_transfer>;

/// Blocking put: `what.to` is at `target`, by its own addresses, and `what.from` here. The data is
/// there when it returns; the notice's handler has perhaps not run yet.
template <scattered Transfer>
void put(endpoint& at, rank_id target, const Transfer& what,
         const scattered_options& how = {}) noexcept;

/// Explicit-event put; false only when refused (`immediate`), and then nothing happened.
template <scattered Transfer>
bool put_nb(endpoint& at, rank_id target, const Transfer& what, event& done,
            const scattered_options& how = {}) noexcept;

/// Implicit put; false as above.
template <scattered Transfer>
bool put_nbi(endpoint& at, rank_id target, const Transfer& what,
             const scattered_options& how = {}) noexcept;

/// Blocking get: `what.from` is at `source`, by its own addresses, and `what.to` here.
template <scattered Transfer>
void get(endpoint& at, rank_id source, const Transfer& what,
         const scattered_options& how = {}) noexcept;

template <scattered Transfer>
bool get_nb(endpoint& at, rank_id source, const Transfer& what, event& done,
            const scattered_options& how = {}) noexcept;

template <scattered Transfer>
bool get_nbi(endpoint& at, rank_id source, const Transfer& what,
             const scattered_options& how = {}) noexcept;

}  // namespace atl
