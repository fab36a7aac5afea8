// SPDX-License-Identifier: BSD-3-Clause
//
// The simulated device's memory. An allocation is a memory file with a page in front that says
// whether it still exists, so that a process that has opened it notices when its owner frees it.
#include <tests/support/device/simulated.hpp>

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <atomic>
#include <cstdlib>
#include <map>
#include <mutex>

namespace simulated {

namespace {

constexpr std::size_t page = 4096;

struct allocation {
  int device;
  int descriptor;  // -1: of another process
  std::size_t bytes;
  std::byte* real;  // the page in front, then the bytes

  std::size_t mapped() const { return page + (bytes + page - 1) / page * page; }
  std::atomic_ref<std::uint32_t> freed() const {
    return std::atomic_ref(*reinterpret_cast<std::uint32_t*>(real));
  }
};

std::mutex guard;
std::map<std::uintptr_t, allocation> allocations;  // by the address that programs see
struct pinned_range {
  std::size_t bytes;
  bool is_registered;  // memory of the program
};
std::map<std::uintptr_t, pinned_range> pinned;
std::uint64_t pinned_bytes = 0;
std::map<int, std::uint64_t> used;  // by device

/// Maps an allocation's file, and reserves a range of addresses for programs without access.
int map(allocation made, std::uintptr_t& seen) {
  void* const real =
      ::mmap(nullptr, made.mapped(), PROT_READ | PROT_WRITE, MAP_SHARED, made.descriptor, 0);
  void* const view = ::mmap(nullptr, made.mapped() - page, PROT_NONE,
                            MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (real == MAP_FAILED || view == MAP_FAILED) return out_of_memory;
  made.real = static_cast<std::byte*>(real);
  seen = reinterpret_cast<std::uintptr_t>(view);
  allocations.emplace(seen, made);
  return success;
}

void unmap(std::map<std::uintptr_t, allocation>::iterator which) {
  ::munmap(which->second.real, which->second.mapped());
  ::munmap(reinterpret_cast<void*>(which->first), which->second.mapped() - page);
  if (which->second.descriptor >= 0) ::close(which->second.descriptor);
  allocations.erase(which);
}

/// The entry of a map of ranges that an address lies in.
template <class Map>
auto around(Map& ranges, std::uintptr_t address) {
  auto found = ranges.upper_bound(address);
  if (found == ranges.begin()) return ranges.end();
  --found;
  return address - found->first < found->second.bytes ? found : ranges.end();
}
auto around(std::uintptr_t address) { return around(allocations, address); }

/// Ends the pinning of a range of host memory.
int end_pinned(std::uintptr_t memory, bool is_registered, int otherwise) {
  const auto found = pinned.find(memory);
  if (found == pinned.end() || found->second.is_registered != is_registered) return otherwise;
  pinned_bytes -= found->second.bytes;
  pinned.erase(found);
  return success;
}

}  // namespace

int allocate(int device, std::size_t bytes, std::uintptr_t& made) {
  const std::lock_guard hold(guard);
  if (bytes == 0) return invalid_value;
  if (bytes > chosen().bytes - used[device]) return out_of_memory;
  allocation fresh{.device = device,
                   .descriptor = ::memfd_create("device memory", MFD_CLOEXEC),
                   .bytes = bytes,
                   .real = nullptr};
  if (fresh.descriptor < 0 ||
      ::ftruncate(fresh.descriptor, static_cast<off_t>(fresh.mapped())) != 0)
    return out_of_memory;
  const int result = map(fresh, made);
  if (result == success) used[device] += bytes;
  return result;
}

int free_memory(std::uintptr_t base) {
  const std::lock_guard hold(guard);
  const auto found = allocations.find(base);
  if (found == allocations.end() || found->second.descriptor < 0) return invalid_value;
  found->second.freed().store(1);
  used[found->second.device] -= found->second.bytes;
  unmap(found);
  return success;
}

int export_memory(std::uintptr_t base, handle& exported) {
  const std::lock_guard hold(guard);
  const auto found = allocations.find(base);
  if (!chosen().exports) return not_supported;
  if (found == allocations.end() || found->second.descriptor < 0) return invalid_value;
  exported = {.process = ::getpid(),
              .descriptor = found->second.descriptor,
              .device = found->second.device,
              .unused = 0,
              .bytes = found->second.bytes,
              .rest = {}};
  return success;
}

int open_memory(int device, const handle& exported, std::uintptr_t& opened) {
  const std::lock_guard hold(guard);
  if (!chosen().opens) return not_supported;
  if (exported.process == ::getpid()) return invalid_context;  // as CUDA 13.0 does
  if (!are_peers(device, exported.device)) return peer_access_unsupported;
  const std::string process =
      exported.process == 0 ? std::string("self") : std::to_string(exported.process);
  const std::string path = "/proc/" + process + "/fd/" + std::to_string(exported.descriptor);
  const int descriptor = ::open(path.c_str(), O_RDWR | O_CLOEXEC);
  if (descriptor < 0) return invalid_handle;
  allocation other{.device = exported.device,
                   .descriptor = descriptor,
                   .bytes = exported.bytes,
                   .real = nullptr};
  const int result = map(other, opened);
  ::close(descriptor);
  if (result == success) allocations.at(opened).descriptor = -1;
  return result;
}

int close_memory(std::uintptr_t base) {
  const std::lock_guard hold(guard);
  const auto found = allocations.find(base);
  if (found == allocations.end() || found->second.descriptor >= 0) return invalid_value;
  unmap(found);
  return success;
}

bool find_memory(std::uintptr_t address, int& device, std::uintptr_t& base, std::size_t& bytes) {
  const std::lock_guard hold(guard);
  const auto found = around(address);
  if (found == allocations.end()) return false;
  device = found->second.device;
  base = found->first;
  bytes = found->second.bytes;
  return true;
}

std::byte* bytes_behind(std::uintptr_t address, std::size_t bytes, bool& on_device) {
  const std::lock_guard hold(guard);
  const auto found = around(address);
  on_device = found != allocations.end();
  if (!on_device) return reinterpret_cast<std::byte*>(address);
  const std::size_t offset = address - found->first;
  if (bytes > found->second.bytes - offset || found->second.freed().load() != 0) return nullptr;
  return found->second.real + page + offset;
}

void* testdev_reach(const void* address, std::size_t bytes) {
  bool on_device = false;
  std::byte* const found =
      bytes_behind(reinterpret_cast<std::uintptr_t>(address), bytes, on_device);
  return on_device ? found : nullptr;
}

int pin(std::size_t bytes, void*& made) {
  const std::lock_guard hold(guard);
  if (bytes > chosen().pinned - pinned_bytes) return out_of_memory;
  made = std::aligned_alloc(page, (bytes + page - 1) / page * page);
  if (made == nullptr) return out_of_memory;
  pinned_bytes += bytes;
  pinned.emplace(reinterpret_cast<std::uintptr_t>(made), pinned_range{bytes, false});
  return success;
}

int unpin(void* memory) {
  const std::lock_guard hold(guard);
  const int ended = end_pinned(reinterpret_cast<std::uintptr_t>(memory), false, invalid_value);
  if (ended == success) std::free(memory);
  return ended;
}

int register_host(void* memory, std::size_t bytes) {
  const std::lock_guard hold(guard);
  const auto first = reinterpret_cast<std::uintptr_t>(memory);
  if (bytes == 0) return invalid_value;
  const auto next = pinned.lower_bound(first);
  const bool overlaps_next = next != pinned.end() && next->first - first < bytes;
  if (overlaps_next || around(pinned, first) != pinned.end()) return already_registered;
  if (bytes > chosen().pinned - pinned_bytes) return out_of_memory;
  pinned_bytes += bytes;
  pinned.emplace(first, pinned_range{bytes, true});
  return success;
}

int unregister_host(void* memory) {
  const std::lock_guard hold(guard);
  return end_pinned(reinterpret_cast<std::uintptr_t>(memory), true, not_registered);
}

bool is_pinned(std::uintptr_t address) {
  const std::lock_guard hold(guard);
  return around(pinned, address) != pinned.end();
}

pinning pinning_of(std::uintptr_t address, std::size_t bytes) {
  const std::lock_guard hold(guard);
  const auto found = around(pinned, address);
  if (found != pinned.end())
    return bytes <= found->second.bytes - (address - found->first) ? pinning::whole : pinning::part;
  const auto next = pinned.lower_bound(address);
  return next != pinned.end() && next->first - address < bytes ? pinning::part : pinning::none;
}

}  // namespace simulated
