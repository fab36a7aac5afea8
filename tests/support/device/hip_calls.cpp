// SPDX-License-Identifier: BSD-3-Clause
//
// The calls of HIP's library, over the simulated device. They are declared by the same table as
// Atoll's own, so a call that the table names and that is missing here fails to link.
#include <atoll/memory/device/hip_driver.hpp>
#include <tests/support/device/simulated.hpp>

#include <cstdio>
#include <cstring>

namespace hip = atl::memory::hip;
using hip::address;
using hip::device_number;
using hip::event;
using hip::ipc_handle;
using hip::result;
using hip::stream;
using hip::uuid;
using hip::words;

extern "C" {
#define TESTDEV_DECLARE(member, returns, symbol, page, parameters) returns symbol parameters;
ATOLL_HIP_CALLS(TESTDEV_DECLARE)
#undef TESTDEV_DECLARE
result hipStreamWaitEvent(stream, event, unsigned);  // called by test programs only
}

namespace {

thread_local int current = 0;

bool is_device(int number) { return number >= 0 && number < simulated::devices_of("hip"); }

std::uintptr_t number_of(const void* pointer) { return reinterpret_cast<std::uintptr_t>(pointer); }
void* pointer_to(std::uintptr_t number) { return reinterpret_cast<void*>(number); }

}  // namespace

