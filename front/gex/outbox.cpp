// SPDX-License-Identifier: BSD-3-Clause
//
// Sends from inside of handlers, and later sends what found no room there. While something is kept
// no thread of this rank sleeps for long, because room at a peer rings no doorbell.
#include <front/gex/outbox.hpp>

#include <atoll/core/job/layer_access.hpp>
#include <atoll/core/job/runtime.hpp>
#include <front/gex/objects.hpp>

#include <algorithm>
#include <utility>

namespace atl::gex {

bool outbox::send(atl::endpoint& from, const am_message& request, bool immediate) noexcept {
  {
    const outside_handler leave;  // an immediate request neither polls nor waits
    if (from.request(request, true)) return true;
  }
  if (immediate) return false;
  keep(from, request);
  atl::layer_access::attachments(gex::runtime()).activate(*this);
  return true;
}

bool outbox::advance() noexcept {
  bool sent = false;
  while (std::optional<kept_request> next = take()) {
    next->request.args = next->args.data();
    next->request.payload = next->payload.data();
    if (!next->from->request(next->request, true)) {
      put_back(std::move(*next));
      break;
    }
    sent = true;
  }
  return sent;
}

void outbox::keep(atl::endpoint& from, const am_message& request) {
  kept_request copy{.from = &from, .request = request, .args = {}, .payload = {}};
  std::copy_n(request.args, request.nargs, copy.args.begin());
  if (request.bytes != 0) {
    const auto* const bytes = static_cast<const std::byte*>(request.payload);
    copy.payload.assign(bytes, bytes + request.bytes);
  }
  const std::lock_guard hold(guard_);
  kept_.push_back(std::move(copy));
  count();
}

void outbox::count() noexcept {
  attachment_list& attachments = atl::layer_access::attachments(gex::runtime());
  const std::size_t old_count = kept_count_.exchange(kept_.size(), std::memory_order_release);
  if (old_count == 0 && !kept_.empty()) attachments.begin_silent_wait();
  if (old_count != 0 && kept_.empty()) attachments.end_silent_wait();
}

std::optional<outbox::kept_request> outbox::take() {
  const std::lock_guard hold(guard_);
  if (kept_.empty()) return std::nullopt;
  std::optional<kept_request> first = std::move(kept_.front());
  kept_.pop_front();
  count();
  return first;
}

void outbox::put_back(kept_request&& unsent) {
  const std::lock_guard hold(guard_);
  kept_.push_front(std::move(unsent));
  count();
}

}  // namespace atl::gex
