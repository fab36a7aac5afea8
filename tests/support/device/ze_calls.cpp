// SPDX-License-Identifier: BSD-3-Clause
//
// The calls of Level Zero's loader, over the simulated device: one driver with devices that have a
// group of queues for all work and one of two copy engines. It uses every freedom that the
// interface gives it: a command list does its copies on two streams in turn, so only events order
// them; memory is known only in the context in which it was made; and a copy is refused whose event
// is already set.
#include <atoll/memory/device/ze_driver.hpp>
#include <tests/support/device/simulated.hpp>

#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <cstring>
#include <map>
#include <mutex>
#include <vector>

namespace ze = atl::memory::ze;
using namespace atl::memory::ze;

extern "C" {
#define TESTDEV_DECLARE(member, symbol, section, parameters) result symbol parameters;
ATOLL_ZE_CALLS(TESTDEV_DECLARE)
#undef TESTDEV_DECLARE
}

namespace {

constexpr result device_lost = 0x70000001;
constexpr result out_of_device_memory = 0x70000003;
constexpr result uninitialized = 0x78000001;
constexpr result unsupported_feature = 0x78000003;
constexpr result invalid_argument = 0x78000004;
constexpr result invalid_synchronization = 0x7800000b;
constexpr result unknown = 0x7ffffffe;

result code_of(int simulated_code) {
  switch (simulated_code) {
    case simulated::success:
      return success;
    case simulated::not_ready:
      return not_ready;
    case simulated::out_of_memory:
      return out_of_device_memory;
    case simulated::illegal_address:
    case simulated::launch_failed:
    case simulated::device_unavailable:
      return device_lost;
    case simulated::invalid_value:
    case simulated::invalid_handle:
      return invalid_argument;
    case simulated::not_supported:
    case simulated::peer_access_unsupported:
      return unsupported_feature;
    case simulated::no_device:
      return uninitialized;
    default:
      return unknown;
  }
}

std::uintptr_t number_of(const void* pointer) { return reinterpret_cast<std::uintptr_t>(pointer); }
void* pointer_to(std::uintptr_t number) { return reinterpret_cast<void*>(number); }

// The handle of a driver is 1, that of a device its number plus 0x100, of a context from 0x1000 on.
driver_handle only_driver() { return reinterpret_cast<driver_handle>(std::uintptr_t{1}); }
device_handle handle_of(int device) {
  return reinterpret_cast<device_handle>(std::uintptr_t{0x100} + static_cast<unsigned>(device));
}
int device_of(device_handle handle) { return static_cast<int>(number_of(handle) - 0x100); }
bool is_device(device_handle handle) {
  return device_of(handle) >= 0 && device_of(handle) < simulated::devices_of("ze");
}

std::mutex guard;
std::uintptr_t contexts_made = 0;
std::map<std::uintptr_t, context_handle> owners;  // of memory, by its address

bool is_context(context_handle context) {
  const std::lock_guard hold(guard);
  return number_of(context) >= 0x1000 && number_of(context) < 0x1000 + contexts_made;
}
void note_owner(std::uintptr_t address, context_handle context) {
  const std::lock_guard hold(guard);
  owners[address] = context;
}
/// Whether memory around an address was made, or opened, in this context.
bool is_of(context_handle context, std::uintptr_t address, int& device, std::uintptr_t& base,
           std::size_t& bytes) {
  if (!simulated::find_memory(address, device, base, bytes)) return false;
  const std::lock_guard hold(guard);
  const auto found = owners.find(base);
  return found != owners.end() && found->second == context;
}

struct list {
  std::array<simulated::stream*, 2> streams;
  unsigned next = 0;
  std::vector<simulated::event*> of_barriers = {};
};

struct pool {
  std::uint32_t events;
};

}  // namespace

