// SPDX-License-Identifier: BSD-3-Clause
//
// Ranges of this process's addresses, and what is mapped where, as /proc/self/maps tells it: read
// anew each time, without allocating.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace atl::memory {

struct address_range {
  std::uintptr_t begin = 0;
  std::uintptr_t end = 0;

  std::size_t bytes() const noexcept { return end - begin; }
  bool overlaps(const address_range& other) const noexcept {
    return begin < other.end && other.begin < end;
  }
  bool holds(const address_range& other) const noexcept {
    return begin <= other.begin && other.end <= end;
  }
};

inline address_range range_of(const void* address, std::size_t bytes) noexcept {
  const auto begin = reinterpret_cast<std::uintptr_t>(address);
  return {begin, begin + bytes};
}

/// The pages that a range touches.
address_range pages_of(const address_range& range) noexcept;

/// One mapping of this process.
struct mapped {
  address_range range;
  bool plain = false;  // private, of no file and of no other object: no other process changes it
  bool shared = false;
  std::uint64_t offset = 0;  // in its file
  std::uint64_t device = 0;  // of its file, major and minor number in one
  std::uint64_t inode = 0;   // of its file; 0: none
};

/// Reads one line of /proc/self/maps; false when it makes no sense.
bool read_mapping(std::string_view line, mapped& found) noexcept;

/// Reads the mappings from the lowest address on.
class mapping_reader {
 public:
  mapping_reader() noexcept;
  mapping_reader(const mapping_reader&) = delete;
  mapping_reader& operator=(const mapping_reader&) = delete;
  ~mapping_reader();

  /// False at the end, and where nothing can be read.
  bool next(mapped& found) noexcept;

 private:
  bool next_line(std::string_view& line) noexcept;

  int file_;
  std::size_t begin_ = 0;  // of what has been read and was not given out
  std::size_t end_ = 0;
  char text_[8192];
};

}  // namespace atl::memory
