// SPDX-License-Identifier: BSD-3-Clause
//
// Tests ranks that do nothing. A rank that is stopped (SIGSTOP) throttles ranks that flood it and
// loses nothing; a rank that waits sleeps and uses almost no processor time (its own time is
// counted, which no other load changes); and an idle rank uses little memory.
#include <atoll/core/job/runtime.hpp>
#include <atoll/core/rma/rma.hpp>

#include <signal.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdio>
#include <cstring>
#include <string>
#include <thread>

namespace {

using namespace atl;
using namespace std::chrono_literals;

constexpr handler_id note_id = 140;

double processor_seconds() {
  rusage used;
  ::getrusage(RUSAGE_SELF, &used);
  const auto seconds = [](const timeval& t) {
    return static_cast<double>(t.tv_sec) + 1e-6 * static_cast<double>(t.tv_usec);
  };
  return seconds(used.ru_utime) + seconds(used.ru_stime);
}

/// The memory of this process that belongs to no file, in KiB.
long private_kib() {
  long total = 0;
  if (std::FILE* const status = std::fopen("/proc/self/status", "r")) {
    char line[256];
    while (std::fgets(line, sizeof line, status) != nullptr) {
      long kib = 0;
      if (std::sscanf(line, "RssAnon: %ld kB", &kib) == 1) total += kib;
      if (std::sscanf(line, "RssShmem: %ld kB", &kib) == 1) total += kib;
    }
    std::fclose(status);
  }
  return total;
}

bool report(bool good, const char* quantity, double value) {
  if (!good) std::fprintf(stderr, "quiet_rank: %s: %g\n", quantity, value);
  return good;
}

/// The last rank stops itself; rank 0 floods it and wakes it up from a thread.
bool flood_a_stopped_rank(runtime& job) {
  constexpr std::uint64_t count = 20'000;
  std::atomic<std::uint64_t> received = 0;
  job.primordial().handlers().set(
      note_id, {.run = [](void* context, am_token&, const std::uint32_t*, unsigned, void*,
                          std::size_t) { ++*static_cast<std::atomic<std::uint64_t>*>(context); },
                .context = &received,
                .name = "note"});
  auto* const pid = static_cast<pid_t*>(job.heap().allocate(sizeof(pid_t)));
  *pid = ::getpid();
  job.world().barrier();
  const rank_id last = job.size() - 1;
  if (job.rank() == last) {
    ::raise(SIGSTOP);
    job.wait_until([&] { return received == count; });
  }
  if (job.rank() == 0) {
    const auto& rows = job.heaps().routes();
    const auto offset = reinterpret_cast<std::uintptr_t>(pid) - rows[0].remote();
    const auto stopped = get_value(job.primordial(), last,
                                   reinterpret_cast<const pid_t*>(rows[last].remote() + offset));
    std::jthread waker([stopped] {
      std::this_thread::sleep_for(400ms);
      ::kill(stopped, SIGCONT);
    });
    const std::string payload(3000, 'x');
    for (std::uint64_t i = 0; i < count; ++i) {
      job.primordial().request({.target = last,
                                .kind = am_category::medium,
                                .handler = note_id,
                                .payload = payload.data(),
                                .bytes = i % 2 * payload.size()});
    }
  }
  job.world().barrier();
  return true;
}

/// A core that the machine's owner lends to somebody else is counted as used, so one of several
/// waits must be good.
bool wait_asleep(runtime& job) {
  double least = 1;
  for (int turn = 0; turn < 4; ++turn) {
    job.world().barrier();
    const double start_seconds = processor_seconds();
    if (job.rank() == 0) std::this_thread::sleep_for(400ms);
    job.world().barrier();
    least = std::min(least, processor_seconds() - start_seconds);
  }
  return report(least < 0.1, "processor seconds in a wait of 0.4 seconds", least);
}

}  // namespace

int main() {
  ::prctl(PR_SET_THP_DISABLE, 1, 0, 0, 0);  // a huge page would count as a whole
  const long start_kib = private_kib();
  runtime job({.threads = thread_mode::any});
  const long kib = private_kib() - start_kib;
  bool good = report(kib < 3072, "KiB of memory of an idle rank", static_cast<double>(kib));
  good = wait_asleep(job) && good;
  if (job.size() > 1) good = flood_a_stopped_rank(job) && good;
  return good ? 0 : 1;
}