#define TESTDEV_MAY_FAIL(call)                                                         \
  if (const int refused = simulated::refusal_of(#call); refused != simulated::success) \
  return code_of(refused)

result zeInit(std::uint32_t) {
  TESTDEV_MAY_FAIL(zeInit);
  return simulated::devices_of("ze") == 0 ? uninitialized : success;
}

result zeDriverGet(std::uint32_t* count, driver_handle* drivers) {
  TESTDEV_MAY_FAIL(zeDriverGet);
  if (drivers != nullptr && *count != 0) drivers[0] = only_driver();
  *count = 1;
  return success;
}

result zeDriverGetApiVersion(driver_handle, std::uint32_t* version) {
  TESTDEV_MAY_FAIL(zeDriverGetApiVersion);
  *version = 0x10009;
  return success;
}

result zeDeviceGet(driver_handle driver, std::uint32_t* count, device_handle* devices) {
  TESTDEV_MAY_FAIL(zeDeviceGet);
  if (driver != only_driver()) return invalid_argument;
  const auto known = static_cast<std::uint32_t>(simulated::devices_of("ze"));
  for (std::uint32_t i = 0; devices != nullptr && i < std::min(*count, known); ++i)
    devices[i] = handle_of(static_cast<int>(i));
  *count = known;
  return success;
}

result zeDeviceGetProperties(device_handle device, device_properties* found) {
  TESTDEV_MAY_FAIL(zeDeviceGetProperties);
  if (!is_device(device) || found->which != device_properties{}.which) return invalid_argument;
  found->type = type_gpu;
  found->allocation_max = simulated::chosen().bytes;
  found->uuid.fill(static_cast<std::byte>(0x20 + device_of(device) + 1));
  std::snprintf(found->name.data(), found->name.size(), "simulated Level Zero device %d",
                device_of(device));
  return success;
}

result zeDeviceGetMemoryProperties(device_handle, std::uint32_t* count, memory_properties* found) {
  TESTDEV_MAY_FAIL(zeDeviceGetMemoryProperties);
  if (found != nullptr && *count != 0) found->bytes = simulated::chosen().bytes;
  *count = 1;
  return success;
}

result zeDeviceGetCommandQueueGroupProperties(device_handle, std::uint32_t* count,
                                              queue_group_properties* found) {
  TESTDEV_MAY_FAIL(zeDeviceGetCommandQueueGroupProperties);
  if (found != nullptr && *count >= 2) {
    found[0].flags = group_compute | group_copy;
    found[0].queues = 1;
    found[1].flags = group_copy;
    found[1].queues = 2;
  }
  *count = 2;
  return success;
}

result zeDeviceCanAccessPeer(device_handle device, device_handle other, boolean* can) {
  TESTDEV_MAY_FAIL(zeDeviceCanAccessPeer);
  *can = simulated::are_peers(device_of(device), device_of(other)) ? 1 : 0;
  return success;
}

result zeContextCreate(driver_handle driver, const context_terms*, context_handle* made) {
  TESTDEV_MAY_FAIL(zeContextCreate);
  if (driver != only_driver()) return invalid_argument;
  const std::lock_guard hold(guard);
  *made = reinterpret_cast<context_handle>(0x1000 + contexts_made++);
  return success;
}

result zeCommandListCreateImmediate(context_handle context, device_handle device,
                                    const queue_terms* terms, command_list* made) {
  TESTDEV_MAY_FAIL(zeCommandListCreateImmediate);
  const bool is_engine = terms->ordinal == 1 && terms->index < 2 && terms->flags == queue_explicit;
  if (!is_context(context) || !is_device(device) || !is_engine) return invalid_argument;
  const int number = device_of(device);
  *made = new list{.streams = {simulated::make_stream(number), simulated::make_stream(number)}};
  return success;
}

result zeCommandListDestroy(command_list ended) {
  auto* const gone = static_cast<list*>(ended);
  for (simulated::stream* const each : gone->streams) simulated::end_stream(each);
  for (simulated::event* const each : gone->of_barriers) simulated::end_event(each);
  delete gone;
  return code_of(simulated::refusal_of("zeCommandListDestroy"));
}

result zeCommandListAppendMemoryCopy(command_list into, void* to, const void* from,
                                     std::size_t bytes, event done, std::uint32_t waits,
                                     event* awaited) {
  TESTDEV_MAY_FAIL(zeCommandListAppendMemoryCopy);
  auto& chosen = *static_cast<list*>(into);
  auto* const mark = static_cast<simulated::event*>(done);
  if (mark != nullptr && simulated::query(*mark) != simulated::not_ready)
    return invalid_synchronization;
  simulated::stream& stream = *chosen.streams[chosen.next++ % chosen.streams.size()];
  for (std::uint32_t i = 0; i < waits; ++i)
    simulated::enqueue_wait(stream, *static_cast<simulated::event*>(awaited[i]));
  const int code = simulated::enqueue_copy(
      stream, {.to = number_of(to), .from = number_of(from), .bytes = bytes});
  if (code == simulated::success && mark != nullptr) simulated::record(*mark, stream);
  return code_of(code);
}

// Both streams reach the barrier; then the first one waits for the events, and the second goes on
// when the first has done so.
result zeCommandListAppendBarrier(command_list into, event done, std::uint32_t waits,
                                  event* awaited) {
  TESTDEV_MAY_FAIL(zeCommandListAppendBarrier);
  auto& chosen = *static_cast<list*>(into);
  const auto [first, second] = chosen.streams;
  const auto meet = [&](simulated::stream& arrives, simulated::stream& waits_for_it) {
    chosen.of_barriers.push_back(simulated::make_event());
    simulated::record(*chosen.of_barriers.back(), arrives);
    simulated::enqueue_wait(waits_for_it, *chosen.of_barriers.back());
  };
  meet(*second, *first);
  for (std::uint32_t i = 0; i < waits; ++i)
    simulated::enqueue_wait(*first, *static_cast<simulated::event*>(awaited[i]));
  if (done != nullptr) simulated::record(*static_cast<simulated::event*>(done), *first);
  meet(*first, *second);
  return success;
}

result zeEventPoolCreate(context_handle context, const pool_terms* terms, std::uint32_t,
                         device_handle*, event_pool* made) {
  TESTDEV_MAY_FAIL(zeEventPoolCreate);
  if (!is_context(context) || terms->count == 0) return invalid_argument;
  *made = new pool{.events = terms->count};
  return success;
}

result zeEventPoolDestroy(event_pool ended) {
  delete static_cast<pool*>(ended);
  return code_of(simulated::refusal_of("zeEventPoolDestroy"));
}

result zeEventCreate(event_pool from, const event_terms* terms, event* made) {
  TESTDEV_MAY_FAIL(zeEventCreate);
  if (terms->index >= static_cast<pool*>(from)->events) return invalid_argument;
  simulated::event* const fresh = simulated::make_event();
  simulated::reset(*fresh);
  *made = fresh;
  return success;
}

result zeEventQueryStatus(event asked) {
  TESTDEV_MAY_FAIL(zeEventQueryStatus);
  return code_of(simulated::query(*static_cast<simulated::event*>(asked)));
}

result zeEventHostReset(event mark) {
  TESTDEV_MAY_FAIL(zeEventHostReset);
  simulated::reset(*static_cast<simulated::event*>(mark));
  return success;
}

result zeEventHostSignal(event mark) {
  TESTDEV_MAY_FAIL(zeEventHostSignal);
  simulated::set(*static_cast<simulated::event*>(mark));
  return success;
}

result zeEventDestroy(event ended) {
  simulated::end_event(static_cast<simulated::event*>(ended));
  return code_of(simulated::refusal_of("zeEventDestroy"));
}

result zeMemAllocDevice(context_handle context, const device_memory_terms* terms, std::size_t bytes,
                        std::size_t, device_handle device, void** made) {
  TESTDEV_MAY_FAIL(zeMemAllocDevice);
  if (!is_context(context) || !is_device(device) || terms->ordinal != 0) return invalid_argument;
  std::uintptr_t view = 0;
  const int code = simulated::allocate(device_of(device), bytes, view);
  if (code == simulated::success) note_owner(view, context);
  *made = pointer_to(view);
  return code_of(code);
}

result zeMemAllocHost(context_handle context, const host_memory_terms*, std::size_t bytes,
                      std::size_t, void** made) {
  TESTDEV_MAY_FAIL(zeMemAllocHost);
  return is_context(context) ? code_of(simulated::pin(bytes, *made)) : invalid_argument;
}

result zeMemFree(context_handle context, void* memory) {
  TESTDEV_MAY_FAIL(zeMemFree);
  if (simulated::unpin(memory) == simulated::success) return success;
  int device = 0;
  std::uintptr_t base = 0;
  std::size_t bytes = 0;
  if (!is_of(context, number_of(memory), device, base, bytes)) return invalid_argument;
  return code_of(simulated::free_memory(number_of(memory)));
}

result zeMemGetAllocProperties(context_handle context, const void* memory,
                               allocation_properties* found, device_handle* device) {
  TESTDEV_MAY_FAIL(zeMemGetAllocProperties);
  int number = 0;
  std::uintptr_t base = 0;
  std::size_t bytes = 0;
  found->type = is_of(context, number_of(memory), number, base, bytes) ? memory_device : 0;
  *device = found->type == memory_device ? handle_of(number) : nullptr;
  return success;
}

result zeMemGetAddressRange(context_handle context, const void* memory, void** first,
                            std::size_t* size) {
  TESTDEV_MAY_FAIL(zeMemGetAddressRange);
  int number = 0;
  std::uintptr_t base = 0;
  if (!is_of(context, number_of(memory), number, base, *size)) return invalid_argument;
  *first = pointer_to(base);
  return success;
}

namespace {

/// The bytes of a handle: first the descriptor, as in the driver's, then the data to map it.
struct contents {
  std::uint64_t descriptor;
  std::int32_t process;  // in opaque handles: of the descriptor; else 0
  std::int32_t device;
  std::uint64_t bytes;
};

}  // namespace

result zeMemGetIpcHandle(context_handle, const void* memory, ipc_handle* exported) {
  TESTDEV_MAY_FAIL(zeMemGetIpcHandle);
  simulated::handle own{};
  const int code = simulated::export_memory(number_of(memory), own);
  const contents made{.descriptor = static_cast<std::uint64_t>(own.descriptor),
                      .process = simulated::chosen().opaque_handles ? own.process : 0,
                      .device = own.device,
                      .bytes = own.bytes};
  std::memcpy(exported->data.data(), &made, sizeof made);
  return code_of(code);
}

result zeMemOpenIpcHandle(context_handle context, device_handle device, ipc_handle exported,
                          std::uint32_t, void** opened) {
  TESTDEV_MAY_FAIL(zeMemOpenIpcHandle);
  contents other{};
  std::memcpy(&other, exported.data.data(), sizeof other);
  const simulated::handle handle{.process = other.process,
                                 .descriptor = static_cast<std::int32_t>(other.descriptor),
                                 .device = other.device,
                                 .unused = 0,
                                 .bytes = other.bytes,
                                 .rest = {}};
  std::uintptr_t view = 0;
  const int code = simulated::open_memory(device_of(device), handle, view);
  if (code == simulated::success) note_owner(view, context);
  *opened = pointer_to(view);
  return code_of(code);
}

result zeMemCloseIpcHandle(context_handle context, const void* opened) {
  TESTDEV_MAY_FAIL(zeMemCloseIpcHandle);
  int number = 0;
  std::uintptr_t base = 0;
  std::size_t bytes = 0;
  if (!is_of(context, number_of(opened), number, base, bytes)) return invalid_argument;
  return code_of(simulated::close_memory(number_of(opened)));
}
