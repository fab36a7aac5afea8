// SPDX-License-Identifier: BSD-3-Clause
//
// A device that this rank has opened, with the copies that are under way on it and the pinned
// memory through which transfers are staged. A copy belongs to a chunk; collect() returns the
// chunks whose copies are complete, in the order in which those of one direction were started.
//
// Threads: any.
#pragma once

#include <atoll/core/strided/scattered.hpp>
#include <atoll/memory/device/device.hpp>

#include <array>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <mutex>
#include <span>
#include <utility>
#include <vector>

namespace atl {

struct device_chunk;

class device_queue {
 public:
  /// Stages through at most `staging_bytes` of pinned memory, in slots of `slot_bytes`.
  device_queue(std::unique_ptr<memory::device> opened, std::size_t slot_bytes,
               std::size_t staging_bytes);
  device_queue(const device_queue&) = delete;
  device_queue& operator=(const device_queue&) = delete;
  ~device_queue();

  memory::device& device() noexcept { return *device_; }

  /// False: the device refuses the copy.
  bool start_copy(memory::copy_direction direction, void* to, const void* from, std::size_t bytes,
                  device_chunk& part_of) noexcept;
  /// The same for rows, of which `to` and `from` are equal in number and shape.
  bool start_rows(memory::copy_direction direction, std::span<const run_row> to,
                  std::span<const run_row> from, device_chunk& part_of) noexcept;
  /// Appends the chunks whose copies are complete. Returns null; when the device has failed, the
  /// first chunk whose copy is not complete.
  const device_chunk* collect(std::vector<device_chunk*>& complete);

  /// A slot of pinned memory for this many bytes; null when all are in use. When the system gives
  /// no pinned memory at all there is one slot that is not pinned.
  std::byte* take_slot(std::size_t bytes);
  void give_back(std::byte* taken) noexcept;

 private:
  struct copy {
    std::uint64_t number;
    device_chunk* part_of;
  };
  struct slot {
    std::byte* memory;
    bool is_pinned;
    bool is_split;  // into small slots, of which each holds a small chunk
  };
  static constexpr std::size_t parts_of_slot = 8;

  std::byte* take_large();
  bool split_one();
  bool is_small(const std::byte* taken) const noexcept;

  std::unique_ptr<memory::device> device_;
  std::size_t slot_bytes_;
  std::size_t slots_max_;
  std::mutex guard_;
  std::array<std::deque<copy>, memory::copy_directions> directions_;
  std::vector<slot> slots_;
  std::vector<std::byte*> free_;
  std::vector<std::byte*> free_small_;
};

}  // namespace atl
