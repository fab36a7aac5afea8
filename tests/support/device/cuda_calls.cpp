// SPDX-License-Identifier: BSD-3-Clause
//
// The calls of CUDA's driver, over the simulated device. They are declared by the same
// table as Atoll's own, so a call that the table names and that is missing here fails to link.
#include <atoll/memory/device/cuda_driver.hpp>
#include <tests/support/device/simulated.hpp>

#include <cstdio>
#include <cstring>
#include <vector>

namespace cuda = atl::memory::cuda;
using cuda::address;
using cuda::context;
using cuda::device_number;
using cuda::event;
using cuda::ipc_handle;
using cuda::result;
using cuda::rows_copy;
using cuda::stream;
using cuda::uuid;

extern "C" {
#define TESTDEV_DECLARE(member, symbol, page, parameters) result symbol parameters;
ATOLL_CUDA_CALLS(TESTDEV_DECLARE)
ATOLL_CUDA_NEWER_CALLS(TESTDEV_DECLARE)
#undef TESTDEV_DECLARE
result cuStreamWaitEvent(stream, event, unsigned);  // called by test programs only
}

namespace {

// A context is the number of its device, plus one.
context context_of(device_number device) {
  return reinterpret_cast<context>(static_cast<std::uintptr_t>(device) + 1);
}
thread_local std::vector<context> contexts;

int current_device() {
  return contexts.empty() ? -1
                          : static_cast<int>(reinterpret_cast<std::uintptr_t>(contexts.back())) - 1;
}

constexpr unsigned host_memory = 1;  // CU_MEMORYTYPE_HOST

bool is_device(int number) { return number >= 0 && number < simulated::devices_of("cuda"); }

/// The code with which a call that needs a context fails, if it does.
int refusal_in_context(const char* call) {
  if (const int code = simulated::refusal_of(call); code != simulated::success) return code;
  return is_device(current_device()) ? simulated::success : 201;  // CUDA_ERROR_INVALID_CONTEXT
}

}  // namespace

