// SPDX-License-Identifier: BSD-3-Clause
//
// The walk over regions of memory, and the loops around the system's calls, which may do less than
// they are asked for.
#include <front/upc/file_transfer.hpp>

#include <atoll_upc/access.h>

#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdint>
#include <cstring>
#include <memory>
#include <span>

namespace atl::upc {
namespace {

constexpr std::size_t buffer_bytes = std::size_t{1} << 20;

class memory_walk {
 public:
  memory_walk(std::span<const memory_region> regions, std::size_t skipped) : regions_(regions) {
    while (!regions_.empty() && skipped >= regions_.front().bytes) {
      skipped -= regions_.front().bytes;
      regions_ = regions_.subspan(1);
    }
    position_ = skipped;
  }

  /// Copies the next bytes of memory to `buffer`, or from there.
  void copy(char* buffer, std::size_t bytes, bool to_memory) {
    while (bytes != 0) {
      const memory_region& region = regions_.front();
      const std::size_t left = region.bytes - position_;
      const std::size_t done = region.local != nullptr
                                   ? copy_local(buffer, std::min(bytes, left), to_memory)
                                   : copy_shared(buffer, std::min(bytes, left), to_memory);
      buffer += done;
      bytes -= done;
      position_ += done;
      if (position_ == region.bytes) {
        regions_ = regions_.subspan(1);
        position_ = 0;
      }
    }
  }

 private:
  std::size_t copy_local(char* buffer, std::size_t bytes, bool to_memory) const {
    char* const memory = regions_.front().local + position_;
    std::memcpy(to_memory ? memory : buffer, to_memory ? buffer : memory, bytes);
    return bytes;
  }

  // Copies up to the end of the block.
  std::size_t copy_shared(char* buffer, std::size_t bytes, bool to_memory) const {
    const memory_region& region = regions_.front();
    atoll_upc_pointer block = region.shared;
    if (region.block_bytes == 0) {
      block.offset += position_;
    } else {
      const std::size_t within = position_ % region.block_bytes;
      const std::size_t number = block.thread + position_ / region.block_bytes;
      const auto threads = static_cast<std::size_t>(atoll_upc_threads);
      block.offset += number / threads * region.block_bytes + within;
      block.thread = static_cast<std::uint32_t>(number % threads);
      bytes = std::min(bytes, region.block_bytes - within);
    }
    const atoll_route& row = atoll_upc_routes[block.thread];
    if (block.offset != 0 && block.offset + bytes <= row.word_places) {
      char* const memory = row.local + block.offset;
      std::memcpy(to_memory ? memory : buffer, to_memory ? buffer : memory, bytes);
    } else if (to_memory) {
      atoll_upc_put(block, buffer, bytes);
    } else {
      atoll_upc_get(buffer, block, bytes);
    }
    return bytes;
  }

  std::span<const memory_region> regions_;
  std::size_t position_ = 0;  // in the first of them
};

/// Reads or writes all of the bytes; a read ends at the end of the file. Returns the number of
/// bytes, or -1 with errno.
ssize_t transfer_piece(const file_request& asked, char* buffer, std::size_t bytes, off_t place) {
  std::size_t done = 0;
  while (done < bytes) {
    const off_t position = place + static_cast<off_t>(done);
    const ssize_t moved = asked.writes
                              ? ::pwrite(asked.descriptor, buffer + done, bytes - done, position)
                              : ::pread(asked.descriptor, buffer + done, bytes - done, position);
    if (moved < 0 && errno == EINTR) continue;
    if (moved < 0) return -1;
    if (moved == 0) break;
    done += static_cast<std::size_t>(moved);
  }
  return static_cast<ssize_t>(done);
}

}  // namespace

file_result transfer(const file_request& asked) {
  memory_walk memory(asked.memory, asked.skipped);
  const auto buffer = std::make_unique<char[]>(buffer_bytes);
  file_result done;
  for (const upc_filevec_t& place : asked.places) {
    for (std::size_t position = 0; position < place.len;) {
      const std::size_t piece = std::min(place.len - position, buffer_bytes);
      if (asked.writes) memory.copy(buffer.get(), piece, false);
      const ssize_t moved =
          transfer_piece(asked, buffer.get(), piece, place.offset + static_cast<off_t>(position));
      if (moved < 0) return {-1, errno};
      if (!asked.writes) memory.copy(buffer.get(), static_cast<std::size_t>(moved), true);
      done.bytes += moved;
      if (static_cast<std::size_t>(moved) < piece) return done;
      position += piece;
    }
  }
  return done;
}

}  // namespace atl::upc
