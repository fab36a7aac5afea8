// SPDX-License-Identifier: BSD-3-Clause
//
// Staged transfers where the other rank's end is memory of a device (this rank's end may be, too):
// the messages that carry chunks, and the work of the rank that is asked. A handler only
// starts the copy of the device; progress sends the answer when the copy is complete. The answers
// go to the handlers of plain transfers over messages, which end the requester's piece.
#include <atoll/base/halves.hpp>
#include <atoll/base/text.hpp>
#include <atoll/core/device/device_transfers.hpp>
#include <atoll/core/job/core_access.hpp>
#include <atoll/core/job/layer_access.hpp>
#include <atoll/core/job/runtime.hpp>
#include <atoll/core/job/system_handlers.hpp>
#include <atoll/core/strided/packed_transfers.hpp>

#include <algorithm>
#include <array>
#include <cstring>

namespace atl {

using memory::copy_direction;

namespace {

std::uint64_t bits(const void* position) { return reinterpret_cast<std::uintptr_t>(position); }
std::byte* pointer(const std::uint32_t* pair) {
  return reinterpret_cast<std::byte*>(static_cast<std::uintptr_t>(join_halves(pair)));
}

}  // namespace

// --- the requester -------------------------------------------------------------------------------

void device_transfers::send_put(device_chunk& chunk, const std::byte* from) noexcept {
  endpoint& system = layer_access::system_endpoint(owner_);
  const std::size_t most = system.medium_max(chunk.peer);
  for (std::size_t done = 0; done < chunk.bytes; done += most) {
    piece* const begun = core_access::pieces(owner_).begin(chunk.leg, chunk.peer);
    if (begun == nullptr) return;
    const std::uint64_t remote_address = bits(chunk.remote + done);
    const std::array<std::uint32_t, 4> args{low_half(remote_address), high_half(remote_address),
                                            low_half(bits(begun)), high_half(bits(begun))};
    system.request({.target = chunk.peer,
                    .kind = am_category::medium,
                    .handler = system_handler::device_put,
                    .nargs = args.size(),
                    .args = args.data(),
                    .payload = from + done,
                    .bytes = std::min(most, chunk.bytes - done)});
  }
}

void device_transfers::ask_for_data(device_chunk& chunk, std::byte* to) noexcept {
  endpoint& system = layer_access::system_endpoint(owner_);
  const std::size_t most = std::min(system.medium_max(chunk.peer), slot_bytes_);
  for (std::size_t done = 0; done < chunk.bytes; done += most) {
    piece* const begun = core_access::pieces(owner_).begin(chunk.leg, chunk.peer);
    if (begun == nullptr) return;
    const std::uint64_t remote_address = bits(chunk.remote + done);
    const std::uint64_t answer_address = bits(to + done);
    const std::array<std::uint32_t, 7> args{
        low_half(answer_address),
        high_half(answer_address),
        low_half(bits(begun)),
        high_half(bits(begun)),
        low_half(remote_address),
        high_half(remote_address),
        static_cast<std::uint32_t>(std::min(most, chunk.bytes - done))};
    system.request({.target = chunk.peer,
                    .handler = system_handler::device_get,
                    .nargs = args.size(),
                    .args = args.data()});
  }
}

// --- the rank that is asked ----------------------------------------------------------------------

device_queue& device_transfers::owner_of(const char* action, rank_id requester,
                                         const std::byte* address, std::size_t bytes) noexcept {
  memory::device* found = nullptr;
  {
    const std::lock_guard hold(guard_);
    for (const segment_part& each : parts_) {
      const auto offset = static_cast<std::size_t>(address - each.base);
      if (address >= each.base && bytes <= each.bytes && offset <= each.bytes - bytes)
        found = each.device;
    }
  }
  device_queue* const queue = queue_of(found);
  if (queue != nullptr) return *queue;
  owner_.fail(text(action, " of ", bytes, " bytes by rank ", requester, " at ", hex(address),
                   " of rank ", owner_.rank()),
              "the address lies in no segment of device memory; it may have been destroyed",
              "keep segments until all ranks that know them have passed a barrier");
}

bool device_transfers::take_serving_slot(device_chunk& chunk) {
  if (chunk.bytes > slot_bytes_) return false;
  chunk.slot = chunk.queue->take_slot(chunk.bytes);
  if (chunk.slot == nullptr) return false;
  serving_slots_.fetch_add(1, std::memory_order_relaxed);
  return true;
}

void device_transfers::take_buffer(device_chunk& chunk) {
  chunk.buffer = std::make_unique_for_overwrite<std::byte[]>(chunk.bytes);
  unpinned_bytes_.fetch_add(chunk.bytes, std::memory_order_relaxed);
}

// Serves data that has arrived and needs a place at once.
void device_transfers::serve(device_chunk& chunk, device_queue& queue) {
  chunk.queue = &queue;
  if (!take_serving_slot(chunk)) take_buffer(chunk);
}

void device_transfers::on_put(void* context, am_token& token, const std::uint32_t* args, unsigned,
                              void* payload, std::size_t bytes) {
  auto& self = *static_cast<device_transfers*>(context);
  std::byte* const to = pointer(args);
  device_queue& queue = self.owner_of("put", token.source(), to, bytes);
  device_chunk& chunk = self.make_chunk();
  chunk.task = device_chunk::role::served_put;
  chunk.peer = token.source();
  chunk.remote = to;
  chunk.bytes = bytes;
  chunk.piece = join_halves(args + 2);
  self.serve(chunk, queue);
  if (self.write_window(to, static_cast<const std::byte*>(payload), bytes)) {
    self.copied(chunk);
  } else {
    std::memcpy(chunk.staged(), payload, bytes);
    self.copy(chunk, copy_direction::to_device, to, chunk.staged());
  }
  layer_access::attachments(self.owner_).activate(self);
}

void device_transfers::on_get(void* context, am_token& token, const std::uint32_t* args, unsigned,
                              void*, std::size_t) {
  auto& self = *static_cast<device_transfers*>(context);
  std::byte* const from = pointer(args + 4);
  device_queue& queue = self.owner_of("get", token.source(), from, args[6]);
  device_chunk& chunk = self.make_chunk();
  chunk.task = device_chunk::role::served_get;
  chunk.peer = token.source();
  chunk.local = pointer(args);  // the requester's
  chunk.remote = from;
  chunk.bytes = args[6];
  chunk.piece = join_halves(args + 2);
  chunk.queue = &queue;
  bool waits = false;
  {
    const std::lock_guard hold(self.guard_);
    waits = !self.asked_.empty() || !self.may_serve(chunk);
    if (waits) self.asked_.push_back(&chunk);
  }
  if (!waits) self.serve_get(chunk);
  layer_access::attachments(self.owner_).activate(self);
}

// Whether the chunk has a place now; called under the lock. It waits only for slots of other served
// chunks, which end once their requesters take the answers; slots of this rank's own gets may wait
// for a rank that waits for this one. Each advance looks again.
bool device_transfers::may_serve(device_chunk& chunk) {
  if (take_serving_slot(chunk)) return true;
  const bool can_wait = chunk.bytes <= slot_bytes_ && serving_slots_ != 0;
  if (!can_wait) take_buffer(chunk);
  return !can_wait;
}

void device_transfers::serve_get(device_chunk& chunk) noexcept {
  if (read_window(chunk.staged(), chunk.remote, chunk.bytes)) {
    copied(chunk);
  } else {
    copy(chunk, copy_direction::from_device, chunk.staged(), chunk.remote);
  }
}

void device_transfers::serve_waiting() noexcept {
  for (;;) {
    device_chunk* next = nullptr;
    {
      const std::lock_guard hold(guard_);
      if (asked_.empty() || !may_serve(*asked_.front())) return;
      next = asked_.front();
      asked_.pop_front();
    }
    serve_get(*next);
  }
}

device_queue& device_transfers::owner_of(const char* action, rank_id requester,
                                         const run_row& row) noexcept {
  const address_extent range = range_of_rows({&row, 1});
  return owner_of(action, requester, reinterpret_cast<const std::byte*>(range.low), range.bytes);
}

// The payload is that of a packed put (packed_transfers.hpp): a row, its bytes, the next row.
void device_transfers::on_scatter(void* context, am_token& token, const std::uint32_t* args,
                                  unsigned, void* payload, std::size_t bytes) {
  auto& self = *static_cast<device_transfers*>(context);
  device_chunk& chunk = self.make_chunk();
  chunk.task = device_chunk::role::served_scatter;
  chunk.peer = token.source();
  chunk.bytes = bytes;
  chunk.piece = join_halves(args);
  chunk.queue = nullptr;
  std::vector<run_row> to;
  std::vector<run_row> from;
  for (std::size_t position = 0; position < bytes;) {
    wire_row row;
    std::memcpy(&row, static_cast<const std::byte*>(payload) + position, sizeof row);
    position += sizeof row;
    to.push_back(row.local());
    device_queue& queue = self.owner_of("put", token.source(), to.back());
    if (chunk.queue == nullptr) self.serve(chunk, queue);
    const auto dense = std::ptrdiff_t{row.bytes};
    from.push_back({bits(chunk.staged() + position), row.bytes, row.count, dense});
    position += row.total();
  }
  std::memcpy(chunk.staged(), payload, bytes);
  chunk.remote = reinterpret_cast<std::byte*>(to.front().address);
  self.copy_rows(chunk, copy_direction::to_device, to, from);
  layer_access::attachments(self.owner_).activate(self);
}

// The payload is that of a packed get: rows here, then the requester's, which go back with the
// data.
void device_transfers::on_gather(void* context, am_token& token, const std::uint32_t* args,
                                 unsigned, void* payload, std::size_t) {
  auto& self = *static_cast<device_transfers*>(context);
  const auto* const rows = static_cast<const std::byte*>(payload);
  const std::size_t answered = args[2] * sizeof(wire_row);
  device_chunk& chunk = self.make_chunk();
  chunk.task = device_chunk::role::served_gather;
  chunk.peer = token.source();
  chunk.piece = join_halves(args);
  chunk.answered_rows = args[2];
  chunk.bytes = answered;
  std::vector<run_row> from;
  device_queue* queue = nullptr;
  for (std::size_t i = 0; i < args[3]; ++i) {
    wire_row row;
    std::memcpy(&row, rows + i * sizeof row, sizeof row);
    from.push_back(row.local());
    queue = &self.owner_of("get", token.source(), from.back());
    chunk.bytes += row.total();
  }
  self.serve(chunk, *queue);
  std::memcpy(chunk.staged(), rows + args[3] * sizeof(wire_row), answered);
  std::vector<run_row> to;
  std::byte* position = chunk.staged() + answered;
  for (const run_row& each : from) {
    to.push_back({bits(position), each.bytes, each.count, static_cast<std::ptrdiff_t>(each.bytes)});
    position += each.bytes * each.count;
  }
  chunk.remote = reinterpret_cast<std::byte*>(from.front().address);
  self.copy_rows(chunk, copy_direction::from_device, to, from);
  layer_access::attachments(self.owner_).activate(self);
}

// Sends the answer of a served chunk; false when there is no room now.
bool device_transfers::answer(const device_chunk& chunk) noexcept {
  if (chunk.task == device_chunk::role::served_gather) {
    const std::array<std::uint32_t, 3> args{low_half(chunk.piece), high_half(chunk.piece),
                                            chunk.answered_rows};
    return layer_access::system_endpoint(owner_).request(
        {.target = chunk.peer,
         .kind = am_category::medium,
         .handler = system_handler::packed_get_data,
         .nargs = args.size(),
         .args = args.data(),
         .payload = chunk.staged(),
         .bytes = chunk.bytes},
        true);
  }
  const std::uint64_t to = bits(chunk.local);
  const std::array<std::uint32_t, 4> args{low_half(to), high_half(to), low_half(chunk.piece),
                                          high_half(chunk.piece)};
  if (chunk.task != device_chunk::role::served_get) {
    return layer_access::system_endpoint(owner_).request({.target = chunk.peer,
                                                          .handler = system_handler::put_done,
                                                          .nargs = 2,
                                                          .args = args.data() + 2},
                                                         true);
  }
  return layer_access::system_endpoint(owner_).request({.target = chunk.peer,
                                                        .kind = am_category::medium,
                                                        .handler = system_handler::get_data,
                                                        .nargs = args.size(),
                                                        .args = args.data(),
                                                        .payload = chunk.staged(),
                                                        .bytes = chunk.bytes},
                                                       true);
}

void device_transfers::send_answers() noexcept {
  for (;;) {
    device_chunk* next = nullptr;
    {
      const std::lock_guard hold(guard_);
      if (answers_.empty()) return;
      next = answers_.front();
      answers_.pop_front();
    }
    if (answer(*next)) {
      end_chunk(*next);
      continue;
    }
    const std::lock_guard hold(guard_);
    answers_.push_front(next);
    return;
  }
}

}  // namespace atl
