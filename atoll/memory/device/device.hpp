// SPDX-License-Identifier: BSD-3-Clause
//
// The contract of a device with memory of its own, and the kinds of memory. The processor may not
// touch such memory: bytes move by the device's copies alone, which run later, in the order in
// which those of one direction were started. Book-keeping of what is allocated lies elsewhere.
//
// A device of each vendor is one implementation, over a driver that is opened at run time
// (device_list.hpp); no build needs a vendor's toolkit. Copies name addresses of one address space:
// the device's memory, that of other devices, pinned memory and any other memory of the process.
//
// Threads: any; an implementation locks what it must. Nothing here throws or waits for a copy.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

namespace atl::memory {

/// The kinds of memory; the numbers are those of UPC++'s pointers.
enum class memory_kind : std::uint8_t { host = 1, cuda = 2, hip = 3, ze = 4 };
inline constexpr std::array device_kinds{memory_kind::cuda, memory_kind::hip, memory_kind::ze};
constexpr const char* name_of(memory_kind kind) noexcept {
  constexpr std::array names{"any", "host", "cuda", "hip", "ze"};
  return names[static_cast<std::size_t>(kind)];
}

/// The directions of copies: those of one direction end in the order in which they were started.
enum class copy_direction : std::uint8_t { from_device, to_device, between };
inline constexpr std::size_t copy_directions = 3;

/// The vendor's number of a device that is the same in all processes.
using device_uuid = std::array<std::byte, 16>;

/// The means by which another process of the host opens memory of a device; these bytes travel as
/// they are.
struct exported_memory {
  device_uuid device{};
  std::array<std::byte, 64> handle{};  // the driver's, of the allocation
  std::uint64_t offset = 0;            // of the exported part in the allocation

  // Of a driver whose handle contains a descriptor that the opener must fetch itself.
  std::uint32_t process = 0;     // that has it
  std::int32_t descriptor = -1;  // -1: the handle needs nothing
  std::uint64_t file = 0;        // its number, to recognise it
};

/// A device as its driver describes it before it is opened.
struct device_description {
  memory_kind kind = memory_kind::host;
  int index = 0;
  std::string name;
  std::size_t bytes = 0;
  device_uuid uuid{};
};

/// A stream that the program has made by the driver, or by the vendor's library over it.
using program_stream = void*;

/// Rows of `bytes` bytes, each a stride after the one before. Rows that are written do not overlap.
struct row_copy {
  void* to = nullptr;
  std::ptrdiff_t to_stride = 0;
  const void* from = nullptr;
  std::ptrdiff_t from_stride = 0;
  std::size_t bytes = 0;
  std::size_t rows = 0;
};

class device {
 public:
  explicit device(device_description description) : description_(std::move(description)) {}
  device(const device&) = delete;
  device& operator=(const device&) = delete;
  virtual ~device() = default;

  const device_description& description() const noexcept { return description_; }

  /// Memory of the device, aligned to 256 bytes at least; null when there is not enough.
  virtual std::byte* allocate(std::size_t bytes) noexcept = 0;
  /// No copy to or from it may be under way.
  virtual void free(std::byte* memory) noexcept = 0;
  /// Whether these bytes lie in one allocation on this device, also one that others have made.
  virtual bool owns(const void* address, std::size_t bytes) noexcept = 0;

  /// Host memory that the device's copies reach without a copy by the processor; null when the
  /// system gives no more.
  virtual std::byte* pin(std::size_t bytes) noexcept = 0;
  virtual void unpin(std::byte* memory) noexcept = 0;

  /// Starts a copy; returns how many have been started in the direction, this one included. 0: the
  /// device refuses it, and problem() says why.
  virtual std::uint64_t start_copy(copy_direction direction, void* to, const void* from,
                                   std::size_t bytes) noexcept = 0;
  /// Starts the copies of some rows, at least one; the result as above. A device whose engine does
  /// that as one copy says how.
  virtual std::uint64_t start_rows(copy_direction direction, const row_copy& rows) noexcept {
    auto* to = static_cast<std::byte*>(rows.to);
    const auto* from = static_cast<const std::byte*>(rows.from);
    std::uint64_t started = 0;
    for (std::size_t row = 0; row < rows.rows; ++row) {
      started = start_copy(direction, to, from, rows.bytes);
      if (started == 0) break;
      to += rows.to_stride;
      from += rows.from_stride;
    }
    return started;
  }
  /// How many copies in the direction are complete; nothing when the device has failed.
  virtual std::optional<std::uint64_t> copies_done(copy_direction direction) noexcept = 0;

  /// Lets other processes of the host open this memory of the device; false where that cannot be.
  virtual bool export_memory(const void* base, exported_memory& exported) noexcept = 0;
  /// Opens memory of another process; null where that cannot be. Not that of this process.
  virtual std::byte* open(const exported_memory& exported) noexcept = 0;
  virtual void close(std::byte* opened, const exported_memory& exported) noexcept = 0;

  /// Whether this device copies to and from memory of that one without a stop in host memory.
  virtual bool reaches(const device_uuid& other) noexcept = 0;

  // --- the program's streams: of the kind that this device's driver gives; none of these waits ---

  /// Marks the end of what the program has put on a stream; null when the device refuses, or has no
  /// such thing.
  virtual void* mark(program_stream) noexcept { return nullptr; }
  /// Whether the device has come to a mark; nothing when it has failed. An event that the program
  /// has recorded is a mark too.
  virtual std::optional<bool> has_passed(void*) noexcept { return std::nullopt; }
  virtual void forget(void*) noexcept {}
  /// The stream stops here until `flag`, in pinned memory, is not 0. False when the device refuses,
  /// or has no such thing.
  virtual bool stall(program_stream, std::uint32_t*) noexcept { return false; }

  /// The driver's words for the call that failed last, and what to do about it.
  virtual std::string problem() const = 0;
  virtual std::string remedy() const = 0;

 private:
  device_description description_;
};

}  // namespace atl::memory
