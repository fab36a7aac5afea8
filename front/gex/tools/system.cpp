// SPDX-License-Identifier: BSD-3-Clause
//
// Questions to the machine and the kernel. A fact that cannot change is asked for once, at the
// first call, by the thread that makes it; nothing here is written afterwards. The names of the
// host and of the program take no memory of the heap, because a program that fails prints them.
#include <gasnettools_environment.h>
#include <gasnettools_failure.h>
#include <gasnettools_system.h>
#include <atoll/base/assert.hpp>
#include <atoll/base/system/cpu.hpp>
#include <atoll/base/system/memory_limits.hpp>
#include <atoll/base/text.hpp>

#include <fcntl.h>
#include <sched.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cctype>
#include <cstdio>
#include <cstring>
#include <string>
#include <vector>

// --- the machine -----------------------------------------------------------------------------

int gasnett_cpu_count() {
  static const int count = [] {
    const long online = ::sysconf(_SC_NPROCESSORS_ONLN);
    if (online <= 0) return 0;
    return static_cast<int>(
        std::min<long>(online, static_cast<long>(std::min(atl::cores_by_quota(), 1u << 20))));
  }();
  return count;
}

uint64_t gasnett_getPhysMemSz(int failure_is_fatal) {
  const long pages = ::sysconf(_SC_PHYS_PAGES);
  if (pages > 0) return static_cast<uint64_t>(pages) * atl::kernel_page_bytes();
  if (failure_is_fatal == 0) return 0;
  gasnett_fatalerror_nopos("gasnett_getPhysMemSz: the system does not report its memory size");
}

int gasnett_isLittleEndian() { return std::endian::native == std::endian::little ? 1 : 0; }

const char* gasnett_gethostname() {
  static const auto name = [] {
    std::array<char, 256> text = {};
    if (::gethostname(text.data(), text.size() - 1) != 0) std::strncpy(text.data(), "unknown", 8);
    for (char& c : text) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
    return text;
  }();
  return name.data();
}

// --- the process -----------------------------------------------------------------------------

const char* gasnett_exe_name() {
  static const auto path = [] {
    std::array<char, 4096> text = {};
    if (::readlink("/proc/self/exe", text.data(), text.size() - 1) < 0) text[0] = '\0';
    return text;
  }();
  return path.data();
}

int gasnett_set_affinity(int rank) {
  // The processors of the process, and not of this thread, which may be pinned already.
  static const std::vector<int> allowed = [] {
    std::vector<int> numbers;
    const atl::core_mask mask = atl::cores_allowed();
    for (std::size_t i = 0; i < mask.size() * 64; ++i) {
      if ((mask[i / 64] >> (i % 64) & 1) != 0) numbers.push_back(static_cast<int>(i));
    }
    return numbers;
  }();
  if (allowed.empty() || rank < 0) return 1;
  cpu_set_t core;
  CPU_ZERO(&core);
  const int number = allowed[static_cast<std::size_t>(rank) % allowed.size()];
  if (number >= CPU_SETSIZE) return 1;
  CPU_SET(number, &core);
  return ::sched_setaffinity(0, sizeof core, &core) == 0 ? 0 : 1;
}

void gasnett_sched_yield() { ::sched_yield(); }

int gasnett_maximize_rlimit(int resource, const char* name) {
  const std::string variable = std::string("GASNET_MAXIMIZE_") + name;
  if (gasnett_getenv_yesno_withdefault(variable.c_str(), 1) == 0) return 1;
  const auto which = static_cast<__rlimit_resource_t>(resource);
  rlimit limit;
  if (::getrlimit(which, &limit) != 0) return 0;
  if (limit.rlim_cur == limit.rlim_max) return 1;
  limit.rlim_cur = limit.rlim_max;
  return ::setrlimit(which, &limit) == 0 ? 1 : 0;
}

int gasnett_maximize_rlimits() {
  struct named_limit {
    int resource;
    const char* name;
  };
  constexpr auto limits = std::to_array<named_limit>({{RLIMIT_CPU, "RLIMIT_CPU"},
                                                      {RLIMIT_DATA, "RLIMIT_DATA"},
                                                      {RLIMIT_STACK, "RLIMIT_STACK"},
                                                      {RLIMIT_RSS, "RLIMIT_RSS"},
                                                      {RLIMIT_AS, "RLIMIT_AS"}});
  int raised = 1;
  for (const named_limit& limit : limits) {
    if (gasnett_maximize_rlimit(limit.resource, limit.name) == 0) raised = 0;
  }
  return raised;
}

// --- standard streams ------------------------------------------------------------------------

void gasnett_flush_streams() {
  std::fflush(stdout);
  std::fflush(stderr);
}

void gasnett_close_streams() {
  gasnett_flush_streams();
  const int nowhere = ::open("/dev/null", O_RDWR | O_CLOEXEC);
  for (int fd : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) {
    if (nowhere >= 0 && nowhere != fd) ::dup2(nowhere, fd);
  }
  if (nowhere > STDERR_FILENO) ::close(nowhere);
}

// --- the library -----------------------------------------------------------------------------

const char* gasnett_performance_warning_str() {
  return atl::checks_enabled(atl::check_level::heavy)
             ? "        Heavy checks (ATOLL_CHECKS=heavy)\n"
             : "";
}

const char* gasnett_release_version_str() {
  return _STRINGIFY(GASNET_RELEASE_VERSION_MAJOR) "." _STRINGIFY(
      GASNET_RELEASE_VERSION_MINOR) "." _STRINGIFY(GASNET_RELEASE_VERSION_PATCH);
}

uint64_t gasnett_release_version() {
  return GASNET_RELEASE_VERSION_MAJOR * uint64_t{1'000'000} +
         GASNET_RELEASE_VERSION_MINOR * uint64_t{10'000} + GASNET_RELEASE_VERSION_PATCH;
}
