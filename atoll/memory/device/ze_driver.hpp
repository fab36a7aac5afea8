// SPDX-License-Identifier: BSD-3-Clause
//
// The calls of Level Zero's loader that Atoll makes, declared here so that no build needs the
// vendor's headers, and each with its section of the public specification. The loader is opened at
// run time. A test compares these declarations with ze_api.h where that is found
// (tests/conformance/device).
//
// All calls are in https://oneapi-src.github.io/level-zero-spec/level-zero/latest/core/api.html,
// in the section of that name, at an anchor that is the call's name in lower case.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace atl::memory::ze {

// The vendor's handles point to objects of its own.
struct driver_object;
struct device_object;
struct context_object;

using result = std::uint32_t;            // ze_result_t
using driver_handle = driver_object*;    // ze_driver_handle_t
using device_handle = device_object*;    // ze_device_handle_t
using context_handle = context_object*;  // ze_context_handle_t
using command_list = void*;              // ze_command_list_handle_t
using event_pool = void*;                // ze_event_pool_handle_t
using event = void*;                     // ze_event_handle_t
using boolean = std::uint8_t;

// The values that are used, as ze_api.h numbers them.
inline constexpr result success = 0;
inline constexpr result not_ready = 1;
inline constexpr std::uint32_t init_gpu_only = 1;
inline constexpr std::uint32_t type_gpu = 1;        // ZE_DEVICE_TYPE_GPU
inline constexpr std::uint32_t memory_device = 2;   // ZE_MEMORY_TYPE_DEVICE
inline constexpr std::uint32_t group_compute = 1;   // ZE_COMMAND_QUEUE_GROUP_PROPERTY_FLAG_COMPUTE
inline constexpr std::uint32_t group_copy = 2;      // ..._FLAG_COPY
inline constexpr std::uint32_t queue_explicit = 1;  // ZE_COMMAND_QUEUE_FLAG_EXPLICIT_ONLY
inline constexpr std::uint32_t queue_asynchronous = 2;  // ZE_COMMAND_QUEUE_MODE_ASYNCHRONOUS
inline constexpr std::uint32_t pool_host_visible = 1;   // ZE_EVENT_POOL_FLAG_HOST_VISIBLE
inline constexpr std::uint32_t scope_device = 2;        // ZE_EVENT_SCOPE_FLAG_DEVICE
inline constexpr std::uint32_t scope_host = 4;          // ZE_EVENT_SCOPE_FLAG_HOST
// ZE_RELAXED_ALLOCATION_LIMITS_EXP_FLAG_MAX_SIZE
inline constexpr std::uint32_t limit_max_size = 1;

// Structures begin with a number that says which they are, and a pointer to extensions.
struct device_properties {
  std::uint32_t which = 0x3;
  void* next = nullptr;
  std::uint32_t type = 0, vendor = 0, device = 0, flags = 0, subdevice = 0, clock = 0;
  std::uint64_t allocation_max = 0;
  std::array<std::uint32_t, 6> counts{};
  std::uint32_t slices = 0;
  std::uint64_t timer = 0;
  std::uint32_t timestamp_bits = 0, kernel_timestamp_bits = 0;
  std::array<std::byte, 16> uuid{};
  std::array<char, 256> name{};
};
struct queue_group_properties {
  std::uint32_t which = 0x6;
  void* next = nullptr;
  std::uint32_t flags = 0;
  std::size_t fill_max = 0;
  std::uint32_t queues = 0;
};
struct memory_properties {
  std::uint32_t which = 0x7;
  void* next = nullptr;
  std::uint32_t flags = 0, clock = 0, width = 0;
  std::uint64_t bytes = 0;
  std::array<char, 256> name{};
};
struct context_terms {
  std::uint32_t which = 0xd;
  const void* next = nullptr;
  std::uint32_t flags = 0;
};
struct queue_terms {
  std::uint32_t which = 0xe;
  const void* next = nullptr;
  std::uint32_t ordinal = 0, index = 0, flags = 0, mode = queue_asynchronous, priority = 0;
};
struct pool_terms {
  std::uint32_t which = 0x10;
  const void* next = nullptr;
  std::uint32_t flags = pool_host_visible;
  std::uint32_t count = 0;
};
struct event_terms {
  std::uint32_t which = 0x11;
  const void* next = nullptr;
  std::uint32_t index = 0;
  std::uint32_t signal = scope_host, wait = scope_device;
};
struct device_memory_terms {
  std::uint32_t which = 0x15;
  const void* next = nullptr;
  std::uint32_t flags = 0, ordinal = 0;
};
struct host_memory_terms {
  std::uint32_t which = 0x16;
  const void* next = nullptr;
  std::uint32_t flags = 0;
};
struct allocation_properties {
  std::uint32_t which = 0x17;
  void* next = nullptr;
  std::uint32_t type = 0;
  std::uint64_t id = 0, page = 0;
};
/// An extension of device_memory_terms, for more than allocation_max bytes.
struct relaxed_limits {
  std::uint32_t which = 0x20001;
  const void* next = nullptr;
  std::uint32_t flags = limit_max_size;
};
struct ipc_handle {  // ze_ipc_mem_handle_t
  std::array<std::byte, 64> data{};
};

