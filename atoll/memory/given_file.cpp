// SPDX-License-Identifier: BSD-3-Clause
//
// Checking a range against the mappings of this process, and mapping that of another. A file is
// mapped in whole pages of its file system, which are larger than the machine's for a memfd of huge
// pages.
#include <atoll/memory/given_file.hpp>

#include <atoll/base/error.hpp>
#include <atoll/base/rounding.hpp>
#include <atoll/base/system/foreign_descriptor.hpp>
#include <atoll/base/system/memory_limits.hpp>
#include <atoll/base/text.hpp>
#include <atoll/memory/mappings.hpp>

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <string>

namespace atl::memory {
namespace {

/// The unit in which the file is mapped.
std::size_t unit_of(const struct stat& file) noexcept {
  const std::size_t page = kernel_page_bytes();
  const auto block = static_cast<std::size_t>(file.st_blksize);
  return block > page && block % page == 0 ? block : page;
}

bool is_too_short(const struct stat& file, std::uint64_t offset, std::size_t bytes) noexcept {
  if (!S_ISREG(file.st_mode)) return false;  // a device has no size
  const auto size = static_cast<std::uint64_t>(file.st_size);
  return offset > size || bytes > size - offset;
}

/// The pages around these bytes of the file.
struct file_pages {
  std::uint64_t begin;  // in the file
  std::size_t front;    // bytes of the first page before the range
  std::size_t bytes;
};

file_pages pages_around(const struct stat& file, std::uint64_t offset, std::size_t bytes) noexcept {
  const std::size_t unit = unit_of(file);
  const std::uint64_t begin = round_down(offset, unit);
  return {begin, offset - begin, round_up(offset - begin + bytes, unit)};
}

void* map(int number, const file_pages& pages, void* address, int flags) noexcept {
  return ::mmap(address, pages.bytes, PROT_READ | PROT_WRITE, MAP_SHARED | flags, number,
                static_cast<off_t>(pages.begin));
}

/// The mapping that holds this address; an empty one when the list cannot be read.
mapped mapping_at(const void* address) noexcept {
  mapping_reader mappings;
  for (mapped each; mappings.next(each);)
    if (each.range.holds(range_of(address, 1))) return each;
  return {};
}

/// Whether all of the range is mapped, and shared, from the same file as that mapping, and its
/// first byte is the byte `offset` of the file.
bool is_mapped_like(const mapped& tried, const address_range& range,
                    std::uint64_t offset) noexcept {
  mapping_reader mappings;
  std::uintptr_t covered = range.begin;
  for (mapped each; covered < range.end && mappings.next(each);) {
    if (each.range.end <= covered) continue;
    const bool is_right =
        each.range.begin <= covered && each.shared && each.inode == tried.inode &&
        each.device == tried.device &&
        each.offset + (covered - each.range.begin) == offset + (covered - range.begin);
    if (!is_right) return false;
    covered = each.range.end;
  }
  return covered >= range.end;
}

}  // namespace

given_file::given_file(std::span<const std::byte> memory, int number, std::uint64_t offset)
    : offset_(offset) {
  const std::string object = text("segment of ", bytes_text(memory.size()), " at ",
                                  hex(memory.data()), " from descriptor ", number);
  struct stat file{};
  if (::fstat(number, &file) != 0) {
    throw error(object, text("fstat: ", errno_text(errno)),
                "give the descriptor of the file that is mapped there, while it is open");
  }
  if (is_too_short(file, offset, memory.size())) {
    throw error(object,
                text("the file has ", file.st_size, " bytes, and the segment would be its bytes ",
                     offset, " to ", offset + memory.size()),
                "make the file longer before it is mapped (ftruncate), or the segment smaller");
  }
  // One page tells whether the file can be mapped, and what the kernel calls it.
  const file_pages page = pages_around(file, offset, 1);
  void* const tried = map(number, page, nullptr, 0);
  if (tried == MAP_FAILED) {
    throw error(object, text("it cannot be mapped to be read and written: ", errno_text(errno)),
                errno == ENOMEM || errno == EAGAIN
                    ? "raise the limits of memory (ulimit -v, -l)"
                    : "give a file that can be mapped, open for reading and writing, and not "
                      "sealed against writes");
  }
  const mapped found = mapping_at(tried);
  ::munmap(tried, page.bytes);
  if (found.range.bytes() == 0) {
    throw error(object, "the mappings of this process cannot be read in /proc/self/maps",
                "mount /proc, and raise the limit of open files");
  }
  if (!is_mapped_like(found, range_of(memory.data(), memory.size()), offset)) {
    throw error(
        object,
        text("the memory is not all a shared mapping of that file from its byte ", offset, " on"),
        "give the address that mmap(MAP_SHARED) of this descriptor has returned, and the "
        "offset in the file that belongs to it");
  }
  file_ = descriptor(::fcntl(number, F_DUPFD_CLOEXEC, 0));
  if (!file_)
    throw error(object, text("fcntl: ", errno_text(errno)), "raise the limit of open files");
}

exported_memory given_file::exported() const noexcept {
  exported_memory told;
  told.offset = offset_;
  told.process = static_cast<std::uint32_t>(::getpid());
  told.descriptor = file_.get();
  told.file = file_identity(file_.get());
  return told;
}

foreign_mapping::foreign_mapping(const exported_memory& exported, std::size_t bytes,
                                 std::uintptr_t address_in_owner) noexcept {
  const descriptor file =
      duplicate_of_foreign(exported.process, exported.descriptor, exported.file);
  struct stat described{};
  if (!file || ::fstat(file.get(), &described) != 0) return;
  if (is_too_short(described, exported.offset, bytes)) {
    errno = EINVAL;
    return;
  }
  const file_pages pages = pages_around(described, exported.offset, bytes);
  // Addresses are compared inline where the mapping is at its owner's.
  void* const wanted = reinterpret_cast<void*>(address_in_owner - pages.front);
  void* made = map(file.get(), pages, wanted, MAP_FIXED_NOREPLACE);
  if (made != MAP_FAILED && made != wanted) {  // by a kernel that does not know the flag
    ::munmap(made, pages.bytes);
    made = MAP_FAILED;
  }
  if (made == MAP_FAILED) made = map(file.get(), pages, nullptr, 0);
  if (made == MAP_FAILED) return;
  pages_ = made;
  pages_bytes_ = pages.bytes;
  base_ = static_cast<std::byte*>(made) + pages.front;
}

foreign_mapping::~foreign_mapping() {
  if (pages_ != nullptr) ::munmap(pages_, pages_bytes_);
}

}  // namespace atl::memory
