// SPDX-License-Identifier: BSD-3-Clause
//
// Starts and moves ordered transfers. A call puts its marks first and holds streams and events
// last, so that a stream in both lists passes the mark before it stops. The calling thread moves an
// entry on until the entry is in the list; after that the thread that advances does.
#include <atoll/core/device/ordered_transfers.hpp>

#include <atoll/base/assert.hpp>
#include <atoll/base/clock.hpp>
#include <atoll/base/text.hpp>
#include <atoll/core/device/device_transfers.hpp>
#include <atoll/core/job/layer_access.hpp>
#include <atoll/core/job/runtime.hpp>
#include <atoll/core/rma/device_rma.hpp>
#include <atoll/core/rma/rma.hpp>
#include <atoll/memory/device/device_list.hpp>

#include <sched.h>

#include <algorithm>
#include <array>
#include <optional>
#include <utility>

namespace atl {

using memory::program_event;
using memory::program_order;
using memory::program_stream;

struct ordered_transfers::entry {
  ordered_work work;
  memory::device* device;
  program_order* holder;
  std::vector<void*> marks;            // of ours, not passed
  std::vector<program_event> awaited;  // of the program, not complete
  std::vector<void*> held;
  bool is_begun = false;
  event transfer;
  operation* record = nullptr;  // of the caller's event; null: the call has not returned
};

ordered_transfers::ordered_transfers(runtime& owner) : owner_(owner) {}

ordered_transfers::~ordered_transfers() { layer_access::attachments(owner_).retire(*this); }

void ordered_transfers::fail(const entry& failed, const char* action) noexcept {
  constexpr std::array names{"put", "get", "copy"};
  const ordered_work& work = failed.work;
  owner_.fail(text("an ordered ", names[static_cast<std::size_t>(work.task)], " of ", work.bytes,
                   " bytes, rank ", owner_.rank(), " with rank ", work.peer, ": ",
                   memory::text_of(failed.device->description()), " ", action),
              failed.device->problem(), failed.device->remedy());
}

// --- starting ------------------------------------------------------------------------------------

void ordered_transfers::put_marks(entry& made, const device_order& order) noexcept {
  for (const program_stream each : order.waits_for_streams) {
    made.marks.push_back(made.device->mark(each));
    if (made.marks.back() == nullptr)
      fail(made, "cannot put a mark on a stream that the transfer waits for");
  }
  made.awaited.assign(order.waits_for_events.begin(), order.waits_for_events.end());
}

void ordered_transfers::hold(entry& made, const device_order& order) noexcept {
  for (const program_stream each : order.holds_streams) {
    made.held.push_back(made.holder->hold_stream(each));
    if (made.held.back() == nullptr) fail(made, "cannot hold a stream that waits for the transfer");
  }
  for (const program_event each : order.signals_events) {
    made.held.push_back(made.holder->hold_event(each));
    if (made.held.back() == nullptr) fail(made, "cannot hold an event that the transfer signals");
  }
}

void ordered_transfers::start(const ordered_work& work, const device_order& order, event& done) {
  auto* const holder = dynamic_cast<program_order*>(order.device);
  if (holder == nullptr) {
    owner_.fail(text("an ordered transfer of ", work.bytes, " bytes by rank ", owner_.rank()),
                "its order names no device whose streams and events it is about",
                "name the device that the streams are of");
  }
  auto made = std::make_unique<entry>(entry{.work = work,
                                            .device = order.device,
                                            .holder = holder,
                                            .marks = {},
                                            .awaited = {},
                                            .held = {},
                                            .transfer = {}});
  put_marks(*made, order);
  hold(*made, order);
  if (step(*made)) {
    end(*made);
    done = event();
    return;
  }
  made->record = layer_access::operations(owner_).take();
  ATOLL_ASSERT(made->record != nullptr, "out of memory for an operation record");
  made->record->add_piece();
  done = event(made->record);
  {
    const std::lock_guard hold_list(guard_);
    entries_.push_back(std::move(made));
    // No thread sleeps for long while a mark is waited for, since that rings no bell.
    if (active_.fetch_add(1, std::memory_order_release) == 0)
      layer_access::attachments(owner_).begin_silent_wait();
  }
  layer_access::attachments(owner_).activate(*this);
}

// --- moving --------------------------------------------------------------------------------------

bool ordered_transfers::has_passed_marks(entry& waiting) noexcept {
  const auto is_passed = [&](void* mark) {
    const std::optional<bool> passed = waiting.device->has_passed(mark);
    if (!passed) fail(waiting, "has failed in the work that the program put on a stream");
    return *passed;
  };
  std::erase_if(waiting.marks, [&](void* mark) {
    if (!is_passed(mark)) return false;
    waiting.device->forget(mark);
    return true;
  });
  std::erase_if(waiting.awaited, is_passed);
  return waiting.marks.empty() && waiting.awaited.empty();
}

void ordered_transfers::begin(entry& ready) noexcept {
  const ordered_work& work = ready.work;
  const transfer_options options{.keeps_source = true, .device = work.local_device};
  ready.is_begun = true;
  last_step_ns_.store(now_ns(), std::memory_order_relaxed);
  switch (work.task) {
    case ordered_work::action::put:
      put_nb(*work.memory, work.peer, work.to, work.from, work.bytes, ready.transfer, options);
      return;
    case ordered_work::action::get:
      get_nb(*work.memory, work.to, work.peer, work.from, work.bytes, ready.transfer, options);
      return;
    case ordered_work::action::copy:
      fence_loads();
      copy_bytes(work.to, work.from, work.bytes);
      fence_stores();
  }
}

// Moves an entry on; true when its transfer is complete.
bool ordered_transfers::step(entry& under_way) noexcept {
  if (!under_way.is_begun) {
    if (!has_passed_marks(under_way)) return false;
    begin(under_way);
  }
  return under_way.transfer.empty() || under_way.transfer.record()->complete();
}

void ordered_transfers::end(entry& complete) noexcept {
  operation_status status = operation_status::done;
  if (operation* const record = complete.transfer.release(); record != nullptr) {
    status = record->take_status();
    layer_access::operations(owner_).give_back(record);
  }
  for (void* const each : complete.held) complete.holder->release(each);
  last_step_ns_.store(now_ns(), std::memory_order_relaxed);
  // The last access: a waiter may end the record from here on.
  if (complete.record != nullptr) complete.record->end_piece(status);
}

bool ordered_transfers::keeps_awake() const noexcept {
  return busy() && now_ns() - last_step_ns_.load(std::memory_order_relaxed) < awake_ns;
}

bool ordered_transfers::advance() noexcept {
  std::vector<entry*> looked_at;
  {
    const std::lock_guard hold_list(guard_);
    for (const auto& each : entries_) looked_at.push_back(each.get());
  }
  std::erase_if(looked_at, [this](entry* each) { return !step(*each); });
  if (looked_at.empty()) {
    sched_yield();  // the driver's threads may need the core
    return false;
  }
  for (entry* const each : looked_at) end(*each);
  const std::lock_guard hold_list(guard_);
  std::erase_if(entries_, [&](const std::unique_ptr<entry>& each) {
    return std::ranges::find(looked_at, each.get()) != looked_at.end();
  });
  const auto ended = static_cast<std::uint32_t>(looked_at.size());
  if (active_.fetch_sub(ended, std::memory_order_release) == ended)  // pairs with busy()
    layer_access::attachments(owner_).end_silent_wait();
  return true;
}

// --- the calls -----------------------------------------------------------------------------------

void put_nb_ordered(const ordered_transfer& transfer, const device_order& order, event& done) {
  layer_access::devices(transfer.memory.owner())
      .ordered()
      .start({.task = ordered_work::action::put,
              .memory = &transfer.memory,
              .peer = transfer.peer,
              .to = transfer.remote,
              .from = transfer.local,
              .bytes = transfer.bytes,
              .local_device = transfer.device},
             order, done);
}

void get_nb_ordered(const ordered_transfer& transfer, const device_order& order, event& done) {
  layer_access::devices(transfer.memory.owner())
      .ordered()
      .start({.task = ordered_work::action::get,
              .memory = &transfer.memory,
              .peer = transfer.peer,
              .to = transfer.local,
              .from = transfer.remote,
              .bytes = transfer.bytes,
              .local_device = transfer.device},
             order, done);
}

void copy_nb_ordered(runtime& owner, const ordered_copy& copy, const device_order& order,
                     event& done) {
  layer_access::devices(owner).ordered().start({.task = ordered_work::action::copy,
                                                .memory = nullptr,
                                                .peer = owner.rank(),
                                                .to = copy.to,
                                                .from = copy.from,
                                                .bytes = copy.bytes,
                                                .local_device = nullptr},
                                               order, done);
}

}  // namespace atl