#define TESTDEV_MAY_FAIL(call)                                                         \
  if (const int refused = simulated::refusal_of(#call); refused != simulated::success) \
  return refused
// For a call that does not touch the device.
#define TESTDEV_MAY_FAIL_ALONE(call)                                                 \
  if (const int refused = simulated::refusal_of(#call, simulated::touches::nothing); \
      refused != simulated::success)                                                 \
  return refused
#define TESTDEV_IN_CONTEXT(call) \
  if (const int refused = refusal_in_context(#call); refused != simulated::success) return refused

result cuInit(unsigned) {
  TESTDEV_MAY_FAIL(cuInit);
  return simulated::devices_of("cuda") == 0 ? simulated::no_device : simulated::success;
}

result cuDriverGetVersion(int* version) {
  TESTDEV_MAY_FAIL_ALONE(cuDriverGetVersion);
  *version = simulated::chosen().version;
  return simulated::success;
}

result cuGetErrorName(result code, const char** name) {
  TESTDEV_MAY_FAIL_ALONE(cuGetErrorName);
  switch (code) {
    case simulated::out_of_memory:
      *name = "CUDA_ERROR_OUT_OF_MEMORY";
      break;
    case simulated::illegal_address:
      *name = "CUDA_ERROR_ILLEGAL_ADDRESS";
      break;
    case simulated::invalid_value:
      *name = "CUDA_ERROR_INVALID_VALUE";
      break;
    case simulated::device_unavailable:
      *name = "CUDA_ERROR_DEVICE_UNAVAILABLE";
      break;
    case simulated::launch_failed:
      *name = "CUDA_ERROR_LAUNCH_FAILED";
      break;
    default:
      *name = "CUDA_ERROR_OF_THE_TEST";
  }
  return simulated::success;
}

result cuGetErrorString(result code, const char** words) {
  TESTDEV_MAY_FAIL_ALONE(cuGetErrorString);
  static thread_local char line[64];
  std::snprintf(line, sizeof line, "simulated error %d", code);
  *words = line;
  return simulated::success;
}

result cuDeviceGetCount(int* count) {
  TESTDEV_MAY_FAIL(cuDeviceGetCount);
  *count = simulated::devices_of("cuda");
  return simulated::success;
}

result cuDeviceGet(device_number* number, int index) {
  TESTDEV_MAY_FAIL(cuDeviceGet);
  *number = index;
  return is_device(index) ? simulated::success : simulated::invalid_device;
}

result cuDeviceGetName(char* name, int bytes, device_number device) {
  TESTDEV_MAY_FAIL_ALONE(cuDeviceGetName);
  std::snprintf(name, static_cast<std::size_t>(bytes), "simulated device %d", device);
  return simulated::success;
}

result cuDeviceGetUuid(uuid* number, device_number device) {
  TESTDEV_MAY_FAIL(cuDeviceGetUuid);
  number->bytes.fill(static_cast<char>(device + 1));
  return simulated::success;
}

result cuDeviceTotalMem_v2(std::size_t* bytes, device_number) {
  TESTDEV_MAY_FAIL_ALONE(cuDeviceTotalMem_v2);
  *bytes = simulated::chosen().bytes;
  return simulated::success;
}

result cuDeviceGetAttribute(int* value, int attribute, device_number) {
  TESTDEV_MAY_FAIL(cuDeviceGetAttribute);
  *value = attribute == cuda::pitch_most ? simulated::pitch_most : 1;
  return simulated::success;
}

result cuDevicePrimaryCtxRetain(context* made, device_number device) {
  TESTDEV_MAY_FAIL(cuDevicePrimaryCtxRetain);
  *made = context_of(device);
  return simulated::success;
}

result cuDevicePrimaryCtxRelease_v2(device_number) {
  return simulated::refusal_of("cuDevicePrimaryCtxRelease_v2");
}

result cuCtxPushCurrent_v2(context pushed) {
  TESTDEV_MAY_FAIL_ALONE(cuCtxPushCurrent_v2);
  contexts.push_back(pushed);
  return simulated::success;
}

result cuCtxPopCurrent_v2(context* popped) {
  TESTDEV_MAY_FAIL_ALONE(cuCtxPopCurrent_v2);
  *popped = contexts.back();
  contexts.pop_back();
  return simulated::success;
}

result cuMemAlloc_v2(address* made, std::size_t bytes) {
  TESTDEV_IN_CONTEXT(cuMemAlloc_v2);
  std::uintptr_t view = 0;
  const int code = simulated::allocate(current_device(), bytes, view);
  *made = view;
  return code;
}

result cuMemFree_v2(address memory) {
  TESTDEV_IN_CONTEXT(cuMemFree_v2);
  return simulated::free_memory(memory);
}

result cuMemGetAddressRange_v2(address* base, std::size_t* bytes, address within) {
  TESTDEV_IN_CONTEXT(cuMemGetAddressRange_v2);
  int device = 0;
  std::uintptr_t first = 0;
  if (!simulated::find_memory(within, device, first, *bytes)) return simulated::invalid_value;
  *base = first;
  return simulated::success;
}

result cuMemHostAlloc(void** made, std::size_t bytes, unsigned) {
  TESTDEV_IN_CONTEXT(cuMemHostAlloc);
  return simulated::pin(bytes, *made);
}

result cuMemFreeHost(void* memory) {
  TESTDEV_IN_CONTEXT(cuMemFreeHost);
  return simulated::unpin(memory);
}

result cuMemHostRegister_v2(void* memory, std::size_t bytes, unsigned) {
  TESTDEV_IN_CONTEXT(cuMemHostRegister_v2);
  return simulated::register_host(memory, bytes);
}

result cuMemHostUnregister(void* memory) {
  TESTDEV_IN_CONTEXT(cuMemHostUnregister);
  return simulated::unregister_host(memory);
}

result cuMemcpyAsync(address to, address from, std::size_t bytes, stream in) {
  TESTDEV_IN_CONTEXT(cuMemcpyAsync);
  return simulated::enqueue_copy_as_call(simulated::stream_of(in, current_device()),
                                         {.to = to, .from = from, .bytes = bytes});
}

// As the documentation says, the driver refuses rows that are longer than the pitch, and a pitch
// above its limit.
result cuMemcpy2DAsync_v2(const cuda::rows_copy* rows, stream in) {
  TESTDEV_IN_CONTEXT(cuMemcpy2DAsync_v2);
  const auto fits = [&](const cuda::rows_copy::side& side) {
    return side.kind == cuda::any_memory && side.pitch >= rows->bytes + side.x &&
           side.pitch <= simulated::pitch_most;
  };
  if (!fits(rows->from) || !fits(rows->to)) return simulated::invalid_value;
  return simulated::enqueue_copy_as_call(simulated::stream_of(in, current_device()),
                                         {.to = rows->to.at,
                                          .from = rows->from.at,
                                          .bytes = rows->bytes,
                                          .rows = rows->rows,
                                          .to_pitch = rows->to.pitch,
                                          .from_pitch = rows->from.pitch});
}

result cuStreamWaitValue32_v2(stream in, address at, unsigned value, unsigned) {
  TESTDEV_IN_CONTEXT(cuStreamWaitValue32_v2);
  if (!simulated::is_pinned(at)) return simulated::invalid_value;
  simulated::enqueue_wait(simulated::stream_of(in, current_device()),
                          reinterpret_cast<const std::uint32_t*>(at), value);
  return simulated::success;
}

result cuIpcGetMemHandle(ipc_handle* exported, address memory) {
  TESTDEV_IN_CONTEXT(cuIpcGetMemHandle);
  simulated::handle own{};
  const int code = simulated::export_memory(memory, own);
  std::memcpy(exported->reserved.data(), &own, sizeof own);
  return code;
}

result cuIpcOpenMemHandle_v2(address* opened, ipc_handle exported, unsigned) {
  TESTDEV_IN_CONTEXT(cuIpcOpenMemHandle_v2);
  simulated::handle other{};
  std::memcpy(&other, exported.reserved.data(), sizeof other);
  std::uintptr_t view = 0;
  const int code = simulated::open_memory(current_device(), other, view);
  *opened = view;
  return code;
}

result cuIpcCloseMemHandle(address opened) {
  TESTDEV_IN_CONTEXT(cuIpcCloseMemHandle);
  return simulated::close_memory(opened);
}

// Pinned memory is known too, as belonging to the device for which it was made.
result cuPointerGetAttribute(void* value, int attribute, address of) {
  TESTDEV_IN_CONTEXT(cuPointerGetAttribute);
  int device = current_device();
  std::uintptr_t base = 0;
  std::size_t bytes = 0;
  const bool is_of_device = simulated::find_memory(of, device, base, bytes);
  if (!is_of_device && !simulated::is_pinned(of)) return simulated::invalid_value;
  const unsigned type = is_of_device ? cuda::device_memory : host_memory;
  if (attribute == cuda::memory_type) {
    std::memcpy(value, &type, sizeof type);
    return simulated::success;
  }
  std::memcpy(value, &device, sizeof device);
  return simulated::success;
}

result cuStreamCreate(stream* made, unsigned) {
  TESTDEV_IN_CONTEXT(cuStreamCreate);
  *made = simulated::make_stream(current_device());
  return simulated::success;
}

result cuStreamDestroy_v2(stream ended) {
  simulated::end_stream(static_cast<simulated::stream*>(ended));
  return simulated::refusal_of("cuStreamDestroy_v2");
}

result cuEventCreate(event* made, unsigned) {
  TESTDEV_IN_CONTEXT(cuEventCreate);
  *made = simulated::make_event();
  return simulated::success;
}

result cuEventRecord(event mark, stream in) {
  TESTDEV_IN_CONTEXT(cuEventRecord);
  simulated::record(*static_cast<simulated::event*>(mark),
                    simulated::stream_of(in, current_device()));
  return simulated::success;
}

result cuStreamWaitEvent(stream in, event mark, unsigned) {
  TESTDEV_IN_CONTEXT(cuStreamWaitEvent);
  simulated::enqueue_wait(simulated::stream_of(in, current_device()),
                          *static_cast<simulated::event*>(mark));
  return simulated::success;
}

result cuEventQuery(event mark) {
  TESTDEV_IN_CONTEXT(cuEventQuery);
  return simulated::query(*static_cast<simulated::event*>(mark));
}

result cuEventDestroy_v2(event ended) {
  simulated::end_event(static_cast<simulated::event*>(ended));
  return simulated::refusal_of("cuEventDestroy_v2");
}

result cuDeviceCanAccessPeer(int* can, device_number device, device_number other) {
  TESTDEV_MAY_FAIL(cuDeviceCanAccessPeer);
  *can = device != other && simulated::are_peers(device, other) ? 1 : 0;
  return simulated::success;
}

result cuCtxEnablePeerAccess(context, unsigned) {
  TESTDEV_IN_CONTEXT(cuCtxEnablePeerAccess);
  return simulated::success;
}
