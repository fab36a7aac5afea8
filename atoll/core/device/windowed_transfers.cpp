// SPDX-License-Identifier: BSD-3-Clause
//
// Transfers of a few bytes: the processor copies them by itself, through a window of a device of
// this rank (window.hpp), so that no engine has to begin. Stores through a window are combined on
// their way; a full fence after them sends them off before the operation counts as complete. A load
// waits for the bus, so far fewer bytes are read than are written.
#include <atoll/core/device/device_transfers.hpp>

#include <atoll/base/copy.hpp>
#include <atoll/core/job/runtime.hpp>
#include <atoll/core/segment/segment_access.hpp>

#include <algorithm>
#include <atomic>

namespace atl {

void device_transfers::map_part(const segment_part& part) {
  const memory::mapped_window made =
      memory::map_window(part.device->description(), {part.base, part.bytes});
  if (made.memory == nullptr) return;
  const std::lock_guard hold(guard_);
  windows_.push_back(made);
  has_windows_.store(true, std::memory_order_relaxed);
}

void device_transfers::unmap_part(const segment_part& part) noexcept {
  memory::mapped_window gone;
  {
    const std::lock_guard hold(guard_);
    const auto found = std::ranges::find_if(windows_, [&](const memory::mapped_window& each) {
      return each.memory >= part.base && each.memory < part.base + part.bytes;
    });
    if (found == windows_.end()) return;
    gone = *found;
    windows_.erase(found);
    has_windows_.store(!windows_.empty(), std::memory_order_relaxed);
  }
  memory::unmap_window(gone);
}

std::byte* device_transfers::window_at(const std::byte* address, std::size_t bytes) const noexcept {
  if (!has_windows_.load(std::memory_order_relaxed)) return nullptr;
  const std::lock_guard hold(guard_);
  for (const memory::mapped_window& each : windows_)
    if (std::byte* const seen = each.find(address, bytes); seen != nullptr) return seen;
  return nullptr;
}

bool device_transfers::write_window(std::byte* to, const std::byte* from,
                                    std::size_t bytes) noexcept {
  std::byte* const seen = bytes <= window_write_most ? window_at(to, bytes) : nullptr;
  if (seen == nullptr) return false;
  copy_bytes(seen, from, bytes);
  std::atomic_thread_fence(std::memory_order_seq_cst);  // sends off what is combined
  windowed_bytes_.fetch_add(bytes, std::memory_order_relaxed);
  return true;
}

bool device_transfers::read_window(std::byte* to, const std::byte* from,
                                   std::size_t bytes) noexcept {
  const std::byte* const seen = bytes <= window_read_most ? window_at(from, bytes) : nullptr;
  if (seen == nullptr) return false;
  copy_bytes(to, seen, bytes);
  fence_stores();
  windowed_bytes_.fetch_add(bytes, std::memory_order_relaxed);
  return true;
}

// One end must be memory of a device of this rank, and the other host memory that is mapped here.
bool device_transfers::go_through_window(const device_request& request) noexcept {
  if (!has_windows_.load(std::memory_order_relaxed)) return false;
  const bool is_own = request.peer == owner_.rank();
  if (!is_own && (always_staged_ || !owner_.is_neighbour(request.peer))) return false;
  if (segment_access::is_on_device(request.memory, request.peer)) {
    if (!is_own || request.device != nullptr) return false;
    return request.is_put ? write_window(request.remote, request.local, request.bytes)
                          : read_window(request.local, request.remote, request.bytes);
  }
  std::byte* const mapped =
      is_own ? request.remote
             : request.memory.routes()[request.peer].direct(request.remote, request.bytes);
  if (mapped == nullptr) return false;
  return request.is_put ? read_window(mapped, request.local, request.bytes)
                        : write_window(request.local, mapped, request.bytes);
}

}  // namespace atl
