// SPDX-License-Identifier: BSD-3-Clause
//
// The four ways to complete multi-buffered puts: with explicit or implicit events, and with one
// completion and announcement for all puts made at a time, or for each put. To a neighbour every
// put is complete when its call returns, so there they differ only in the number of announcements.
#pragma once

#include <apps/spin/pgas/ring.hpp>

namespace spin {

/// Puts with events; announced together, when all are complete.
class fence final : public ring {
  using ring::ring;
  void move(channel& to, std::uint64_t last) override {
    while (to.posted < last) post(to);
    for (std::uint64_t number = to.announced; number < to.posted; ++number)
      if (!job_.test(event_of(to, number))) return;
    announce(to, to.posted);
  }
};

/// Puts with events; each is announced as it completes.
class fence_each final : public ring {
  using ring::ring;
  void move(channel& to, std::uint64_t last) override {
    while (to.posted < last) {
      post(to);
      announce_complete(to);
    }
    announce_complete(to);
  }
  void announce_complete(channel& to) {
    std::uint64_t complete = to.announced;
    while (complete < to.posted && job_.test(event_of(to, complete))) ++complete;
    announce(to, complete);
  }
};

/// Implicit puts, completed and announced together.
class fence_nbi final : public ring {
  using ring::ring;
  void move(channel& to, std::uint64_t last) override {
    while (to.posted < last) post_implicit(to);
    job_.wait_implicit(true, false);
    announce(to, to.posted);
  }
};

/// Implicit puts, completed and announced one by one.
class fence_each_nbi final : public ring {
  using ring::ring;
  void move(channel& to, std::uint64_t last) override {
    while (to.posted < last) {
      post_implicit(to);
      job_.wait_implicit(true, false);
      announce(to, to.posted);
    }
  }
};

}  // namespace spin
