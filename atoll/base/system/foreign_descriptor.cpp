// SPDX-License-Identifier: BSD-3-Clause
//
// Fetching descriptors by their numbers in another process, with the calls of Linux 5.6 for that.
#include <atoll/base/system/foreign_descriptor.hpp>

#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>

namespace atl {

std::uint64_t file_identity(int number) noexcept {
  struct stat file{};
  if (::fstat(number, &file) != 0) return 0;
  // Numbers of files are unique within a device.
  return file.st_ino ^ (file.st_dev * 0x9e37'79b9'7f4a'7c15u);
}

descriptor duplicate_of_foreign(std::uint32_t process, int number,
                                std::uint64_t identity) noexcept {
  const descriptor owner(static_cast<int>(::syscall(SYS_pidfd_open, process, 0)));
  if (!owner) return {};
  descriptor fetched(static_cast<int>(::syscall(SYS_pidfd_getfd, owner.get(), number, 0)));
  if (fetched && file_identity(fetched.get()) != identity) {
    fetched.reset();
    errno = ESRCH;
  }
  return fetched;
}

}  // namespace atl
