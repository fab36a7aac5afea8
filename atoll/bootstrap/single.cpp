// SPDX-License-Identifier: BSD-3-Clause
//
// A job of one, and the making of host memory that it shares with the launcher. The memory is a
// file without a name: it has size 0 until the core lays it out, and it is gone when the last
// process that maps it is gone, however that ends.
#include <atoll/base/error.hpp>
#include <atoll/base/system/memory_file.hpp>
#include <atoll/bootstrap/single.hpp>

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>

namespace atl::bootstrap {

single::single() : memory_(make_host_memory()) {}

blob_table single::exchange(std::span<const std::byte> contribution) {
  const blob own(contribution.begin(), contribution.end());
  return blob_table::of_blobs({&own, 1});
}

descriptor single::host_memory() { return duplicate(memory_); }

void single::end_job(int code, std::string_view message) noexcept {
  flush_output();
  if (!message.empty())
    std::fprintf(stderr, "atoll: %.*s\n", static_cast<int>(message.size()), message.data());
  _exit(code);
}

void flush_output() noexcept {
  if (ftrylockfile(stdout) != 0) return;
  fflush_unlocked(stdout);
  funlockfile(stdout);
}

descriptor make_host_memory() { return make_memory_file(); }

descriptor duplicate(const descriptor& original) {
  descriptor copy(fcntl(original.get(), F_DUPFD_CLOEXEC, 3));
  if (!copy)
    throw error("host memory", "its descriptor cannot be duplicated: " + errno_text(errno),
                "raise the limit of open files (ulimit -n)");
  return copy;
}

}  // namespace atl::bootstrap
