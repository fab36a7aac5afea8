// SPDX-License-Identifier: BSD-3-Clause
//
// Makes and reads tables of blobs. The block is {end of blob 0, end of blob 1 ..., bytes of blob 0,
// bytes of blob 1 ...}; ends are 64-bit numbers counted from the first blob's begin.
#include <atoll/base/assert.hpp>
#include <atoll/base/error.hpp>
#include <atoll/bootstrap/blob_table.hpp>

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <utility>

namespace atl::bootstrap {
namespace {

[[noreturn]] void refuse(const char* call, const char* remedy) {
  throw error("exchange", std::string(call) + " of the table failed: " + errno_text(errno), remedy);
}

std::shared_ptr<const std::byte> copy_of(std::span<const std::byte> block) {
  const std::shared_ptr<std::byte[]> made(new std::byte[block.size()]);
  std::copy(block.begin(), block.end(), made.get());  // of no bytes, too
  return {made, made.get()};
}

}  // namespace

std::vector<std::byte> block_of(std::span<const blob> blobs) {
  std::size_t total = blobs.size() * sizeof(std::uint64_t);
  for (const blob& each : blobs) total += each.size();
  std::vector<std::byte> block(total);
  std::byte* end = block.data();
  std::byte* to = block.data() + blobs.size() * sizeof(std::uint64_t);
  std::uint64_t passed = 0;
  for (const blob& each : blobs) {
    passed += each.size();
    std::memcpy(end, &passed, sizeof passed);
    end += sizeof passed;
    if (!each.empty()) std::memcpy(to, each.data(), each.size());
    to += each.size();
  }
  return block;
}

descriptor make_block_file(std::span<const std::byte> block) {
  descriptor file(memfd_create("atoll-exchange", MFD_CLOEXEC | MFD_ALLOW_SEALING));
  if (!file) refuse("memfd_create", "raise the limit of open files (ulimit -n)");
  while (!block.empty()) {
    const ssize_t written = write(file.get(), block.data(), block.size());
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0)
      refuse("write", "free memory on this host, or raise the limit of file sizes (ulimit -f)");
    block = block.subspan(static_cast<std::size_t>(written));
  }
  // Without the seals a rank could change what the others read of it.
  if (fcntl(file.get(), F_ADD_SEALS, F_SEAL_WRITE | F_SEAL_GROW | F_SEAL_SHRINK | F_SEAL_SEAL) != 0)
    refuse("sealing", "run on a kernel that seals files of memory");
  return file;
}

blob_table blob_table::of_blobs(std::span<const blob> blobs) {
  const auto block = std::make_shared<const std::vector<std::byte>>(block_of(blobs));
  return {memory(block, block->data()), static_cast<rank_id>(blobs.size())};
}

std::optional<blob_table> blob_table::of_block(std::span<const std::byte> block, rank_id ranks) {
  return checked(copy_of(block), block.size(), ranks);
}

std::optional<blob_table> blob_table::of_file(const descriptor& file, rank_id ranks) {
  struct stat status{};
  if (fstat(file.get(), &status) != 0) refuse("fstat", "");
  const auto bytes = static_cast<std::size_t>(status.st_size);
  if (bytes == 0) return std::nullopt;
  void* const mapped = mmap(nullptr, bytes, PROT_READ, MAP_SHARED, file.get(), 0);
  if (mapped == MAP_FAILED)
    refuse("mmap", "raise the limit of address space (ulimit -v), or free memory on this host");
  return checked(
      {static_cast<const std::byte*>(mapped),
       [bytes](const std::byte* block) { munmap(const_cast<std::byte*>(block), bytes); }},
      bytes, ranks);
}

std::optional<blob_table> blob_table::checked(memory block, std::size_t bytes, rank_id ranks) {
  if (bytes / sizeof(std::uint64_t) < ranks) return std::nullopt;
  blob_table made(std::move(block), ranks);
  std::uint64_t passed = 0;
  for (rank_id rank = 0; rank < ranks; ++rank) {
    const std::uint64_t end = made.end_of(rank);
    if (end < passed) return std::nullopt;
    passed = end;
  }
  if (passed != bytes - ranks * sizeof(std::uint64_t)) return std::nullopt;
  return made;
}

std::uint64_t blob_table::end_of(rank_id rank) const noexcept {
  std::uint64_t end = 0;
  std::memcpy(&end, block_.get() + rank * sizeof end, sizeof end);
  return end;
}

std::span<const std::byte> blob_table::operator[](rank_id rank) const noexcept {
  ATOLL_ASSERT(rank < ranks_, "the table has no blob of such a rank", rank, ranks_);
  const std::uint64_t begin = rank == 0 ? 0 : end_of(rank - 1);
  const std::byte* const first = block_.get() + ranks_ * sizeof(std::uint64_t);
  return {first + begin, end_of(rank) - begin};
}

}  // namespace atl::bootstrap
