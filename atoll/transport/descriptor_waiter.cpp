// SPDX-License-Identifier: BSD-3-Clause
//
// Sleeping at the network's descriptor and the eventfd of this rank's own threads.
#include <atoll/transport/descriptor_waiter.hpp>

#include <atoll/base/error.hpp>

#include <poll.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <ctime>

namespace atl::transport {

descriptor_waiter::descriptor_waiter(int descriptor, doorbell& bell, bool threaded)
    : watched_(descriptor),
      bell_(bell),
      threaded_(threaded),
      rung_(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)) {
  if (!rung_) {
    throw error("network", "eventfd: " + errno_text(errno),
                "raise the limit of open files (ulimit -n)");
  }
}

descriptor_waiter::end descriptor_waiter::sleep(doorbell::ticket drawn,
                                                std::int64_t timeout_ns) noexcept {
  // Acquire: the thread that was here before has read the eventfd; pairs with the release below.
  if (taken_.exchange(true, std::memory_order_acquire)) return end::taken;
  end outcome = end::woken;
  std::atomic_thread_fence(std::memory_order_seq_cst);  // P2: pairs with R2 in ring()
  if (threaded_) timeout_ns = std::min(timeout_ns, doorbell::longest_sleep_ns());
  if (!threaded_ || !bell_.rang_since(drawn)) outcome = wait(timeout_ns);
  taken_.store(false, std::memory_order_release);
  if (threaded_) bell_.ring();  // another thread may wait at the descriptor now
  return outcome;
}

descriptor_waiter::end descriptor_waiter::wait(std::int64_t timeout_ns) noexcept {
  std::array<pollfd, 2> descriptors{pollfd{.fd = watched_, .events = POLLIN, .revents = 0},
                                    pollfd{.fd = rung_.get(), .events = POLLIN, .revents = 0}};
  constexpr std::int64_t second_ns = 1'000'000'000;
  const timespec limit{timeout_ns / second_ns, timeout_ns % second_ns};
  // A signal ends the sleep as time does.
  if (::ppoll(descriptors.data(), descriptors.size(), &limit, nullptr) <= 0) return end::timed_out;
  std::uint64_t rings = 0;
  if (descriptors[1].revents != 0) static_cast<void>(::read(rung_.get(), &rings, sizeof rings) < 0);
  return end::woken;
}

void descriptor_waiter::wake() noexcept {
  const std::uint64_t increment = 1;
  while (::write(rung_.get(), &increment, sizeof increment) < 0 && errno == EINTR) {
  }
}

}  // namespace atl::transport