// clang-format off
// CALL(member, symbol, section, parameters)
#define ATOLL_ZE_CALLS(CALL)                                                                       \
  CALL(init, zeInit, Driver, (std::uint32_t))                                                      \
  CALL(drivers, zeDriverGet, Driver, (std::uint32_t*, driver_handle*))                             \
  CALL(api_version, zeDriverGetApiVersion, Driver, (driver_handle, std::uint32_t*))                \
  CALL(devices, zeDeviceGet, Device, (driver_handle, std::uint32_t*, device_handle*))              \
  CALL(describe, zeDeviceGetProperties, Device, (device_handle, device_properties*))               \
  CALL(memories, zeDeviceGetMemoryProperties, Device,                                              \
       (device_handle, std::uint32_t*, memory_properties*))                                        \
  CALL(queue_groups, zeDeviceGetCommandQueueGroupProperties, Device,                               \
       (device_handle, std::uint32_t*, queue_group_properties*))                                   \
  CALL(can_access_peer, zeDeviceCanAccessPeer, Device, (device_handle, device_handle, boolean*))   \
  CALL(context_create, zeContextCreate, Context,                                                   \
       (driver_handle, const context_terms*, context_handle*))                                     \
  CALL(list_create, zeCommandListCreateImmediate, Command List,                                    \
       (context_handle, device_handle, const queue_terms*, command_list*))                         \
  CALL(list_destroy, zeCommandListDestroy, Command List, (command_list))                           \
  CALL(copy, zeCommandListAppendMemoryCopy, Command List,                                          \
       (command_list, void*, const void*, std::size_t, event, std::uint32_t, event*))              \
  CALL(barrier, zeCommandListAppendBarrier, Command List,                                          \
       (command_list, event, std::uint32_t, event*))                                               \
  CALL(pool_create, zeEventPoolCreate, Event,                                                      \
       (context_handle, const pool_terms*, std::uint32_t, device_handle*, event_pool*))            \
  CALL(pool_destroy, zeEventPoolDestroy, Event, (event_pool))                                      \
  CALL(event_create, zeEventCreate, Event, (event_pool, const event_terms*, event*))               \
  CALL(event_query, zeEventQueryStatus, Event, (event))                                            \
  CALL(event_reset, zeEventHostReset, Event, (event))                                              \
  CALL(event_signal, zeEventHostSignal, Event, (event))                                            \
  CALL(event_destroy, zeEventDestroy, Event, (event))                                              \
  CALL(allocate, zeMemAllocDevice, Memory,                                                         \
       (context_handle, const device_memory_terms*, std::size_t, std::size_t, device_handle,       \
        void**))                                                                                   \
  CALL(pin, zeMemAllocHost, Memory,                                                                \
       (context_handle, const host_memory_terms*, std::size_t, std::size_t, void**))               \
  CALL(free, zeMemFree, Memory, (context_handle, void*))                                           \
  CALL(describe_memory, zeMemGetAllocProperties, Memory,                                           \
       (context_handle, const void*, allocation_properties*, device_handle*))                      \
  CALL(address_range, zeMemGetAddressRange, Memory,                                                \
       (context_handle, const void*, void**, std::size_t*))                                        \
  CALL(ipc_export, zeMemGetIpcHandle, Memory, (context_handle, const void*, ipc_handle*))          \
  CALL(ipc_open, zeMemOpenIpcHandle, Memory,                                                       \
       (context_handle, device_handle, ipc_handle, std::uint32_t, void**))                         \
  CALL(ipc_close, zeMemCloseIpcHandle, Memory, (context_handle, const void*))
// clang-format on

/// A device and its driver.
struct place {
  driver_handle driver = nullptr;
  device_handle device = nullptr;
  device_properties properties;
};

/// The calls, in a library that is open for the rest of the process, and the devices.
struct driver {
#define ATOLL_ZE_MEMBER(member, symbol, section, parameters) \
  static constexpr const char* member##_name = #symbol;      \
  result(*member) parameters = nullptr;
  ATOLL_ZE_CALLS(ATOLL_ZE_MEMBER)
#undef ATOLL_ZE_MEMBER

  std::uint32_t version = 0;  // of the interface: major in the upper half, minor in the lower
  std::vector<place> devices_found;  // the GPUs of all drivers
  std::string problem;               // the last refusal while devices were looked for
  std::string refusal;               // why nothing here may be called; empty when all may

  /// "ZE_RESULT_ERROR_DEVICE_LOST".
  static std::string message(result code);
  /// The remedy for a copy that has failed with this code.
  static const char* remedy_of(result code) noexcept;
};

inline constexpr const char* library_name = "libze_loader.so.1";

/// The loader of this process, opened and started at the first call. Any thread.
const driver& open_driver();

}  // namespace atl::memory::ze
