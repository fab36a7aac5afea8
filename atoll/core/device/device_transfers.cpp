// SPDX-License-Identifier: BSD-3-Clause
//
// The requester's side of transfers with memory of devices: which way, and the chunks of a staged
// one. A chunk of a put is copied to its slot, then sent; one of a get is brought to its slot, then
// copied from there. Where this end is host memory there is no slot, and only the way between
// ranks.
#include <atoll/core/device/device_transfers.hpp>

#include <atoll/base/clock.hpp>
#include <atoll/base/log.hpp>
#include <atoll/base/rounding.hpp>
#include <atoll/base/system/memory_limits.hpp>
#include <atoll/base/text.hpp>
#include <atoll/core/job/core_access.hpp>
#include <atoll/core/job/layer_access.hpp>
#include <atoll/core/job/runtime.hpp>
#include <atoll/core/job/system_handlers.hpp>
#include <atoll/core/segment/segment_access.hpp>
#include <atoll/core/settings.hpp>
#include <atoll/memory/device/device_list.hpp>
#include <atoll/memory/device/host_registration.hpp>

#include <sched.h>

#include <algorithm>
#include <ranges>
#include <utility>

namespace atl {

using memory::copy_direction;

device_transfers::device_transfers(runtime& owner)
    : owner_(owner),
      ordered_(owner),
      always_staged_(owner.configuration().choice(setting::device_path) == 1 ||
                     !layer_access::direct_allowed(owner)),
      slot_bytes_(owner.configuration().number(setting::device_chunk)),
      staging_bytes_(owner.configuration().number(setting::device_staging)),
      bytes_under_way_max_(std::min(staging_bytes_ / 2, std::size_t{2} << 20)) {
  handler_table& table = layer_access::system_endpoint(owner).handlers();
  table.set(system_handler::device_put,
            {.run = on_put, .context = this, .nargs = 4, .name = "put to a device"});
  table.set(system_handler::device_get,
            {.run = on_get, .context = this, .nargs = 7, .name = "get from a device"});
  table.set(system_handler::device_scatter,
            {.run = on_scatter, .context = this, .nargs = 3, .name = "scattered put to a device"});
  table.set(system_handler::device_gather,
            {.run = on_gather, .context = this, .nargs = 4, .name = "scattered get from a device"});
}

device_transfers::~device_transfers() { layer_access::attachments(owner_).retire(*this); }

// --- devices and parts ---------------------------------------------------------------------------

namespace {

// Whole heaps, since a driver refuses a copy across the end of what is registered. Their pages all
// exist from then on, so heaps as large as the machine are not pinned. All ranks of the host decide
// alike, because they look at the memory that there is and not at what is free.
void pin_heaps(runtime& owner, memory::device& device) {
  auto* const registration = dynamic_cast<memory::host_registration*>(&device);
  if (registration == nullptr) {
    log_warning(memory::text_of(device.description()),
                ": this kind of device pins no heaps; ATOLL_DEVICE_PIN has no effect on it");
    return;
  }
  const memory::host_memory& host = layer_access::host_memory(owner);
  const std::size_t bytes = host.layout().heap_limit;
  const rank_id first = owner.neighbourhood_first();
  const rank_id count = owner.neighbourhood_count();
  const auto warn = [&](const std::string& cause) {
    log_warning(memory::text_of(device.description()), ": the heaps of ", count, " ranks, ",
                bytes_text(bytes), " each, are not all pinned (", cause,
                "); copies to and from them are slower. Lower ATOLL_SEGMENT_LIMIT to what the job "
                "needs, or leave out ATOLL_DEVICE_PIN");
  };
  if (bytes > read_memory_limits().total_bytes / 2 / count)
    return warn("that is too much of this machine");
  for (rank_id rank = first; rank < first + count; ++rank)
    if (!registration->register_host(host.heap(rank), bytes)) return warn(device.problem());
}

}  // namespace

memory::device& device_transfers::open(memory::memory_kind kind, int index) {
  const std::lock_guard hold(guard_);
  for (const auto& each : queues_) {
    const memory::device_description& open = each->device().description();
    if (open.kind == kind && open.index == index) return each->device();
  }
  const bool is_first = std::ranges::none_of(
      queues_, [&](const auto& each) { return each->device().description().kind == kind; });
  queues_.push_back(std::make_unique<device_queue>(memory::open_device(kind, index), slot_bytes_,
                                                   staging_bytes_));
  memory::device& opened = queues_.back()->device();
  if (is_first && owner_.configuration().choice(setting::device_pin) == 1)
    pin_heaps(owner_, opened);
  return opened;
}

void device_transfers::add_part(segment_part part) {
  if (part.bytes != 0) map_part(part);
  const std::lock_guard hold(guard_);
  parts_.push_back(part);
  part_count_.store(static_cast<std::uint32_t>(parts_.size()), std::memory_order_relaxed);
}

void device_transfers::remove_part(segment_part part) noexcept {
  unmap_part(part);
  const std::lock_guard hold(guard_);
  const auto found = std::ranges::find(parts_, part.base, &segment_part::base);
  if (found != parts_.end()) parts_.erase(found);
  part_count_.store(static_cast<std::uint32_t>(parts_.size()), std::memory_order_relaxed);
}

device_queue* device_transfers::queue_of(const memory::device* device) noexcept {
  const std::lock_guard hold(guard_);
  for (const auto& each : queues_)
    if (&each->device() == device) return each.get();
  return nullptr;
}

namespace {

bool holds(const segment_part& part, const std::byte* address, std::size_t bytes) noexcept {
  const auto offset = static_cast<std::size_t>(address - part.base);
  return address >= part.base && bytes <= part.bytes && offset <= part.bytes - bytes;
}

}  // namespace

const memory::device* device_transfers::device_at(const void* address) const noexcept {
  const auto* const first = static_cast<const std::byte*>(address);
  const std::lock_guard hold(guard_);
  const auto found =
      std::ranges::find_if(parts_, [&](const segment_part& each) { return holds(each, first, 1); });
  return found == parts_.end() ? nullptr : found->device;
}

void device_transfers::check_local(const device_request& request,
                                   std::size_t bytes) const noexcept {
  if (request.device == nullptr) return;
  const bool is_known = [&] {
    const std::lock_guard hold(guard_);
    return std::ranges::any_of(parts_, [&](const segment_part& each) {
      return each.device == request.device && holds(each, request.local, bytes);
    });
  }();
  if (is_known) [[likely]]
    return;
  owner_.fail(text(request.is_put ? "put" : "get", " of ", bytes, " bytes between ",
                   memory::text_of(request.device->description()), " of rank ", owner_.rank(),
                   " and rank ", request.peer),
              text("the local address ", hex(request.local), " lies in no segment on that device"),
              "make a segment of the device's memory, and stay inside it");
}

// --- the way -------------------------------------------------------------------------------------

// The device itself, or another of its kind that copies to and from it. The caller holds guard_.
memory::device* device_transfers::find_opener(memory::memory_kind kind,
                                              const memory::device_uuid& exporter) noexcept {
  memory::device* found = nullptr;
  for (const auto& each : queues_) {
    memory::device& candidate = each->device();
    if (candidate.description().kind != kind) continue;
    if (candidate.description().uuid == exporter) return &candidate;
    if (found == nullptr && candidate.reaches(exporter)) found = &candidate;
  }
  return found;
}

std::byte* device_transfers::open_part(segment& memory, rank_id peer,
                                       memory::device*& through) noexcept {
  device_part& part = segment_access::device_part_of(memory, peer);
  if (!part.is_exported) return nullptr;
  const std::lock_guard hold(guard_);
  if (!part.was_tried) {
    memory::device* const opener = find_opener(part.kind, part.exported.device);
    if (opener == nullptr) return nullptr;  // perhaps later, when one is open
    part.opened = opener->open(part.exported);
    if (part.opened == nullptr)
      warn_of_refusal(*opener, "is not opened here", memory.part(peer).base, peer);
    part.through = opener;
    part.was_tried = true;
  }
  through = part.through;
  return part.opened;
}

bool device_transfers::export_part(const segment_part& part,
                                   memory::exported_memory& exported) noexcept {
  if (part.device->export_memory(part.base, exported)) return true;
  const auto is_other = [this](rank_id rank) {
    return rank != owner_.rank() && owner_.is_neighbour(rank);
  };
  const auto ranks = std::views::iota(rank_id{0}, owner_.size());
  if (!always_staged_ && std::ranges::any_of(ranks, is_other))
    warn_of_refusal(*part.device, "is not exported", part.base, owner_.rank());
  return false;
}

// Warns once per rank, since the cause is the same for all memory.
void device_transfers::warn_of_refusal(const memory::device& device, const char* action,
                                       const void* address, rank_id owner) noexcept {
  if (warned_.exchange(true, std::memory_order_relaxed)) return;
  log_warning(memory::text_of(device.description()), ": memory at ", hex(address), " of rank ",
              owner, " ", action, " (", device.problem(),
              "); transfers between ranks of this host are staged. In containers let all ranks "
              "share one IPC and process namespace (--ipc=host --pid=host); see atoll doctor");
}

void device_transfers::close(device_part& part) noexcept {
  if (part.opened != nullptr) part.through->close(part.opened, part.exported);
  part.opened = nullptr;
}

namespace {

// Whether one copy goes between the memories of two devices of this process; null: host memory. A
// driver of CUDA or HIP copies between any two devices of its own, Level Zero's between peers.
bool copies_between(memory::device* device, memory::device* local) noexcept {
  if (local == nullptr || local == device) return true;
  const memory::memory_kind kind = device->description().kind;
  return local->description().kind == kind &&
         (kind != memory::memory_kind::ze || device->reaches(local->description().uuid));
}

}  // namespace

device_way device_transfers::find_way(const device_request& request) noexcept {
  segment& memory = request.memory;
  const bool is_own = request.peer == owner_.rank();
  if (is_own && segment_access::is_on_device(memory, request.peer)) {
    memory::device* const device = memory.own_part().device;
    return {.is_direct = copies_between(device, request.device),
            .device = device,
            .remote = request.remote};
  }
  if (is_own) return {.is_direct = true, .device = request.device, .remote = request.remote};
  if (always_staged_ || !owner_.is_neighbour(request.peer)) return {};
  const route& row = memory.routes()[request.peer];
  if (!segment_access::is_on_device(memory, request.peer)) {
    std::byte* const mapped = row.direct(request.remote, request.bytes);
    return {.is_direct = mapped != nullptr, .device = request.device, .remote = mapped};
  }
  memory::device* through = nullptr;
  std::byte* const opened = open_part(memory, request.peer, through);
  if (opened == nullptr || !copies_between(through, request.device)) return {};
  return {.is_direct = true, .device = through, .remote = opened + (request.remote - row.base())};
}

bool device_transfers::reads_without_stop(segment& memory, rank_id peer) noexcept {
  const segment_part own = memory.own_part();
  const segment_part other = memory.part(peer);
  if (own.device == nullptr && !segment_access::is_on_device(memory, peer)) return true;
  const device_request range{.is_put = false,
                             .memory = memory,
                             .peer = peer,
                             .remote = other.base,
                             .local = own.base,
                             .bytes = std::min(own.bytes, other.bytes),
                             .device = own.device};
  return find_way(range).is_direct || goes_registered(range);
}

// --- chunks --------------------------------------------------------------------------------------

namespace {

/// Whether a chunk is of a transfer that another rank has asked for.
bool is_served(const device_chunk& chunk) noexcept {
  using enum device_chunk::role;
  return chunk.task == served_put || chunk.task == served_get || chunk.task == served_scatter ||
         chunk.task == served_gather;
}

}  // namespace

device_chunk& device_transfers::make_chunk() {
  const std::lock_guard hold(guard_);
  if (free_chunks_.empty()) {
    chunks_.push_back(std::make_unique<device_chunk>());
    free_chunks_.push_back(chunks_.back().get());
  }
  device_chunk& made = *free_chunks_.back();
  free_chunks_.pop_back();
  // No thread sleeps for long while an engine works: the end of a copy rings no bell (keeps_awake).
  if (active_.fetch_add(1, std::memory_order_relaxed) == 0)
    layer_access::attachments(owner_).begin_silent_wait();
  return made;
}

void device_transfers::end_chunk(device_chunk& chunk) noexcept {
  if (chunk.slot != nullptr) {
    chunk.queue->give_back(chunk.slot);
    if (is_served(chunk)) serving_slots_.fetch_sub(1, std::memory_order_relaxed);
  }
  chunk.slot = nullptr;
  chunk.buffer.reset();
  chunk.rows = {};
  const std::lock_guard hold(guard_);
  free_chunks_.push_back(&chunk);
  if (active_.fetch_sub(1, std::memory_order_release) == 1)  // pairs with busy()
    layer_access::attachments(owner_).end_silent_wait();
}

void device_transfers::finish(device_chunk& chunk, operation_status status) noexcept {
  operation& record = *chunk.record;
  if (chunk.task != device_chunk::role::direct) {
    const std::lock_guard hold(guard_);
    --chunks_under_way_;
    bytes_under_way_ -= chunk.bytes;
  }
  end_chunk(chunk);
  record.end_piece(status);  // the last access: a waiter may end the record from here on
}

void device_transfers::fail(const device_chunk& chunk) noexcept {
  memory::device& device = chunk.queue->device();
  const rank_id owner = is_served(chunk) ? owner_.rank() : chunk.peer;
  owner_.fail(text(memory::text_of(device.description()), " of rank ", owner_.rank(), ", copy of ",
                   bytes_text(chunk.bytes), " at ", hex(chunk.remote), " of rank ", owner),
              device.problem(), device.remedy());
}

void device_transfers::copy(device_chunk& chunk, copy_direction direction, void* to,
                            const void* from) noexcept {
  last_copy_ns_.store(now_ns(), std::memory_order_relaxed);
  copying_.fetch_add(1, std::memory_order_relaxed);
  if (!chunk.queue->start_copy(direction, to, from, chunk.bytes, chunk)) fail(chunk);
}

void device_transfers::copy_rows(device_chunk& chunk, copy_direction direction,
                                 std::span<const run_row> to,
                                 std::span<const run_row> from) noexcept {
  last_copy_ns_.store(now_ns(), std::memory_order_relaxed);
  copying_.fetch_add(1, std::memory_order_relaxed);
  if (!chunk.queue->start_rows(direction, to, from, chunk)) fail(chunk);
}

// --- starting ------------------------------------------------------------------------------------

// If the caller does not keep the source of a put, this waits for it on a record of its own.
void device_transfers::finish_start(operation& record, operation& counted) noexcept {
  layer_access::attachments(owner_).activate(*this);
  begin_waiting();
  if (&record == &counted) return;
  owner_.wait_until([&] { return counted.complete(); });
  if (const operation_status ended = counted.take_status(); ended != operation_status::done) {
    record.add_piece();
    record.end_piece(ended);
  }
}

void device_transfers::start(const device_request& request, operation& record,
                             bool keeps_source) noexcept {
  check_local(request, request.bytes);
  if (request.bytes == 0 || go_through_window(request)) return;
  operation own_record;
  operation& counted = keeps_source ? record : own_record;
  const device_way way = find_way(request);
  if (way.is_direct) {
    start_direct(request, way, counted);
  } else if (goes_registered(request)) {
    start_registered(request, counted);
  } else {
    add_chunks(request, counted);
  }
  finish_start(record, counted);
}

copy_direction device_transfers::direction_of(const device_request& request) noexcept {
  const bool remote_on_device = segment_access::is_on_device(request.memory, request.peer);
  if (remote_on_device && request.device != nullptr) return copy_direction::between;
  return remote_on_device == request.is_put ? copy_direction::to_device
                                            : copy_direction::from_device;
}

// Whether the network knows the local end.
bool device_transfers::is_registered(const device_request& request) const noexcept {
  if (request.device == nullptr) return true;  // host memory is registered when it is used
  const std::lock_guard hold(guard_);
  return std::ranges::any_of(parts_, [&](const segment_part& each) {
    return each.is_registered && each.device == request.device &&
           holds(each, request.local, request.bytes);
  });
}

bool device_transfers::goes_registered(const device_request& request) const noexcept {
  return !always_staged_ && request.peer != owner_.rank() &&
         segment_access::network_reaches(request.memory, request.peer) &&
         core_access::goes_by_network(owner_, request.peer) && is_registered(request);
}

void device_transfers::start_registered(const device_request& request, operation& record) noexcept {
  registered_bytes_.fetch_add(request.bytes, std::memory_order_relaxed);
  segment_access::start_registered(request.memory, request.is_put,
                                   {.target = request.peer,
                                    .memory = {},
                                    .local = request.local,
                                    .remote = reinterpret_cast<std::uintptr_t>(request.remote),
                                    .bytes = request.bytes,
                                    .keeps_source = true,
                                    .on_device = request.device != nullptr},
                                   record);
}

void device_transfers::start_direct(const device_request& request, const device_way& way,
                                    operation& record) {
  device_chunk& chunk = make_chunk();
  chunk.task = device_chunk::role::direct;
  chunk.queue = queue_of(way.device);
  chunk.peer = request.peer;
  chunk.bytes = request.bytes;
  chunk.remote = request.remote;
  chunk.record = &record;
  record.add_piece();
  direct_bytes_.fetch_add(request.bytes, std::memory_order_relaxed);
  if (request.is_put) {
    copy(chunk, direction_of(request), way.remote, request.local);
  } else {
    copy(chunk, direction_of(request), request.local, way.remote);
  }
}

// A transfer takes the time of its slowest step for all chunks, and of the other steps for one, so
// a chunk is a small part of it. Below a size the start of a copy costs more than that saves.
std::size_t device_transfers::chunk_of(std::size_t bytes) const noexcept {
  constexpr std::size_t parts = 16;
  const std::size_t part = round_up(bytes / parts, page_bytes);
  return std::clamp(part, std::min(chunk_least, slot_bytes_), slot_bytes_);
}

void device_transfers::add_chunks(const device_request& request, operation& record) {
  staged_bytes_.fetch_add(request.bytes, std::memory_order_relaxed);
  device_queue* const queue = request.device != nullptr ? queue_of(request.device) : nullptr;
  const std::size_t most = chunk_of(request.bytes);
  for (std::size_t done = 0; done < request.bytes; done += most) {
    device_chunk& chunk = make_chunk();
    chunk.task = request.is_put ? device_chunk::role::put : device_chunk::role::get;
    chunk.queue = queue;
    chunk.memory = &request.memory;
    chunk.peer = request.peer;
    chunk.remote = request.remote + done;
    chunk.local = request.local + done;
    chunk.bytes = std::min(most, request.bytes - done);
    chunk.record = &record;
    record.add_piece();
    const std::lock_guard hold(guard_);
    waiting_.push_back(&chunk);
  }
}

std::size_t device_transfers::slot_use(const device_chunk& chunk) const noexcept {
  const device_rows& rows = chunk.rows;
  return rows.is_close_together(slot_bytes_) ? std::max(chunk.bytes, rows.end - rows.low)
                                             : chunk.bytes;
}

// Takes a place under way for a chunk; called under the lock.
bool device_transfers::take_place(device_chunk& chunk) {
  if (chunks_under_way_ == chunks_under_way_max) return false;
  if (chunks_under_way_ != 0 && bytes_under_way_ + chunk.bytes > bytes_under_way_max_) return false;
  if (chunk.queue != nullptr) {
    chunk.slot = chunk.queue->take_slot(slot_use(chunk));
    if (chunk.slot == nullptr) return false;
  }
  ++chunks_under_way_;
  bytes_under_way_ += chunk.bytes;
  return true;
}

void device_transfers::begin_waiting() noexcept {
  for (;;) {
    device_chunk* next = nullptr;
    {
      const std::lock_guard hold(guard_);
      if (waiting_.empty() || !take_place(*waiting_.front())) return;
      next = waiting_.front();
      waiting_.pop_front();
    }
    begin(*next);
  }
}

void device_transfers::begin(device_chunk& chunk) noexcept {
  const bool is_read = chunk.task == device_chunk::role::put && chunk.queue != nullptr &&
                       chunk.rows.bytes == 0 && read_window(chunk.slot, chunk.local, chunk.bytes);
  if (chunk.task == device_chunk::role::put && chunk.queue != nullptr && !is_read) {
    chunk.rows.bytes != 0 ? gather_to_slot(chunk)
                          : copy(chunk, copy_direction::from_device, chunk.slot, chunk.local);
  } else {
    start_leg(chunk);
  }
}

// --- the way between ranks -----------------------------------------------------------------------

void device_transfers::start_leg(device_chunk& chunk) noexcept {
  if (chunk.rows.bytes != 0) return start_leg_of_rows(chunk);
  std::byte* const local = chunk.slot != nullptr ? chunk.slot : chunk.local;
  const bool is_put = chunk.task == device_chunk::role::put;
  const transfer_options options{.keeps_source = true};
  if (segment_access::is_on_device(*chunk.memory, chunk.peer)) {
    is_put ? send_put(chunk, local) : ask_for_data(chunk, local);
  } else if (is_put) {
    segment_access::start_put(*chunk.memory, chunk.peer, chunk.remote, local, chunk.bytes,
                              chunk.leg, options);
  } else {
    segment_access::start_get(*chunk.memory, local, chunk.peer, chunk.remote, chunk.bytes,
                              chunk.leg, options);
  }
  const std::lock_guard hold(guard_);
  legs_.push_back(&chunk);
}

void device_transfers::end_legs() noexcept {
  std::vector<device_chunk*> ended;
  {
    const std::lock_guard hold(guard_);
    const auto first = std::partition(
        legs_.begin(), legs_.end(), [](const device_chunk* each) { return !each->leg.complete(); });
    ended.assign(first, legs_.end());
    legs_.erase(first, legs_.end());
  }
  for (device_chunk* each : ended) {
    const operation_status status = each->leg.take_status();
    const bool is_brought = each->task == device_chunk::role::get && each->slot != nullptr;
    if (is_brought && status == operation_status::done && each->rows.bytes != 0) {
      scatter_from_slot(*each);
    } else if (is_brought && status == operation_status::done &&
               !write_window(each->local, each->slot, each->bytes)) {
      copy(*each, copy_direction::to_device, each->local, each->slot);
    } else {
      finish(*each, status);
    }
  }
}

// --- progress ------------------------------------------------------------------------------------

void device_transfers::copied(device_chunk& chunk) noexcept {
  switch (chunk.task) {
    case device_chunk::role::put:
      start_leg(chunk);
      return;
    case device_chunk::role::direct:
      if (chunk.slot != nullptr) take_from_slot(chunk);
      finish(chunk, operation_status::done);
      return;
    case device_chunk::role::get:
      finish(chunk, operation_status::done);
      return;
    case device_chunk::role::served_put:
    case device_chunk::role::served_get:
    case device_chunk::role::served_scatter:
    case device_chunk::role::served_gather:
      const std::lock_guard hold(guard_);
      answers_.push_back(&chunk);
  }
}

bool device_transfers::keeps_awake() const noexcept {
  return (copying_.load(std::memory_order_relaxed) != 0 &&
          now_ns() - last_copy_ns_.load(std::memory_order_relaxed) < awake_ns) ||
         ordered_.keeps_awake();
}

// Counts copies that are complete. After several looks in a row without one this thread yields,
// because the driver's threads may need the core; where ranks share cores, after each such look.
void device_transfers::note_copies(std::size_t complete) noexcept {
  if (complete != 0) {
    copying_.fetch_sub(static_cast<std::uint32_t>(complete), std::memory_order_relaxed);
    last_copy_ns_.store(now_ns(), std::memory_order_relaxed);
    looks_without_copy_.store(0, std::memory_order_relaxed);
  } else if (copying_.load(std::memory_order_relaxed) != 0 &&
             (owner_.is_oversubscribed() ||
              looks_without_copy_.fetch_add(1, std::memory_order_relaxed) >= eager_looks)) {
    sched_yield();
  }
}

bool device_transfers::advance() noexcept {
  const std::uint32_t before = active_.load(std::memory_order_relaxed);
  std::vector<device_queue*> queues;
  {
    const std::lock_guard hold(guard_);
    for (const auto& each : queues_) queues.push_back(each.get());
  }
  std::vector<device_chunk*> complete;
  for (device_queue* each : queues)
    if (const device_chunk* const failed = each->collect(complete)) fail(*failed);
  note_copies(complete.size());
  for (device_chunk* each : complete) copied(*each);
  end_legs();
  serve_waiting();
  begin_waiting();
  send_answers();
  return active_.load(std::memory_order_relaxed) < before;
}

}  // namespace atl
