// SPDX-License-Identifier: BSD-3-Clause
//
// The text is never destroyed, because processes are refused something at their end too.
#include <atoll/core/job/latest_refusal.hpp>

#include <mutex>
#include <utility>

namespace atl {

namespace {

struct noted_text {
  std::mutex guard;
  std::string text;
};

noted_text& noted() {
  static noted_text* const only = new noted_text;
  return *only;
}

}  // namespace

void note_refusal(std::string text) noexcept {
  const std::lock_guard hold(noted().guard);
  noted().text = std::move(text);
}

std::string latest_refusal() {
  const std::lock_guard hold(noted().guard);
  return noted().text;
}

}  // namespace atl
