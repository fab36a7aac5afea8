// SPDX-License-Identifier: BSD-3-Clause
//
// Makes the file by memfd_create, seals it and lets it grow. Several ranks size the file at the
// same time, each to the size that it has planned. The kernel decides: the seal refuses any size
// below the current one, so the largest plan wins in any order. (Ranks whose plans differ are
// refused when they compare them, with the setting's name; until then none of them may lose its
// pages.)
#include <atoll/base/system/memory_file.hpp>

#include <atoll/base/error.hpp>
#include <atoll/base/text.hpp>

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>

namespace atl {
namespace {

constexpr unsigned noexec_seal = 8;  // MFD_NOEXEC_SEAL of Linux 6.3, which older headers lack

bool has_size(const descriptor& file, std::size_t bytes) noexcept {
  struct stat about{};
  return ::fstat(file.get(), &about) == 0 && static_cast<std::size_t>(about.st_size) >= bytes;
}

}  // namespace

descriptor make_memory_file() {
  constexpr unsigned flags = MFD_CLOEXEC | MFD_ALLOW_SEALING;
  descriptor made(::memfd_create("atoll", flags | noexec_seal));
  if (!made && errno == EINVAL) made = descriptor(::memfd_create("atoll", flags));
  if (!made) {
    throw error("host memory", "memfd_create: " + errno_text(errno),
                "raise the limit of open files (ulimit -n), free memory, or use a kernel of 3.17 "
                "or newer");
  }
  if (::fcntl(made.get(), F_ADD_SEALS, F_SEAL_SHRINK) != 0) {
    throw error("host memory", "F_ADD_SEALS: " + errno_text(errno),
                "use a kernel that seals memory files");
  }
  return made;
}

void grow_memory_file(const descriptor& file, std::size_t bytes) {
  if (has_size(file, bytes)) return;
  if (::ftruncate(file.get(), static_cast<off_t>(bytes)) == 0) return;
  const int cause = errno;
  if (cause == EPERM && has_size(file, bytes)) return;  // another rank was there first, with more
  throw error("shared memory of " + bytes_text(bytes), "ftruncate: " + errno_text(cause),
              "lower ATOLL_SEGMENT_LIMIT, or raise the file size limit (ulimit -f)");
}

}  // namespace atl
