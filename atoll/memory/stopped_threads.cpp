// SPDX-License-Identifier: BSD-3-Clause
//
// Stops threads by a signal. The list of threads is read again until it holds no new one, since a
// thread that still runs may start another one. The handler's thread uses only the three words
// below, which belong to the library and not to the program.
//
// Stops are numbered by the upper half of `stop`: an odd number is a stop under way, an even one
// says that none is. A handler counts itself in the lower half by compare-and-swap, so it counts in
// the stop whose number it read or in none; one that comes when its stop is over goes on at once.
// The next stop begins when all threads that were counted have left.
#include <atoll/memory/stopped_threads.hpp>

#include <atoll/base/halves.hpp>

#include <fcntl.h>
#include <linux/futex.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <charconv>
#include <csignal>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <string_view>

namespace atl::memory {

namespace {

constexpr std::size_t threads_max = 4096;
constexpr int stop_ms_max = 1000;
constexpr int looks_at_starting_max = 100;  // a tenth of a millisecond apart

constexpr std::uint64_t one_stop = join_halves(0, 1);

constexpr std::uint32_t number_of(std::uint64_t stop) noexcept { return high_half(stop); }
constexpr std::uint32_t arrived_in(std::uint64_t stop) noexcept { return low_half(stop); }

std::atomic<std::uint64_t> stop = 0;           // its number, and how many threads stand still
std::atomic<std::uint32_t> newest_number = 0;  // the number again, for the futex
std::atomic<std::uint32_t> departed = 0;       // of those who stood still
std::array<pid_t, threads_max> signalled;
struct sigaction previous_action;

int stop_signal() noexcept { return SIGRTMAX - 3; }

void stand_still(int) {
  const int kept = errno;
  std::uint64_t seen = stop.load(std::memory_order_acquire);  // here and below: see count_up()
  do {
    if (number_of(seen) % 2 == 0) return;
  } while (!stop.compare_exchange_weak(seen, seen + 1, std::memory_order_acq_rel,
                                       std::memory_order_acquire));
  const std::uint32_t number = number_of(seen);
  while (newest_number.load(std::memory_order_acquire) == number) {
    ::syscall(SYS_futex, &newest_number, FUTEX_WAIT_PRIVATE, number, nullptr, nullptr, 0);
  }
  departed.fetch_add(1, std::memory_order_release);  // pairs with release()
  errno = kept;
}

/// Begins or ends a stop. Returns how many threads stood still. Release: pairs with the loads of
/// stand_still(). Acquire: what those threads wrote before they stood still is seen.
std::uint32_t count_up() noexcept {
  std::uint64_t seen = stop.load(std::memory_order_relaxed);
  const auto next = [&seen] { return join_halves(0, number_of(seen)) + one_stop; };
  // The futex's word comes first at the beginning, where nobody waits yet, and last at the end.
  const std::uint32_t number = number_of(next());
  if (number % 2 == 1) newest_number.store(number, std::memory_order_release);
  while (!stop.compare_exchange_weak(seen, next(), std::memory_order_acq_rel,
                                     std::memory_order_relaxed)) {
  }
  if (number % 2 == 0) newest_number.store(number, std::memory_order_release);
  return arrived_in(seen);
}

void pause_a_little() noexcept {
  const timespec moment{.tv_sec = 0, .tv_nsec = 100'000};
  ::nanosleep(&moment, nullptr);
}

enum class readiness : std::uint8_t { will_answer, may_be_starting, cannot_answer };

/// Finds out whether a thread will answer the signal, from its status in /proc. The C library
/// starts a thread with all signals blocked, so one that blocks them and runs may have just begun;
/// one that blocks them and sleeps is a helper of some library.
readiness readiness_of(pid_t thread) noexcept {
  char path[64];
  std::snprintf(path, sizeof path, "/proc/self/task/%d/status", static_cast<int>(thread));
  const int file = ::open(path, O_RDONLY | O_CLOEXEC);
  if (file < 0) return readiness::cannot_answer;  // it has ended
  char text[4096];
  const ssize_t bytes = ::read(file, text, sizeof text - 1);
  ::close(file);
  if (bytes <= 0) return readiness::cannot_answer;
  text[bytes] = '\0';
  if (std::strstr(text, "State:\tZ") != nullptr) return readiness::cannot_answer;
  const char* const line = std::strstr(text, "SigBlk:");
  if (line == nullptr) return readiness::will_answer;
  const unsigned long long mask = std::strtoull(line + 7, nullptr, 16);
  if ((mask >> (stop_signal() - 1) & 1) == 0) return readiness::will_answer;
  return std::strstr(text, "State:\tR") != nullptr ? readiness::may_be_starting
                                                   : readiness::cannot_answer;
}

bool is_known(pid_t thread, std::size_t count) noexcept {
  for (std::size_t i = 0; i < count; ++i) {
    if (signalled[i] == thread) return true;
  }
  return false;
}

struct directory_entry {  // as the kernel writes it
  std::uint64_t inode;
  std::int64_t offset;
  std::uint16_t length;
  std::uint8_t type;
  char name[1];
};

/// Calls visit(thread) for each thread of the process; false when they cannot be listed.
template <class Visit>
bool for_each_thread(Visit visit) noexcept {
  const int folder = ::open("/proc/self/task", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (folder < 0) return false;
  alignas(8) char buffer[4096];
  long bytes = 0;
  while ((bytes = ::syscall(SYS_getdents64, folder, buffer, sizeof buffer)) > 0) {
    for (long position = 0; position < bytes;) {
      const auto* const entry = reinterpret_cast<const directory_entry*>(buffer + position);
      const std::string_view name(entry->name);
      pid_t thread = 0;
      std::from_chars(name.data(), name.data() + name.size(), thread);
      if (thread != 0) visit(thread);
      position += entry->length;
    }
  }
  ::close(folder);
  return bytes == 0;
}

}  // namespace

void accept_stops() noexcept {
  sigset_t accepted;
  ::sigemptyset(&accepted);
  ::sigaddset(&accepted, stop_signal());
  ::pthread_sigmask(SIG_UNBLOCK, &accepted, nullptr);
}

stopped_threads::stopped_threads() noexcept {
  departed.store(0, std::memory_order_relaxed);
  struct sigaction action = {};
  action.sa_handler = stand_still;
  action.sa_flags = SA_RESTART;
  ::sigfillset(&action.sa_mask);
  struct sigaction previous = {};
  if (::sigaction(stop_signal(), &action, &previous) != 0) return;
  if (previous.sa_handler != stand_still) previous_action = previous;
  count_up();
  complete_ = stop_all();
  if (!complete_) release();
}

stopped_threads::~stopped_threads() {
  if (complete_) release();
}

bool stopped_threads::stop_all() noexcept {
  const pid_t process = ::getpid();
  const auto self = static_cast<pid_t>(::syscall(SYS_gettid));
  int looks_at_starting = 0;
  for (bool looks_again = true; looks_again;) {
    looks_again = false;
    bool some_start = false;
    const bool listed = for_each_thread([&](pid_t thread) {
      if (thread == self || is_known(thread, count_) || count_ == threads_max) return;
      const readiness found = readiness_of(thread);
      if (found == readiness::may_be_starting) some_start = true;
      if (found != readiness::will_answer) return;
      if (::syscall(SYS_tgkill, process, thread, stop_signal()) != 0) return;  // it has ended
      signalled[count_++] = thread;
      looks_again = true;
    });
    if (!listed || !wait_for_arrivals()) return false;
    if (some_start && looks_at_starting++ < looks_at_starting_max) {
      pause_a_little();
      looks_again = true;
    }
  }
  return count_ < threads_max;
}

// A thread that has got the signal may have ended without its handler.
bool stopped_threads::wait_for_arrivals() noexcept {
  const auto all_arrived = [this] {
    return arrived_in(stop.load(std::memory_order_acquire)) >= count_;
  };
  for (int tries = 0; !all_arrived(); ++tries) {
    if (tries == 10 * stop_ms_max) return false;
    if (tries % 100 == 99) forget_ended_threads();
    pause_a_little();
  }
  return true;
}

void stopped_threads::forget_ended_threads() noexcept {
  const pid_t process = ::getpid();
  const auto has_ended = [process](pid_t thread) {
    return ::syscall(SYS_tgkill, process, thread, 0) != 0;
  };
  pid_t* const end = std::remove_if(signalled.data(), signalled.data() + count_, has_ended);
  count_ = static_cast<std::size_t>(end - signalled.data());
}

void stopped_threads::release() noexcept {
  const std::uint32_t present = count_up();
  ::syscall(SYS_futex, &newest_number, FUTEX_WAKE_PRIVATE, threads_max, nullptr, nullptr, 0);
  while (departed.load(std::memory_order_acquire) < present) pause_a_little();
  // A signal that is still on its way would end the process without the handler.
  if (complete_) ::sigaction(stop_signal(), &previous_action, nullptr);
}

}  // namespace atl::memory
