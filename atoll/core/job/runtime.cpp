// SPDX-License-Identifier: BSD-3-Clause
//
// The functions that programs call of a runtime. Its start, its end and incoming messages are in
// runtime_parts.cpp.
#include <atoll/core/job/runtime.hpp>

#include <atoll/base/assert.hpp>
#include <atoll/base/error.hpp>
#include <atoll/base/log.hpp>
#include <atoll/base/text.hpp>
#include <atoll/base/threads/race_annotations.hpp>
#include <atoll/bootstrap/settings.hpp>
#include <atoll/bootstrap/single.hpp>
#include <atoll/core/device/device_transfers.hpp>
#include <atoll/core/job/runtime_parts.hpp>
#include <atoll/core/settings.hpp>

#include <unistd.h>

#include <algorithm>

namespace atl {

namespace {

// Checks the layout first: options of another layout are not touched.
settings settings_of(runtime_options& options, std::uint64_t layout) {
  need_layout("start of the runtime", layout, runtime_layout);
  return options.configuration ? std::move(*options.configuration) : settings::from_environment();
}

}  // namespace

runtime::runtime(runtime_options options, std::uint64_t layout)
    : parts_(std::make_unique<runtime_parts>(*this, settings_of(options, layout), options)),
      rank_(parts_->job_.rank()),
      size_(parts_->job_.size()),
      neighbours_(parts_->job_.neighbours()),
      threads_(parts_->job_.threads()),
      is_threaded_(parts_->job_.is_threaded()) {
  parts_->start(options);
}

runtime::~runtime() { parts_->end(); }

// --- parts -------------------------------------------------------------------------------------

bool runtime::is_forked_copy() const noexcept { return parts_->job_.is_forked_copy(); }

const settings& runtime::configuration() const noexcept { return parts_->job_.configuration(); }

bool runtime::has_progress_thread() const noexcept { return parts_->job_.has_progress_thread(); }

const job_hosts& runtime::hosts() const noexcept { return parts_->job_.hosts(); }

segment* runtime::find_segment(std::uint32_t number) noexcept {
  return parts_->segments_.find(number);
}

const memory::host_layout& runtime::memory_layout() const noexcept {
  return parts_->memory_->host().layout();
}

void runtime::keep(std::unique_ptr<attachment> made) {
  parts_->attached_.push_back(std::move(made));
}

attachment* runtime::find_attached(const std::type_info& kind) const noexcept {
  for (const auto& each : parts_->attached_) {
    attachment& candidate = *each;
    if (typeid(candidate) == kind) return &candidate;
  }
  return nullptr;
}

endpoint& runtime::endpoint_at(std::size_t index) {
  if (index >= endpoints_max) {
    throw error(text("endpoint ", index), text("indices end at ", endpoints_max - 1),
                "make fewer endpoints");
  }
  return parts_->find_endpoint(index);
}

void runtime::set_waiting(wait_mode mode) noexcept {
  if (configuration().source(setting::wait) != setting_source::environment)
    parts_->waiting_->change(mode);
}

std::size_t runtime::progress() noexcept {
  ATOLL_CHECK(normal, current_handler == handler_context::outside,
              "progress called inside a handler");
  trace::count(trace::counter::polls);
  const std::size_t delivered = parts_->router_->poll(false);
  return delivered == 0 && !parts_->attachments_.has_work() ? 0 : parts_->advance_after(delivered);
}

void runtime::run_progress_thread(const std::stop_token& stop) {
  wait_until([&] { return stop.stop_requested(); });
}

// --- waiting -----------------------------------------------------------------------------------

void runtime::wait_step(waiter& steps) noexcept {
  if (progress() != 0) {
    steps.reset();
    return;
  }
  if (steps.stay_awake()) return;
  parker parking(*waiting_);
  const doorbell::ticket ticket = parking.prepare();
  if (progress() != 0) {
    steps.reset();
    return;
  }
  parking.sleep(ticket, silent_sleep_ns);
  if (parking.rang_since(ticket)) steps.reset();
}

int runtime::test_record(event& done) noexcept {
  if (!done.record()->complete()) {
    if (current_handler == handler_context::outside) progress();
    if (!done.record()->complete()) return still_under_way;
  }
  ordered_after_other_ranks();
  const operation_status status = done.record()->take_status();
  parts_->operations_.give_back(done.release());
  return static_cast<int>(status);
}

operation_status runtime::wait_record(event& done) noexcept {
  wait_until([&] { return done.record()->complete(); });
  ordered_after_other_ranks();
  const operation_status status = done.record()->take_status();
  parts_->operations_.give_back(done.release());
  return status;
}

memory::device& runtime::open_device(memory::memory_kind kind, int number) {
  return parts_->devices_->open(kind, number);
}

bool runtime::test_implicit(bool puts, bool gets, bool atomics) noexcept {
  const implicit_state& state = parts_->implicit_operations();
  const auto complete = [&] {
    return (!puts || state.complete(implicit::put)) && (!gets || state.complete(implicit::get)) &&
           (!atomics || state.complete(implicit::atomic));
  };
  if (complete()) return true;
  if (current_handler == handler_context::outside) progress();
  return complete();
}

operation_status runtime::wait_implicit(bool puts, bool gets, bool atomics) noexcept {
  implicit_state& state = parts_->implicit_operations();
  wait_until([&] {
    return (!puts || state.complete(implicit::put)) && (!gets || state.complete(implicit::get)) &&
           (!atomics || state.complete(implicit::atomic));
  });
  operation_status worst = operation_status::done;
  if (puts) worst = std::max(worst, state.take_status(implicit::put));
  if (gets) worst = std::max(worst, state.take_status(implicit::get));
  if (atomics) worst = std::max(worst, state.take_status(implicit::atomic));
  return worst;
}

bool runtime::when_complete(event& done, continuation then) noexcept {
  return parts_->continuations_.attach(done, then);
}

bootstrap::blob_table runtime::exchange(std::span<const std::byte> contribution) {
  return parts_->exchange(contribution);
}

// --- endings -----------------------------------------------------------------------------------

void runtime::stop_serving(int code) noexcept {
  ATOLL_CHECK(normal, current_handler == handler_context::outside, "stop called inside a handler");
  if (is_forked_copy()) return;
  parts_->wait_for_stopped_ranks(code);
  parts_->end_progress_thread();  // what the program does at exit may end what the thread uses
  parts_->job_.report_counters(parts_->router_->counts_table());
  parts_->boot().goodbye();
}

void runtime::stop(int code) noexcept {
  stop_serving(code);
  bootstrap::flush_output();
  ::_exit(code);
}

bool runtime::stopped(rank_id rank) const noexcept { return parts_->boot().has_stopped(rank); }

void runtime::on_peer_lost(peer_lost_handler handler) { parts_->losses_.watch(handler); }

bool runtime::failed(rank_id rank) const noexcept { return parts_->losses_.is_lost(rank); }

void runtime::exit(int code) noexcept { parts_->job_.exit(code); }

void runtime::fail(std::string_view object, std::string_view cause,
                   std::string_view remedy) noexcept {
  parts_->job_.fail(object, cause, remedy);
}

void runtime::depend_on_others() noexcept {
  try {
    parts_->boot().depend_on_others();
  } catch (const error& ended) {
    log_debug(ended.what());  // the job has ended already
  }
}

void runtime::fail_rank() noexcept {
  bootstrap::flush_output();
  ::_exit(0);
}

}  // namespace atl
