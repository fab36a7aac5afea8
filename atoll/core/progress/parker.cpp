// SPDX-License-Identifier: BSD-3-Clause
//
// The sleep of one wait; the header says what each step is for.
#include <atoll/core/progress/parker.hpp>

#include <atoll/core/progress/wait_control.hpp>

#include <algorithm>

namespace atl {

doorbell::ticket parker::prepare() noexcept {
  woken_ = at_descriptor_ = kept_awake_ = false;
  return at_.listens() ? at_.bell_.prepare() : doorbell::ticket{};
}

void parker::sleep(doorbell::ticket drawn, std::int64_t timeout_ns) noexcept {
  const wait_control::network_side& side = at_.network_side_;
  if (at_.attachments_.waits_silently()) timeout_ns = std::min(timeout_ns, silent_sleep_ns);
  if (!side.networks.empty()) {
    for (transport::transport* each : side.networks) {
      const transport::sleep_terms terms = each->before_sleep();
      kept_awake_ |= !terms.allowed;
      timeout_ns = std::min(timeout_ns, terms.ns_max);
    }
    if (kept_awake_) return;
    if (side.watcher != nullptr) side.watcher->watch();
  }
  if (side.descriptor_waiter != nullptr) {
    const auto end = side.descriptor_waiter->sleep(drawn, timeout_ns);
    woken_ = end == transport::descriptor_waiter::end::woken;
    at_descriptor_ = end != transport::descriptor_waiter::end::taken;
    if (at_descriptor_) return;
  }
  at_.bell_.sleep(drawn, timeout_ns);
}

bool parker::rang_since(doorbell::ticket drawn) const noexcept {
  if (kept_awake_) return true;
  // A thread that stops waiting at the descriptor rings the bell for the next sleeper. It must not
  // take its own ring for a wake-up.
  return at_descriptor_ ? woken_ : at_.listens() && at_.bell_.rang_since(drawn);
}

}  // namespace atl
