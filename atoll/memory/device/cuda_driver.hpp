// SPDX-License-Identifier: BSD-3-Clause
//
// The calls of CUDA's driver library that Atoll makes, declared here so that no build needs the
// vendor's headers, and each with the page of the public documentation that describes it. The
// library is opened at run time. A test compares these declarations with the vendor's cuda.h where
// that is found (tests/conformance/device).
//
// Names with _v2 are those that cuda.h gives the present form of a call; the library keeps the
// older form under the short name. Pages are those of
// https://docs.nvidia.com/cuda/cuda-driver-api/ called group__CUDA__PAGE.html.
#pragma once

#include <array>
#include <cstddef>
#include <string>

namespace atl::memory::cuda {

using result = int;                  // CUresult
using device_number = int;           // CUdevice
using address = unsigned long long;  // CUdeviceptr
using context = void*;               // CUcontext
using stream = void*;                // CUstream
using event = void*;                 // CUevent
struct uuid {                        // CUuuid
  std::array<char, 16> bytes;
};
struct ipc_handle {  // CUipcMemHandle
  std::array<char, 64> reserved;
};

struct rows_copy {  // CUDA_MEMCPY2D
  struct side {
    std::size_t x = 0;
    std::size_t y = 0;
    unsigned kind = 0;  // CUmemorytype
    void* host = nullptr;
    address at = 0;
    void* array = nullptr;
    std::size_t pitch = 0;
  };
  side from;
  side to;
  std::size_t bytes = 0;
  std::size_t rows = 0;
};

// The values that are used, as cuda.h numbers them.
inline constexpr result success = 0;
inline constexpr result not_ready = 600;
inline constexpr result peer_access_already_enabled = 704;
inline constexpr int unified_addressing = 41;       // CU_DEVICE_ATTRIBUTE_UNIFIED_ADDRESSING
inline constexpr int device_ordinal = 9;            // CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL
inline constexpr int memory_type = 2;               // CU_POINTER_ATTRIBUTE_MEMORY_TYPE
inline constexpr unsigned device_memory = 2;        // CU_MEMORYTYPE_DEVICE
inline constexpr int pitch_most = 11;               // CU_DEVICE_ATTRIBUTE_MAX_PITCH
inline constexpr unsigned any_memory = 4;           // CU_MEMORYTYPE_UNIFIED
inline constexpr unsigned wait_for_least = 0;       // CU_STREAM_WAIT_VALUE_GEQ
inline constexpr unsigned stream_non_blocking = 1;  // CU_STREAM_NON_BLOCKING
inline constexpr unsigned event_no_timing = 2;      // CU_EVENT_DISABLE_TIMING
inline constexpr unsigned pinned_portable = 1;      // CU_MEMHOSTALLOC_PORTABLE
inline constexpr unsigned registered_portable = 1;  // CU_MEMHOSTREGISTER_PORTABLE
inline constexpr unsigned ipc_peer_access = 1;      // CU_IPC_MEM_LAZY_ENABLE_PEER_ACCESS

/// The oldest driver that has all of this: CUDA 11.0.
inline constexpr int oldest_version = 11000;

// clang-format off
// CALL(member, symbol, page, parameters)
#define ATOLL_CUDA_CALLS(CALL)                                                                     \
  CALL(init, cuInit, INITIALIZE, (unsigned))                                                       \
  CALL(driver_version, cuDriverGetVersion, VERSION, (int*))                                        \
  CALL(error_name, cuGetErrorName, ERROR, (result, const char**))                                  \
  CALL(error_string, cuGetErrorString, ERROR, (result, const char**))                              \
  CALL(device_count, cuDeviceGetCount, DEVICE, (int*))                                             \
  CALL(device_get, cuDeviceGet, DEVICE, (device_number*, int))                                     \
  CALL(device_name, cuDeviceGetName, DEVICE, (char*, int, device_number))                          \
  CALL(device_uuid, cuDeviceGetUuid, DEVICE, (uuid*, device_number))                               \
  CALL(device_bytes, cuDeviceTotalMem_v2, DEVICE, (std::size_t*, device_number))                   \
  CALL(device_attribute, cuDeviceGetAttribute, DEVICE, (int*, int, device_number))                 \
  CALL(retain, cuDevicePrimaryCtxRetain, PRIMARY__CTX, (context*, device_number))                  \
  CALL(release, cuDevicePrimaryCtxRelease_v2, PRIMARY__CTX, (device_number))                       \
  CALL(push, cuCtxPushCurrent_v2, CTX, (context))                                                  \
  CALL(pop, cuCtxPopCurrent_v2, CTX, (context*))                                                   \
  CALL(allocate, cuMemAlloc_v2, MEM, (address*, std::size_t))                                      \
  CALL(free, cuMemFree_v2, MEM, (address))                                                         \
  CALL(address_range, cuMemGetAddressRange_v2, MEM, (address*, std::size_t*, address))             \
  CALL(pin, cuMemHostAlloc, MEM, (void**, std::size_t, unsigned))                                  \
  CALL(unpin, cuMemFreeHost, MEM, (void*))                                                         \
  CALL(register_host, cuMemHostRegister_v2, MEM, (void*, std::size_t, unsigned))                   \
  CALL(unregister_host, cuMemHostUnregister, MEM, (void*))                                         \
  CALL(copy, cuMemcpyAsync, MEM, (address, address, std::size_t, stream))                          \
  CALL(copy_rows, cuMemcpy2DAsync_v2, MEM, (const rows_copy*, stream))                             \
  CALL(ipc_export, cuIpcGetMemHandle, MEM, (ipc_handle*, address))                                 \
  CALL(ipc_open, cuIpcOpenMemHandle_v2, MEM, (address*, ipc_handle, unsigned))                     \
  CALL(ipc_close, cuIpcCloseMemHandle, MEM, (address))                                             \
  CALL(pointer_attribute, cuPointerGetAttribute, UNIFIED, (void*, int, address))                   \
  CALL(stream_create, cuStreamCreate, STREAM, (stream*, unsigned))                                 \
  CALL(stream_destroy, cuStreamDestroy_v2, STREAM, (stream))                                       \
  CALL(event_create, cuEventCreate, EVENT, (event*, unsigned))                                     \
  CALL(event_record, cuEventRecord, EVENT, (event, stream))                                        \
  CALL(event_query, cuEventQuery, EVENT, (event))                                                  \
  CALL(event_destroy, cuEventDestroy_v2, EVENT, (event))                                           \
  CALL(can_access_peer, cuDeviceCanAccessPeer, PEER__ACCESS, (int*, device_number, device_number)) \
  CALL(enable_peer, cuCtxEnablePeerAccess, PEER__ACCESS, (context, unsigned))
// Calls that a driver may lack; what needs them is then refused.
#define ATOLL_CUDA_NEWER_CALLS(CALL)                                                               \
  CALL(wait_value, cuStreamWaitValue32_v2, MEMOP, (stream, address, unsigned, unsigned))
// clang-format on

/// The calls, in a library that is open for the rest of the process.
struct driver {
#define ATOLL_CUDA_MEMBER(member, symbol, page, parameters) \
  static constexpr const char* member##_name = #symbol;     \
  result(*member) parameters = nullptr;
  ATOLL_CUDA_CALLS(ATOLL_CUDA_MEMBER)
  ATOLL_CUDA_NEWER_CALLS(ATOLL_CUDA_MEMBER)
#undef ATOLL_CUDA_MEMBER

  int version = 0;
  std::string refusal;  // why nothing here may be called; empty when all may

  /// "CUDA_ERROR_OUT_OF_MEMORY: out of memory".
  std::string message(result code) const;
};

inline constexpr const char* library_name = "libcuda.so.1";

/// The remedy for a copy that has failed with this code.
const char* remedy_of(result code) noexcept;

/// The driver of this process, opened and started at the first call. Any thread.
const driver& open_driver();

}  // namespace atl::memory::cuda
