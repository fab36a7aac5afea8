// SPDX-License-Identifier: BSD-3-Clause
//
// Reading /proc/self/maps. A line is "begin-end rwxp offset device inode name"; names are not cut
// off by the kernel, so a line may be longer than the buffer, and then its beginning is enough.
#include <atoll/memory/mappings.hpp>

#include <atoll/base/halves.hpp>
#include <atoll/base/rounding.hpp>
#include <atoll/base/system/memory_limits.hpp>

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cstring>

namespace atl::memory {

namespace {

/// Takes the word up to `end` off the front of the line.
std::string_view take_word(std::string_view& line, char end) noexcept {
  const std::size_t position = line.find(end);
  const std::string_view word = line.substr(0, position);
  line.remove_prefix(position == std::string_view::npos ? line.size() : position + 1);
  return word;
}

bool read_number(std::string_view word, int base, std::uintptr_t& number) noexcept {
  const char* const end = word.data() + word.size();
  const auto [stop, failed] = std::from_chars(word.data(), end, number, base);
  return failed == std::errc() && stop == end;
}

}  // namespace

address_range pages_of(const address_range& range) noexcept {
  const std::size_t page = kernel_page_bytes();
  return {round_down(range.begin, page), round_up(range.end, page)};
}

bool read_mapping(std::string_view line, mapped& found) noexcept {
  found = {};
  if (!read_number(take_word(line, '-'), 16, found.range.begin)) return false;
  if (!read_number(take_word(line, ' '), 16, found.range.end)) return false;
  const std::string_view rights = take_word(line, ' ');
  if (rights.size() != 4 || found.range.begin >= found.range.end) return false;
  if (!read_number(take_word(line, ' '), 16, found.offset)) return false;
  std::string_view device = take_word(line, ' ');
  if (!read_number(take_word(line, ' '), 10, found.inode)) return false;
  std::uintptr_t major = 0;
  std::uintptr_t minor = 0;
  if (!read_number(take_word(device, ':'), 16, major) || !read_number(device, 16, minor))
    return false;
  found.device = join_halves(static_cast<std::uint32_t>(major), static_cast<std::uint32_t>(minor));
  found.shared = rights[3] == 's';
  found.plain = rights[3] == 'p' && found.device == 0 && found.inode == 0;
  return true;
}

mapping_reader::mapping_reader() noexcept
    : file_(::open("/proc/self/maps", O_RDONLY | O_CLOEXEC)) {}

mapping_reader::~mapping_reader() {
  if (file_ >= 0) ::close(file_);
}

bool mapping_reader::next(mapped& found) noexcept {
  std::string_view line;
  while (next_line(line)) {
    if (read_mapping(line, found)) return true;
  }
  return false;
}

bool mapping_reader::next_line(std::string_view& line) noexcept {
  for (;;) {
    const std::string_view remaining(text_ + begin_, end_ - begin_);
    const std::size_t length = remaining.find('\n');
    if (length != std::string_view::npos || remaining.size() == sizeof text_) {
      line = remaining.substr(0, length);
      begin_ += std::min(line.size() + 1, remaining.size());
      return true;
    }
    std::memmove(text_, remaining.data(), remaining.size());
    begin_ = 0;
    end_ = remaining.size();
    const ssize_t count = file_ < 0 ? 0 : ::read(file_, text_ + end_, sizeof text_ - end_);
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) return false;
    end_ += static_cast<std::size_t>(count);
  }
}

}  // namespace atl::memory
