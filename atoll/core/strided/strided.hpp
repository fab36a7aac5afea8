// SPDX-License-Identifier: BSD-3-Clause
//
// Non-contiguous put and get, in the forms of scattered.hpp: vector, indexed, strided. To a rank
// whose memory is mapped here they are loops of loads and stores without a temporary, complete on
// return; otherwise the bytes travel packed into active messages (packed_transfers.hpp), however
// many they are, with no memory taken for them. Bounds are checked once per transfer, by the extent
// of what it touches.
//
// Where the option `device` says that the local side is memory of a device, or the target's part
// is, a device copies the rows (device_transfers.hpp).
//
// The arrays that describe a transfer, and the source of a put, may be reused when any of these
// returns. A put may carry a notice: a message that the target's handler gets after the data is
// there. Errors, which end the job with a message: a range outside of the target's segment, sides
// of different lengths, strides that leave the address space, a call in a handler. Threads: any, in
// mode `any`; the implicit forms belong to the calling thread.
#pragma once

#include <atoll/core/am/endpoint.hpp>
#include <atoll/core/segment/segment.hpp>
#include <atoll/core/strided/scattered.hpp>

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

/// Options of a non-contiguous transfer.
struct scattered_options {
  bool immediate = false;              // refuse rather than wait for resources
  const put_notice* notice = nullptr;  // puts only; with one, `immediate` is not honoured
  memory::device* device = nullptr;    // the local side is memory of this device
  bool keeps_source = false;           // of a put by a device: the source stays until completion
};

template <class Transfer>
concept scattered =
    std::same_as<Transfer, vector_transfer> || std::same_as<Transfer, indexed_transfer> ||
    std::same_as<Transfer, strided_transfer> || std::same_as<Transfer, rows_transfer>;

/// Blocking put: `transfer.to` is at `target`, by its own addresses, and `transfer.from` is here.
/// The data is there when it returns; the notice's handler has perhaps not run yet.
template <scattered Transfer>
operation_status put(endpoint& local, rank_id target, const Transfer& transfer,
                     const scattered_options& options = {}) noexcept;

/// Explicit-event put; false only when refused (`immediate`), and then nothing happened.
template <scattered Transfer>
bool put_nb(endpoint& local, rank_id target, const Transfer& transfer, event& done,
            const scattered_options& options = {}) noexcept;

/// Implicit put; false as above.
template <scattered Transfer>
bool put_nbi(endpoint& local, rank_id target, const Transfer& transfer,
             const scattered_options& options = {}) noexcept;

/// Blocking get: `transfer.from` is at `source`, by its own addresses, and `transfer.to` is here.
template <scattered Transfer>
operation_status get(endpoint& local, rank_id source, const Transfer& transfer,
                     const scattered_options& options = {}) noexcept;

/// Explicit-event get; false as above.
template <scattered Transfer>
bool get_nb(endpoint& local, rank_id source, const Transfer& transfer, event& done,
            const scattered_options& options = {}) noexcept;

/// Implicit get; false as above.
template <scattered Transfer>
bool get_nbi(endpoint& local, rank_id source, const Transfer& transfer,
             const scattered_options& options = {}) noexcept;

}  // namespace atl
