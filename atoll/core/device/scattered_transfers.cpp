// SPDX-License-Identifier: BSD-3-Clause
//
// The requester's side of non-contiguous transfers with memory of devices. A direct one is one copy
// of a device's engine for each pair of rows. A staged one goes in chunks of rows: this end's
// device gathers them to a slot or scatters them from there, and the other end is done by the
// processor, or by the other rank's device, of the rows that messages name.
#include <atoll/core/device/device_transfers.hpp>
#include <atoll/core/job/core_access.hpp>
#include <atoll/core/job/runtime.hpp>
#include <atoll/core/rma/reference_transfers.hpp>
#include <atoll/core/segment/segment_access.hpp>
#include <atoll/core/strided/strided_access.hpp>
#include <atoll/core/strided/strided_copy.hpp>

#include <utility>

namespace atl {

using memory::copy_direction;

namespace {

std::uintptr_t number_of(const std::byte* address) {
  return reinterpret_cast<std::uintptr_t>(address);
}

/// The same rows, packed one after the other.
std::vector<run_row> packed_at(const std::byte* begin, std::span<const run_row> rows) {
  std::vector<run_row> packed;
  packed.reserve(rows.size());
  std::uintptr_t at = number_of(begin);
  for (const run_row& each : rows) {
    packed.push_back({at, each.bytes, each.count, static_cast<std::ptrdiff_t>(each.bytes)});
    at += each.bytes * each.count;
  }
  return packed;
}

void shift(std::vector<run_row>& rows, std::uintptr_t by) {
  for (run_row& each : rows) each.address += by;
}

}  // namespace

void device_transfers::start_rows(const device_request& extent, std::size_t local_bytes,
                                  device_row_source& source, operation& record,
                                  bool keeps_source) noexcept {
  check_local(extent, local_bytes);
  const device_way way = find_way(extent);
  const bool is_from_peer =
      !extent.is_put && segment_access::is_on_device(extent.memory, extent.peer);
  const bool is_from_device = extent.is_put && extent.device != nullptr;
  operation own_record;
  operation& counted = keeps_source ? record : own_record;
  for (;;) {
    device_rows rows;
    rows.source_on_device = is_from_peer     ? device_rows::side::remote
                            : is_from_device ? device_rows::side::local
                                             : device_rows::side::none;
    if (!source.next(rows, slot_bytes_)) break;
    way.is_direct ? start_direct_rows(extent, way, std::move(rows), counted)
                  : add_chunk_of_rows(extent, std::move(rows), counted);
  }
  finish_start(record, counted);
}

// --- directly ------------------------------------------------------------------------------------

void device_transfers::start_direct_rows(const device_request& request, const device_way& way,
                                         device_rows rows, operation& record) {
  direct_bytes_.fetch_add(rows.bytes, std::memory_order_relaxed);
  const std::uintptr_t mapped = number_of(way.remote) - number_of(request.remote);
  shift(rows.remote, mapped);
  if (rows.source_on_device == device_rows::side::remote) rows.low += mapped, rows.end += mapped;
  device_chunk& chunk = make_chunk();
  chunk.task = device_chunk::role::direct;
  chunk.queue = queue_of(way.device);
  chunk.peer = request.peer;
  chunk.bytes = rows.bytes;
  chunk.remote = request.remote;
  chunk.record = &record;
  record.add_piece();
  chunk.rows = std::move(rows);
  const copy_direction direction = direction_of(request);
  const device_rows& kept = chunk.rows;
  if (direction == copy_direction::from_device && kept.is_close_together(slot_bytes_)) {
    chunk.slot = chunk.queue->take_slot(kept.end - kept.low);
    if (chunk.slot != nullptr) {
      const run_row range{.address = kept.low, .bytes = kept.end - kept.low, .count = 1};
      const run_row slot{.address = number_of(chunk.slot), .bytes = range.bytes, .count = 1};
      return copy_rows(chunk, direction, {&slot, 1}, {&range, 1});
    }
  }
  request.is_put ? copy_rows(chunk, direction, kept.remote, kept.local)
                 : copy_rows(chunk, direction, kept.local, kept.remote);
}

// The whole range of the source is in the slot; its rows go to host memory.
void device_transfers::take_from_slot(device_chunk& chunk) noexcept {
  const device_rows& rows = chunk.rows;
  const bool is_from_peer = rows.source_on_device == device_rows::side::remote;
  const std::vector<run_row>& to = is_from_peer ? rows.local : rows.remote;
  const std::vector<run_row>& from = is_from_peer ? rows.remote : rows.local;
  const std::uintptr_t moved = number_of(chunk.slot) - rows.low;
  copy_streams(row_walker(listed_rows(to)), row_walker(listed_rows(from), moved));
  fence_stores();
}

// --- staged --------------------------------------------------------------------------------------

void device_transfers::add_chunk_of_rows(const device_request& request, device_rows rows,
                                         operation& record) {
  staged_bytes_.fetch_add(rows.bytes, std::memory_order_relaxed);
  device_chunk& chunk = make_chunk();
  chunk.task = request.is_put ? device_chunk::role::put : device_chunk::role::get;
  chunk.queue = request.device != nullptr ? queue_of(request.device) : nullptr;
  chunk.memory = &request.memory;
  chunk.peer = request.peer;
  chunk.remote = request.remote;
  chunk.local = request.local;
  chunk.bytes = rows.bytes;
  chunk.rows = std::move(rows);
  chunk.record = &record;
  record.add_piece();
  const std::lock_guard hold(guard_);
  waiting_.push_back(&chunk);
}

// From then on the local rows are those in the slot.
void device_transfers::gather_to_slot(device_chunk& chunk) noexcept {
  device_rows& rows = chunk.rows;
  const std::vector<run_row> source = std::exchange(rows.local, {});
  if (rows.is_close_together(slot_bytes_)) {
    const run_row range{.address = rows.low, .bytes = rows.end - rows.low, .count = 1};
    const run_row slot{.address = number_of(chunk.slot), .bytes = range.bytes, .count = 1};
    rows.local = source;
    shift(rows.local, number_of(chunk.slot) - rows.low);
    copy_rows(chunk, copy_direction::from_device, {&slot, 1}, {&range, 1});
    return;
  }
  rows.local = packed_at(chunk.slot, source);
  copy_rows(chunk, copy_direction::from_device, rows.local, source);
}

void device_transfers::scatter_from_slot(device_chunk& chunk) noexcept {
  const std::vector<run_row> packed = packed_at(chunk.slot, chunk.rows.local);
  copy_rows(chunk, copy_direction::to_device, chunk.rows.local, packed);
}

void device_transfers::start_leg_of_rows(device_chunk& chunk) noexcept {
  const device_rows& rows = chunk.rows;
  const bool is_put = chunk.task == device_chunk::role::put;
  const bool goes_to_slot = !is_put && chunk.slot != nullptr;
  const run_row slot{.address = number_of(chunk.slot), .bytes = chunk.bytes, .count = 1};
  const std::span<const run_row> local =
      goes_to_slot ? std::span(&slot, 1) : std::span<const run_row>(rows.local);
  if (segment_access::is_on_device(*chunk.memory, chunk.peer)) {
    packed_transfers& packed = core_access::reference(owner_).packed();
    const packed_order order{
        .peer = chunk.peer, .bytes = chunk.bytes, .rows = rows.remote.size(), .on_device = true};
    const row_walker remote_rows{listed_rows(rows.remote)};
    const row_walker local_rows{listed_rows(local)};
    is_put ? packed.start_put(order, remote_rows, local_rows, chunk.leg)
           : packed.start_get(order, remote_rows, local_rows, chunk.leg);
  } else if (is_put) {
    start_put(*chunk.memory, chunk.peer, rows_transfer{.to = rows.remote, .from = local},
              chunk.leg);
  } else {
    start_get(*chunk.memory, chunk.peer, rows_transfer{.to = local, .from = rows.remote},
              chunk.leg);
  }
  const std::lock_guard hold(guard_);
  legs_.push_back(&chunk);
}

}  // namespace atl
