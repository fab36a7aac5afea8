// SPDX-License-Identifier: BSD-3-Clause
//
// The descriptor of userfaultfd, the thread that reads it, and when the listener has been told of
// everything. The descriptor is opened with the rights of a process without privilege. The header
// says what the thread must not do, and why: a program that holds its allocator's lock in munmap
// would otherwise wait for ever.
#include <atoll/base/threads/forget_thread.hpp>
#include <atoll/memory/reclaim_watch.hpp>

#include <atoll/base/error.hpp>
#include <atoll/base/system/blocked_signals.hpp>
#include <atoll/base/text.hpp>

#include <fcntl.h>
#include <linux/userfaultfd.h>
#include <poll.h>
#include <sched.h>
#include <sys/eventfd.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <system_error>

namespace atl::memory {

namespace {

constexpr int user_mode_only = 1;  // headers of kernels before 5.11 lack the name

// Names of features that may be newer than the headers here.
constexpr std::uint64_t wanted_events =
    UFFD_FEATURE_EVENT_UNMAP | UFFD_FEATURE_EVENT_REMOVE | UFFD_FEATURE_EVENT_REMAP;
constexpr std::uint64_t since_5_19 = 1 << 12;  // protecting shared memory; a sign of the version

constexpr int yields_max = 64;  // yields

}  // namespace

reclaim_watch::reclaim_watch(listener& to) : to_(to), owner_(::getpid()) {
  if (!open() || !start()) events_ = descriptor();
}

bool reclaim_watch::open() {
  const int flags = O_CLOEXEC | O_NONBLOCK | user_mode_only;
  events_ = descriptor(static_cast<int>(::syscall(SYS_userfaultfd, flags)));
  if (!events_) {
    refusal_ = "userfaultfd: " + errno_text(errno);
    return false;
  }
  uffdio_api terms{};
  terms.api = UFFD_API;
  terms.features = wanted_events;
  if (::ioctl(events_.get(), UFFDIO_API, &terms) != 0) {
    refusal_ = "userfaultfd has no such events: " + errno_text(errno);
  } else if ((terms.features & since_5_19) == 0) {
    refusal_ = "userfaultfd: a kernel before 5.19";
  }
  return refusal_.empty();
}

bool reclaim_watch::start() {
  ending_ = descriptor(::eventfd(0, EFD_CLOEXEC));
  if (!ending_) {
    refusal_ = "eventfd: " + errno_text(errno);
    return false;
  }
  try {
    const blocked_signals meanwhile;  // they are for the program's own threads
    reader_ = std::thread([this] { run(); });
  } catch (const std::system_error& failed) {
    refusal_ = text("no thread: ", failed.what());
  }
  return refusal_.empty();
}

// All mappings are taken off the watch while the thread still reads. Closing the descriptor is not
// enough, because a forked process may have it too.
reclaim_watch::~reclaim_watch() {
  if (!reader_.joinable()) return;
  if (owner_ != ::getpid()) {
    forget_thread(reader_);
    return;
  }
  forget_all();
  // A thread that gives memory back right now may still have been watched, and waits until its
  // event is read.
  while (changes_unread()) ::sched_yield();
  const std::uint64_t increment = 1;
  while (::write(ending_.get(), &increment, sizeof increment) < 0 && errno == EINTR) {
  }
  reader_.join();
}

void reclaim_watch::forget_all() noexcept {
  mapping_reader reader;
  mapped each;
  while (reader.next(each)) {
    // A mapping that another descriptor watches, of this process or of the program's own, refuses
    // ours here; older kernels would let us take it off the other descriptor's watch.
    if (!each.plain || !watch_mapping(each.range)) continue;
    uffdio_range range{each.range.begin, each.range.bytes()};
    ::ioctl(events_.get(), UFFDIO_UNREGISTER, &range);
  }
}

// --- reading -------------------------------------------------------------------------------------

// The descriptor is closed here: the end of a thread gives memory back, and no thread would be left
// to read that event.
void reclaim_watch::run() noexcept {
  for (;;) {
    std::array<pollfd, 2> descriptors{pollfd{.fd = events_.get(), .events = POLLIN, .revents = 0},
                                      pollfd{.fd = ending_.get(), .events = POLLIN, .revents = 0}};
    if (::poll(descriptors.data(), descriptors.size(), -1) < 0) continue;
    if (descriptors[0].revents != 0) {
      // Odd before the kernel releases the waiting thread; pairs with the load in settled().
      sequence_.fetch_add(1, std::memory_order_seq_cst);
      while (read_events()) {
      }
      sequence_.fetch_add(1, std::memory_order_seq_cst);
    } else if (descriptors[1].revents != 0) {
      std::uint64_t count = 0;  // the read follows the write of the ending thread
      while (::read(ending_.get(), &count, sizeof count) < 0 && errno == EINTR) {
      }
      events_ = descriptor();
      return;
    }
  }
}

/// Reads events; false when there was none.
bool reclaim_watch::read_events() noexcept {
  std::array<uffd_msg, 16> batch;
  const ssize_t bytes = ::read(events_.get(), batch.data(), sizeof batch);
  if (bytes <= 0) return false;
  for (std::size_t i = 0; i < static_cast<std::size_t>(bytes) / sizeof(uffd_msg); ++i) {
    const uffd_msg& each = batch[i];
    if (each.event == UFFD_EVENT_UNMAP || each.event == UFFD_EVENT_REMOVE) {
      to_.reclaimed({each.arg.remove.start, each.arg.remove.end});
    } else if (each.event == UFFD_EVENT_REMAP) {
      to_.reclaimed({each.arg.remap.from, each.arg.remap.from + each.arg.remap.len});
      to_.reclaimed({each.arg.remap.to, each.arg.remap.to + each.arg.remap.len});
    }
  }
  return true;
}

// --- asking --------------------------------------------------------------------------------------

/// The kernel refuses to protect with EAGAIN while there are changes that were not read; otherwise
/// it refuses because there is nothing to protect.
bool reclaim_watch::changes_unread() const noexcept {
  uffdio_writeprotect nothing{};
  return ::ioctl(events_.get(), UFFDIO_WRITEPROTECT, &nothing) != 0 && errno == EAGAIN;
}

bool reclaim_watch::settled() noexcept {
  for (int i = 0; i < yields_max; ++i) {
    // The order matters: events read before the kernel was asked are being told, and the sequence
    // shows that. Acquire: what the listener has noted is seen; pairs with run().
    if (!changes_unread() && sequence_.load(std::memory_order_acquire) % 2 == 0) return true;
    ::sched_yield();
  }
  return false;
}

bool reclaim_watch::watch(const address_range& range) noexcept {
  mapping_reader reader;
  mapped each;
  std::uintptr_t watched_to = range.begin;
  while (watched_to < range.end && reader.next(each)) {
    if (each.range.end <= watched_to) continue;
    if (each.range.begin > watched_to || !each.plain) return false;
    if (!watch_mapping(each.range)) return false;
    watched_to = each.range.end;
  }
  return watched_to >= range.end;
}

bool reclaim_watch::watch_mapping(const address_range& range) noexcept {
  uffdio_register wanted{};
  wanted.range = {range.begin, range.bytes()};
  wanted.mode = UFFDIO_REGISTER_MODE_WP;
  return ::ioctl(events_.get(), UFFDIO_REGISTER, &wanted) == 0;
}

}  // namespace atl::memory
