// SPDX-License-Identifier: BSD-3-Clause
//
// Maps windows by NVIDIA's library. The library is opened when a segment is first made on a device
// that it may suit, and stays open. It wants addresses and sizes in whole pages of the device.
#include <atoll/memory/device/window.hpp>

#include <atoll/base/rounding.hpp>
#include <atoll/base/system/kept_signals.hpp>
#include <atoll/memory/device/gdr_driver.hpp>

#include <dlfcn.h>

namespace atl::memory {
namespace {

using gdr::library;
using gdr::pinned;

struct gdr_calls {
#define ATOLL_GDR_MEMBER(member, returns, symbol, parameters) returns(*member) parameters = nullptr;
  ATOLL_GDR_CALLS(ATOLL_GDR_MEMBER)
#undef ATOLL_GDR_MEMBER

  library opened = nullptr;  // null: nothing else may be called
};

bool find_calls(void* handle, gdr_calls& calls) noexcept {
#define ATOLL_GDR_FIND(member, returns, symbol, parameters)                          \
  calls.member = reinterpret_cast<decltype(calls.member)>(::dlsym(handle, #symbol)); \
  if (calls.member == nullptr) return false;
  ATOLL_GDR_CALLS(ATOLL_GDR_FIND)
#undef ATOLL_GDR_FIND
  return true;
}

gdr_calls open_once() noexcept {
  gdr_calls calls;
  const kept_signals kept;
  void* const handle = ::dlopen(gdr::library_name, RTLD_NOW | RTLD_LOCAL);
  if (handle != nullptr && find_calls(handle, calls)) calls.opened = calls.open();
  return calls;
}

const gdr_calls& calls_of_library() noexcept {
  static const gdr_calls calls = open_once();
  return calls;
}

}  // namespace

mapped_window map_window(const device_description& device, std::span<std::byte> memory) noexcept {
  if (device.kind != memory_kind::cuda) return {};
  const gdr_calls& calls = calls_of_library();
  if (calls.opened == nullptr) return {};
  const auto first = reinterpret_cast<std::uintptr_t>(memory.data());
  const std::uintptr_t begin = round_up(first, gdr::page_bytes);
  const std::uintptr_t end = round_down(first + memory.size(), gdr::page_bytes);
  if (begin >= end) return {};
  pinned taken;
  if (calls.pin(calls.opened, begin, end - begin, 0, 0, &taken) != 0) return {};
  void* seen = nullptr;
  if (calls.map(calls.opened, taken, &seen, end - begin) != 0) {
    calls.unpin(calls.opened, taken);
    return {};
  }
  return {.memory = memory.data() + (begin - first),
          .seen = static_cast<std::byte*>(seen),
          .bytes = end - begin,
          .handle = taken.number};
}

void unmap_window(const mapped_window& window) noexcept {
  if (window.memory == nullptr) return;
  const gdr_calls& calls = calls_of_library();
  const pinned taken{static_cast<unsigned long>(window.handle)};
  calls.unmap(calls.opened, taken, window.seen, window.bytes);
  calls.unpin(calls.opened, taken);
}

}  // namespace atl::memory
