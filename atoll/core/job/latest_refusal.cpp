// SPDX-License-Identifier: BSD-3-Clause
//
// A process has one runtime, and several only where threads are ranks in tests. The list is never
// destroyed, because runtimes may end after the objects of this file.
#include <atoll/core/job/latest_refusal.hpp>

#include <map>
#include <mutex>
#include <utility>

namespace atl {

namespace {

struct noted_refusals {
  std::mutex guard;
  std::map<const runtime*, std::string> texts;
};

noted_refusals& noted() {
  static noted_refusals* const only = new noted_refusals;
  return *only;
}

}  // namespace

void note_refusal(const runtime& owner, std::string text) {
  const std::lock_guard hold(noted().guard);
  noted().texts.insert_or_assign(&owner, std::move(text));
}

std::string take_refusal(const runtime& owner) {
  const std::lock_guard hold(noted().guard);
  const auto found = noted().texts.extract(&owner);
  return found.empty() ? std::string() : std::move(found.mapped());
}

}  // namespace atl
