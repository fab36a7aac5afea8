// SPDX-License-Identifier: BSD-3-Clause
//
// Remembers the actions of signals, and restores those that have changed: it asks for every signal
// twice. The C library does not report the signals that it keeps for itself, and these are left
// alone.
#include <atoll/base/system/kept_signals.hpp>

namespace atl {
namespace {

/// Both kinds of handlers lie at the same place, so one comparison serves both.
bool is_same_handler(const struct sigaction& first, const struct sigaction& second) noexcept {
  return first.sa_handler == second.sa_handler && first.sa_flags == second.sa_flags;
}

}  // namespace

std::recursive_mutex kept_signals::one_thread;

kept_signals::kept_signals() noexcept {
  sigset_t endings;
  sigemptyset(&endings);
  for (const int number : {SIGHUP, SIGINT, SIGQUIT, SIGTERM}) sigaddset(&endings, number);
  ::pthread_sigmask(SIG_BLOCK, &endings, &mask_);
  for (int number = 1; number < NSIG; ++number) {
    ::sigaction(number, nullptr, &saved_[static_cast<unsigned>(number)]);
  }
}

kept_signals::~kept_signals() {
  for (int number = 1; number < NSIG; ++number) {
    const struct sigaction& saved = saved_[static_cast<unsigned>(number)];
    struct sigaction now{};
    if (::sigaction(number, nullptr, &now) != 0 || is_same_handler(now, saved)) continue;
    ::sigaction(number, &saved, nullptr);
  }
  ::pthread_sigmask(SIG_SETMASK, &mask_, nullptr);
}

}  // namespace atl
