// SPDX-License-Identifier: BSD-3-Clause
//
// Test and wait. A successful test gives the record back, so an event can be tested with success
// only once. Test runs no handler and so never polls, as the specification demands; but it advances
// barriers, which need no handler. Threads: an event belongs to one thread at a time.
#include <gasnetex_event.h>
#include <atoll/core/job/layer_access.hpp>
#include <atoll/core/job/runtime.hpp>
#include <front/gex/context.hpp>
#include <front/gex/events.hpp>
#include <front/gex/objects.hpp>

#include <span>

using namespace atl::gex;

namespace {

void check(gex_Event_t handle, const char* call) noexcept {
  if (handle == GEX_EVENT_NO_OP) [[unlikely]] {
    refuse(call, "GEX_EVENT_NO_OP is no event: the operation was refused",
           "start it again, or without GEX_FLAG_IMMEDIATE");
  }
}

// A leaf is the root's record with this bit. It completes with the root, which owns the record.
constexpr std::uintptr_t leaf_bit = 1;
static_assert(alignof(atl::operation) > leaf_bit);

bool is_leaf(gex_Event_t handle) noexcept {
  return (reinterpret_cast<std::uintptr_t>(handle) & leaf_bit) != 0;
}

gex_Event_t leaf_of(gex_Event_t root) noexcept {
  return reinterpret_cast<gex_Event_t>(reinterpret_cast<std::uintptr_t>(root) | leaf_bit);
}

atl::operation* record_of(gex_Event_t handle) noexcept {
  const auto address = reinterpret_cast<std::uintptr_t>(handle) & ~leaf_bit;
  return event_of(reinterpret_cast<gex_Event_t>(address)).record();
}

// Completes the handle if its operation is complete.
bool take_if_complete(gex_Event_t& handle) noexcept {
  if (handle == GEX_EVENT_INVALID) return true;
  atl::operation* const record = record_of(handle);
  if (!record->complete()) return false;
  if (!is_leaf(handle)) atl::layer_access::operations(runtime()).give_back(record);
  handle = GEX_EVENT_INVALID;
  return true;
}

bool some(std::span<gex_Event_t> handles) noexcept {
  bool any_complete = false;
  bool any_valid = false;
  for (gex_Event_t& each : handles) {
    if (each == GEX_EVENT_INVALID) continue;
    any_valid = true;
    any_complete |= take_if_complete(each);
  }
  return any_complete || !any_valid;
}

bool all_complete(std::span<gex_Event_t> handles) noexcept {
  bool every = true;
  for (gex_Event_t& each : handles) every &= take_if_complete(each);
  return every;
}

void before_test(const char* call, std::span<gex_Event_t> handles) noexcept {
  may_communicate(call, in_handler::possible);
  for (gex_Event_t each : handles) check(each, call);
  if (atl::current_handler != atl::handler_context::outside) [[unlikely]]
    return;
  atl::attachment_list& busy = atl::layer_access::attachments(runtime());
  // Other threads may be asleep until something that has completed here is complete.
  if (busy.has_work() && busy.advance() && runtime().threaded())
    atl::layer_access::wake_own_threads(runtime());
}

}  // namespace

int atoll_gex_event_test(gex_Event_t event) {
  before_test("gex_Event_Test", {&event, 1});
  return take_if_complete(event) ? GASNET_OK : GASNET_ERR_NOT_READY;
}

void atoll_gex_event_wait(gex_Event_t event) {
  may_communicate("gex_Event_Wait");
  check(event, "gex_Event_Wait");
  if (is_leaf(event)) {
    const atl::operation& record = *record_of(event);
    return runtime().wait_until([&record] { return record.complete(); });
  }
  atl::event done = event_of(event);
  runtime().wait(done);
}

int gex_Event_TestSome(gex_Event_t* pevent, size_t numevents, gex_Flags_t) {
  before_test("gex_Event_TestSome", {pevent, numevents});
  return some({pevent, numevents}) ? GASNET_OK : GASNET_ERR_NOT_READY;
}

void gex_Event_WaitSome(gex_Event_t* pevent, size_t numevents, gex_Flags_t) {
  may_communicate("gex_Event_WaitSome");
  before_test("gex_Event_WaitSome", {pevent, numevents});
  runtime().wait_until([&] { return some({pevent, numevents}); });
}

int gex_Event_TestAll(gex_Event_t* pevent, size_t numevents, gex_Flags_t) {
  before_test("gex_Event_TestAll", {pevent, numevents});
  return all_complete({pevent, numevents}) ? GASNET_OK : GASNET_ERR_NOT_READY;
}

void gex_Event_WaitAll(gex_Event_t* pevent, size_t numevents, gex_Flags_t) {
  may_communicate("gex_Event_WaitAll");
  before_test("gex_Event_WaitAll", {pevent, numevents});
  runtime().wait_until([&] { return all_complete({pevent, numevents}); });
}

gex_Event_t atoll_gex_event_leaf(gex_Event_t root, gex_EC_t event_category) {
  check(root, "gex_Event_QueryLeaf");
  switch (event_category) {
    case GEX_EC_LC:
    case GEX_EC_AM:
      return GEX_EVENT_INVALID;  // local completion is immediate
    case GEX_EC_PUT:
    case GEX_EC_GET:
    case GEX_EC_RMW:
      return leaf_of(root);  // a record counts its operations of all categories together
    default:
      refuse("gex_Event_QueryLeaf", "no event has a leaf of this category",
             "ask for one of GEX_EC_LC, GEX_EC_AM, GEX_EC_PUT, GEX_EC_GET, GEX_EC_RMW");
  }
}

// --- implicit operations ---------------------------------------------------------------------

namespace {

// Local completions are complete at once.
bool wants(gex_EC_t mask, gex_EC_t category) noexcept { return (mask & category) != 0; }

}  // namespace

int atoll_gex_implicit_test(gex_EC_t event_mask) {
  may_communicate("gex_NBI_Test", in_handler::possible);
  const atl::implicit_state& operations = atl::layer_access::implicit_operations(runtime());
  const bool complete =
      (!wants(event_mask, GEX_EC_PUT) || operations.complete(atl::implicit::put)) &&
      (!wants(event_mask, GEX_EC_GET) || operations.complete(atl::implicit::get)) &&
      (!wants(event_mask, GEX_EC_RMW) || operations.complete(atl::implicit::atomic));
  return complete ? GASNET_OK : GASNET_ERR_NOT_READY;
}

void atoll_gex_implicit_wait(gex_EC_t event_mask) {
  may_communicate("gex_NBI_Wait");
  runtime().wait_implicit(wants(event_mask, GEX_EC_PUT), wants(event_mask, GEX_EC_GET),
                          wants(event_mask, GEX_EC_RMW));
}

void gex_NBI_BeginAccessRegion(gex_Flags_t) {
  static constexpr const char* call = "gex_NBI_BeginAccessRegion";
  may_communicate(call);
  atl::implicit_state& operations = atl::layer_access::implicit_operations(*started(call).runtime);
  if (operations.in_region()) {
    refuse(call, "an access region is open in this thread already", "regions do not nest");
  }
  operations.begin_region();
}

gex_Event_t gex_NBI_EndAccessRegion(gex_Flags_t) {
  static constexpr const char* call = "gex_NBI_EndAccessRegion";
  may_communicate(call);
  atl::implicit_state& operations = atl::layer_access::implicit_operations(*started(call).runtime);
  if (!operations.in_region()) {
    refuse(call, "no access region is open in this thread", "begin one first");
  }
  atl::event done = operations.end_region();
  return handle_of(done);
}
