// SPDX-License-Identifier: BSD-3-Clause
//
// Asks for every signal twice. The C library does not report the signals that it keeps for itself,
// and these are left alone.
#include <atoll/base/kept_signals.hpp>

namespace atl {
namespace {

/// A handler is at the same place for both kinds of them.
bool same(const struct sigaction& one, const struct sigaction& other) noexcept {
  return one.sa_handler == other.sa_handler && one.sa_flags == other.sa_flags;
}

}  // namespace

std::recursive_mutex kept_signals::one_thread;

kept_signals::kept_signals() noexcept {
  for (int number = 1; number < NSIG; ++number) {
    ::sigaction(number, nullptr, &before_[static_cast<unsigned>(number)]);
  }
}

kept_signals::~kept_signals() {
  for (int number = 1; number < NSIG; ++number) {
    const struct sigaction& before = before_[static_cast<unsigned>(number)];
    struct sigaction now{};
    if (::sigaction(number, nullptr, &now) != 0 || same(now, before)) continue;
    ::sigaction(number, &before, nullptr);
  }
}

}  // namespace atl
