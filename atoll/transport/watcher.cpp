// SPDX-License-Identifier: BSD-3-Clause
//
// The watching thread: it sleeps at a futex until watch(), then at the descriptor.
#include <atoll/transport/watcher.hpp>

#include <atoll/base/error.hpp>
#include <atoll/base/system/blocked_signals.hpp>
#include <atoll/base/threads/thread_turn.hpp>

#include <poll.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <system_error>

namespace atl::transport {

watcher::watcher(int descriptor, doorbell& bell)
    : watched_(descriptor), bell_(bell), ending_(::eventfd(0, EFD_CLOEXEC)) {
  if (!ending_) {
    throw error("network", "eventfd: " + errno_text(errno),
                "raise the limit of open files (ulimit -n)");
  }
  own_bell_.make_ringers_fence();  // the thread sleeps often, and interrupts no core for that
  try {
    const blocked_signals meanwhile;  // they are for the program's own threads
    thread_ = std::jthread([this] {
      ask_for_short_turns();
      run();
    });
  } catch (const std::system_error& refused) {
    throw error("network", std::string("no thread to watch it: ") + refused.what(),
                "raise the limit of processes (ulimit -u)");
  }
}

watcher::~watcher() {
  end_.store(true, std::memory_order_release);  // pairs with the loads in run()
  const std::uint64_t increment = 1;
  while (::write(ending_.get(), &increment, sizeof increment) < 0 && errno == EINTR) {
  }
  watch();
}

// Sleeps at a bell and not in std::atomic::wait, which yields several times before it sleeps: on a
// core that its rank and others want, each of these yields costs two changes of thread.
void watcher::wait_for_request() noexcept {
  for (;;) {
    const doorbell::ticket ticket = own_bell_.prepare();
    if (requested_.load(std::memory_order_acquire)) return;  // pairs with the exchange in watch()
    own_bell_.sleep(ticket);
  }
}

void watcher::run() noexcept {
  for (;;) {
    wait_for_request();
    if (end_.load(std::memory_order_acquire)) return;  // pairs with the destructor
    std::array<pollfd, 2> descriptors{pollfd{.fd = watched_, .events = POLLIN, .revents = 0},
                                      pollfd{.fd = ending_.get(), .events = POLLIN, .revents = 0}};
    while (::poll(descriptors.data(), descriptors.size(), -1) < 0 && errno == EINTR) {
    }
    if (end_.load(std::memory_order_acquire)) return;
    // acq_rel: pairs with watch(). The ring comes after, so it wakes a thread that found it set.
    requested_.exchange(false, std::memory_order_acq_rel);
    bell_.ring();
  }
}

}  // namespace atl::transport