#define TESTDEV_MAY_FAIL(call)                                                         \
  if (const int refused = simulated::refusal_of(#call); refused != simulated::success) \
  return refused
// For a call that does not touch the device.
#define TESTDEV_MAY_FAIL_ALONE(call)                                                 \
  if (const int refused = simulated::refusal_of(#call, simulated::touches::nothing); \
      refused != simulated::success)                                                 \
  return refused

result hipInit(unsigned) {
  TESTDEV_MAY_FAIL(hipInit);
  return simulated::devices_of("hip") == 0 ? simulated::no_device : simulated::success;
}

result hipRuntimeGetVersion(int* version) {
  TESTDEV_MAY_FAIL_ALONE(hipRuntimeGetVersion);
  *version = simulated::chosen().hip_version;
  return simulated::success;
}

words hipGetErrorName(result code) {
  if (simulated::refusal_of("hipGetErrorName", simulated::touches::nothing) != simulated::success)
    return nullptr;
  switch (code) {
    case simulated::out_of_memory:
      return "hipErrorOutOfMemory";
    case simulated::illegal_address:
      return "hipErrorIllegalAddress";
    case simulated::invalid_value:
      return "hipErrorInvalidValue";
    case simulated::no_device:
      return "hipErrorNoDevice";
    default:
      return "hipErrorOfTheTest";
  }
}

words hipGetErrorString(result code) {
  if (simulated::refusal_of("hipGetErrorString", simulated::touches::nothing) != simulated::success)
    return nullptr;
  static thread_local char line[64];
  std::snprintf(line, sizeof line, "simulated error %d", code);
  return line;
}

result hipGetDeviceCount(int* count) {
  TESTDEV_MAY_FAIL(hipGetDeviceCount);
  *count = simulated::devices_of("hip");
  return simulated::success;
}

result hipDeviceGet(device_number* number, int index) {
  TESTDEV_MAY_FAIL(hipDeviceGet);
  *number = index;
  return is_device(index) ? simulated::success : simulated::invalid_device;
}

result hipDeviceGetName(char* name, int bytes, device_number device) {
  TESTDEV_MAY_FAIL_ALONE(hipDeviceGetName);
  std::snprintf(name, static_cast<std::size_t>(bytes), "simulated HIP device %d", device);
  return simulated::success;
}

result hipDeviceGetUuid(uuid* number, device_number device) {
  TESTDEV_MAY_FAIL(hipDeviceGetUuid);
  number->bytes.fill(static_cast<char>(0x10 + device + 1));
  return simulated::success;
}

result hipDeviceTotalMem(std::size_t* bytes, device_number) {
  TESTDEV_MAY_FAIL_ALONE(hipDeviceTotalMem);
  *bytes = simulated::chosen().bytes;
  return simulated::success;
}

result hipSetDevice(int device) {
  TESTDEV_MAY_FAIL(hipSetDevice);
  if (!is_device(device)) return simulated::invalid_device;
  current = device;
  return simulated::success;
}

result hipGetDevice(int* device) {
  TESTDEV_MAY_FAIL_ALONE(hipGetDevice);
  *device = current;
  return simulated::success;
}

result hipMalloc(void** made, std::size_t bytes) {
  TESTDEV_MAY_FAIL(hipMalloc);
  std::uintptr_t view = 0;
  const int code = simulated::allocate(current, bytes, view);
  *made = pointer_to(view);
  return code;
}

result hipFree(void* memory) {
  TESTDEV_MAY_FAIL(hipFree);
  return simulated::free_memory(number_of(memory));
}

result hipMemGetAddressRange(address* base, std::size_t* bytes, address within) {
  TESTDEV_MAY_FAIL(hipMemGetAddressRange);
  int device = 0;
  std::uintptr_t first = 0;
  if (!simulated::find_memory(number_of(within), device, first, *bytes))
    return simulated::invalid_value;
  *base = pointer_to(first);
  return simulated::success;
}

result hipHostMalloc(void** made, std::size_t bytes, unsigned) {
  TESTDEV_MAY_FAIL(hipHostMalloc);
  return simulated::pin(bytes, *made);
}

result hipHostFree(void* memory) {
  TESTDEV_MAY_FAIL(hipHostFree);
  return simulated::unpin(memory);
}

result hipHostRegister(void* memory, std::size_t bytes, unsigned) {
  TESTDEV_MAY_FAIL(hipHostRegister);
  return simulated::register_host(memory, bytes);
}

result hipHostUnregister(void* memory) {
  TESTDEV_MAY_FAIL(hipHostUnregister);
  return simulated::unregister_host(memory);
}

result hipMemcpyAsync(void* to, const void* from, std::size_t bytes, int kind, stream in) {
  TESTDEV_MAY_FAIL(hipMemcpyAsync);
  if (kind != hip::copy_default) return simulated::invalid_value;
  return simulated::enqueue_copy_as_call(
      simulated::stream_of(in, current),
      {.to = number_of(to), .from = number_of(from), .bytes = bytes});
}

result hipMemcpy2DAsync(void* to, std::size_t to_pitch, const void* from, std::size_t from_pitch,
                        std::size_t bytes, std::size_t rows, int kind, stream in) {
  TESTDEV_MAY_FAIL(hipMemcpy2DAsync);
  const bool fits = to_pitch >= bytes && from_pitch >= bytes && to_pitch <= simulated::pitch_most &&
                    from_pitch <= simulated::pitch_most;
  if (!fits || kind != hip::copy_default) return simulated::invalid_value;
  return simulated::enqueue_copy_as_call(simulated::stream_of(in, current),
                                         {.to = number_of(to),
                                          .from = number_of(from),
                                          .bytes = bytes,
                                          .rows = rows,
                                          .to_pitch = to_pitch,
                                          .from_pitch = from_pitch});
}

result hipStreamWaitValue32(stream in, void* word, std::uint32_t value, unsigned flags,
                            std::uint32_t mask) {
  TESTDEV_MAY_FAIL(hipStreamWaitValue32);
  if (!simulated::is_pinned(number_of(word)) || flags != hip::wait_for_least || mask != ~0U)
    return simulated::invalid_value;
  simulated::enqueue_wait(simulated::stream_of(in, current),
                          static_cast<const std::uint32_t*>(word), value);
  return simulated::success;
}

result hipIpcGetMemHandle(ipc_handle* exported, void* memory) {
  TESTDEV_MAY_FAIL(hipIpcGetMemHandle);
  simulated::handle own{};
  const int code = simulated::export_memory(number_of(memory), own);
  std::memcpy(exported->reserved.data(), &own, sizeof own);
  return code;
}

result hipIpcOpenMemHandle(void** opened, ipc_handle exported, unsigned) {
  TESTDEV_MAY_FAIL(hipIpcOpenMemHandle);
  simulated::handle other{};
  std::memcpy(&other, exported.reserved.data(), sizeof other);
  std::uintptr_t view = 0;
  const int code = simulated::open_memory(current, other, view);
  *opened = pointer_to(view);
  return code;
}

result hipIpcCloseMemHandle(void* opened) {
  TESTDEV_MAY_FAIL(hipIpcCloseMemHandle);
  return simulated::close_memory(number_of(opened));
}

result hipPointerGetAttribute(void* value, int, address asked) {
  TESTDEV_MAY_FAIL(hipPointerGetAttribute);
  int device = 0;
  std::uintptr_t base = 0;
  std::size_t bytes = 0;
  if (!simulated::find_memory(number_of(asked), device, base, bytes))
    return simulated::invalid_value;
  std::memcpy(value, &device, sizeof device);
  return simulated::success;
}

result hipStreamCreateWithFlags(stream* made, unsigned) {
  TESTDEV_MAY_FAIL(hipStreamCreateWithFlags);
  *made = simulated::make_stream(current);
  return simulated::success;
}

result hipStreamDestroy(stream ended) {
  simulated::end_stream(static_cast<simulated::stream*>(ended));
  return simulated::refusal_of("hipStreamDestroy");
}

result hipEventCreateWithFlags(event* made, unsigned) {
  TESTDEV_MAY_FAIL(hipEventCreateWithFlags);
  *made = simulated::make_event();
  return simulated::success;
}

result hipEventRecord(event mark, stream in) {
  TESTDEV_MAY_FAIL(hipEventRecord);
  simulated::record(*static_cast<simulated::event*>(mark), simulated::stream_of(in, current));
  return simulated::success;
}

result hipStreamWaitEvent(stream in, event mark, unsigned) {
  TESTDEV_MAY_FAIL(hipStreamWaitEvent);
  simulated::enqueue_wait(simulated::stream_of(in, current), *static_cast<simulated::event*>(mark));
  return simulated::success;
}

result hipEventQuery(event mark) {
  TESTDEV_MAY_FAIL(hipEventQuery);
  return simulated::query(*static_cast<simulated::event*>(mark));
}

result hipEventDestroy(event ended) {
  simulated::end_event(static_cast<simulated::event*>(ended));
  return simulated::refusal_of("hipEventDestroy");
}

result hipDeviceCanAccessPeer(int* can, int device, int other) {
  TESTDEV_MAY_FAIL(hipDeviceCanAccessPeer);
  *can = device != other && simulated::are_peers(device, other) ? 1 : 0;
  return simulated::success;
}
