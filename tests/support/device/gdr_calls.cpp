// SPDX-License-Identifier: BSD-3-Clause
//
// The calls of NVIDIA's library gdrapi, over the simulated CUDA device: a window is the memory in
// which the simulation keeps the bytes of the device. TESTDEV_WINDOW is its size; where that is not
// set there is no window, as on a machine without the kernel's module.
#include <atoll/memory/device/gdr_driver.hpp>

#include <dlfcn.h>

#include <cstdlib>
#include <mutex>

namespace gdr = atl::memory::gdr;
using gdr::library;
using gdr::pinned;

extern "C" {
#define TESTDEV_DECLARE(member, returns, symbol, parameters) returns symbol parameters;
ATOLL_GDR_CALLS(TESTDEV_DECLARE)
#undef TESTDEV_DECLARE
}

namespace {

constexpr int refused = 22;  // EINVAL
using reach = void* (*)(const void*, std::size_t);

std::mutex guard;
std::size_t used = 0;

std::size_t window_bytes() {
  const char* const set = std::getenv("TESTDEV_WINDOW");
  return set != nullptr ? std::strtoull(set, nullptr, 10) : 0;
}

void* bytes_of_device(unsigned long address, std::size_t bytes) {
  void* const cuda = ::dlopen("libcuda.so.1", RTLD_NOW | RTLD_NOLOAD);
  if (cuda == nullptr) return nullptr;
  const auto find = reinterpret_cast<reach>(::dlsym(cuda, "testdev_reach"));
  ::dlclose(cuda);
  return find != nullptr ? find(reinterpret_cast<const void*>(address), bytes) : nullptr;
}

}  // namespace

library gdr_open() {
  static int opened = 0;
  return window_bytes() != 0 ? &opened : nullptr;
}

int gdr_pin_buffer(library, unsigned long address, std::size_t bytes, std::uint64_t, std::uint32_t,
                   pinned* made) {
  const std::lock_guard hold(guard);
  const bool has_room = bytes <= window_bytes() - used;
  if (address % gdr::page_bytes != 0 || bytes % gdr::page_bytes != 0 || !has_room) return refused;
  if (bytes_of_device(address, bytes) == nullptr) return refused;
  used += bytes;
  made->number = address;
  return 0;
}

int gdr_unpin_buffer(library, pinned) { return 0; }

int gdr_map(library, pinned memory, void** seen, std::size_t bytes) {
  *seen = bytes_of_device(memory.number, bytes);
  return *seen != nullptr ? 0 : refused;
}

int gdr_unmap(library, pinned, void*, std::size_t bytes) {
  const std::lock_guard hold(guard);
  used -= bytes;
  return 0;
}
