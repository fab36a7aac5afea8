// SPDX-License-Identifier: BSD-3-Clause
//
// The calls of AMD's HIP library that Atoll makes, declared here so that no build needs the
// vendor's headers, and each with the page of the public documentation that describes it. The
// library is opened at run time. A test compares these declarations with the vendor's
// hip_runtime_api.h where that is found (tests/conformance/device).
//
// Calls that fill hipDeviceProp_t or hipPointerAttribute_t are not used: those structures changed
// between releases 5 and 6, under the same names of calls. Pages are those of
// https://rocm.docs.amd.com/projects/HIP/en/latest/doxygen/html/ called group___PAGE.html.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>

namespace atl::memory::hip {

using result = int;         // hipError_t
using device_number = int;  // hipDevice_t
using address = void*;      // hipDeviceptr_t
using stream = void*;       // hipStream_t
using event = void*;        // hipEvent_t
using words = const char*;
struct uuid {  // hipUUID
  std::array<char, 16> bytes;
};
struct ipc_handle {  // hipIpcMemHandle_t
  std::array<char, 64> reserved;
};

// The values that are used, as the vendor's headers number them.
inline constexpr result success = 0;
inline constexpr result not_ready = 600;
inline constexpr int copy_default = 4;              // hipMemcpyDefault
inline constexpr int device_ordinal = 9;            // HIP_POINTER_ATTRIBUTE_DEVICE_ORDINAL
inline constexpr unsigned wait_for_least = 0;       // hipStreamWaitValueGte
inline constexpr unsigned stream_non_blocking = 1;  // hipStreamNonBlocking
inline constexpr unsigned event_no_timing = 2;      // hipEventDisableTiming
inline constexpr unsigned pinned_portable = 1;      // hipHostMallocPortable
inline constexpr unsigned registered_portable = 1;  // hipHostRegisterPortable
inline constexpr unsigned ipc_peer_access = 1;      // hipIpcMemLazyEnablePeerAccess; 0 before 5.3

/// The oldest release that has all of this: HIP 5.2.
inline constexpr int oldest_version = 50200000;

// clang-format off
// CALL(member, returns, symbol, page, parameters)
#define ATOLL_HIP_CALLS(CALL)                                                                      \
  CALL(init, result, hipInit, driver, (unsigned))                                                  \
  CALL(library_version, result, hipRuntimeGetVersion, driver, (int*))                              \
  CALL(error_name, words, hipGetErrorName, error, (result))                                        \
  CALL(error_string, words, hipGetErrorString, error, (result))                                    \
  CALL(device_count, result, hipGetDeviceCount, device, (int*))                                    \
  CALL(device_get, result, hipDeviceGet, driver, (device_number*, int))                            \
  CALL(device_name, result, hipDeviceGetName, driver, (char*, int, device_number))                 \
  CALL(device_uuid, result, hipDeviceGetUuid, driver, (uuid*, device_number))                      \
  CALL(device_bytes, result, hipDeviceTotalMem, driver, (std::size_t*, device_number))             \
  CALL(set_device, result, hipSetDevice, device, (int))                                            \
  CALL(current_device, result, hipGetDevice, device, (int*))                                       \
  CALL(allocate, result, hipMalloc, memory, (void**, std::size_t))                                 \
  CALL(free, result, hipFree, memory, (void*))                                                     \
  CALL(address_range, result, hipMemGetAddressRange, peer_to_peer, (address*, std::size_t*, address)) \
  CALL(pin, result, hipHostMalloc, memory, (void**, std::size_t, unsigned))                        \
  CALL(unpin, result, hipHostFree, memory, (void*))                                                \
  CALL(register_host, result, hipHostRegister, memory, (void*, std::size_t, unsigned))             \
  CALL(unregister_host, result, hipHostUnregister, memory, (void*))                                \
  CALL(copy, result, hipMemcpyAsync, memory, (void*, const void*, std::size_t, int, stream))       \
  CALL(copy_rows, result, hipMemcpy2DAsync, memory,                                                \
       (void*, std::size_t, const void*, std::size_t, std::size_t, std::size_t, int, stream))      \
  CALL(wait_value, result, hipStreamWaitValue32, stream_m,                                         \
       (stream, void*, std::uint32_t, unsigned, std::uint32_t))                                    \
  CALL(ipc_export, result, hipIpcGetMemHandle, device, (ipc_handle*, void*))                       \
  CALL(ipc_open, result, hipIpcOpenMemHandle, device, (void**, ipc_handle, unsigned))              \
  CALL(ipc_close, result, hipIpcCloseMemHandle, device, (void*))                                   \
  CALL(pointer_attribute, result, hipPointerGetAttribute, memory, (void*, int, address))           \
  CALL(stream_create, result, hipStreamCreateWithFlags, stream, (stream*, unsigned))               \
  CALL(stream_destroy, result, hipStreamDestroy, stream, (stream))                                 \
  CALL(event_create, result, hipEventCreateWithFlags, event, (event*, unsigned))                   \
  CALL(event_record, result, hipEventRecord, event, (event, stream))                               \
  CALL(event_query, result, hipEventQuery, event, (event))                                         \
  CALL(event_destroy, result, hipEventDestroy, event, (event))                                     \
  CALL(can_access_peer, result, hipDeviceCanAccessPeer, peer_to_peer, (int*, int, int))
// clang-format on

/// The calls, in a library that is open for the rest of the process.
struct driver {
#define ATOLL_HIP_MEMBER(member, returns, symbol, page, parameters) \
  static constexpr const char* member##_name = #symbol;             \
  returns(*member) parameters = nullptr;
  ATOLL_HIP_CALLS(ATOLL_HIP_MEMBER)
#undef ATOLL_HIP_MEMBER

  int version = 0;
  std::string library;  // the name by which it was opened
  std::string refusal;  // why nothing here may be called; empty when all may

  /// "hipErrorOutOfMemory: out of memory".
  std::string message(result code) const;
};

/// The remedy for a copy that has failed with this code.
const char* remedy_of(result code) noexcept;

/// The driver of this process, opened and started at the first call. Any thread.
const driver& open_driver();

}  // namespace atl::memory::hip
