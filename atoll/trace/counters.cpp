// SPDX-License-Identifier: BSD-3-Clause
//
// The list of counting threads. It is touched when a thread counts for the first time, when it
// ends, and by readers; never while counting.
#include <atoll/trace/counters.hpp>

#include <atoll/base/threads/thread_end.hpp>

#include <algorithm>
#include <cstdio>
#include <mutex>
#include <utility>
#include <vector>

namespace atl::trace {

constinit thread_local thread_counters* my_counters = nullptr;

namespace {

// All counting threads of the process, and the sums of those that have ended.
struct registry {
  std::mutex guard;
  std::vector<thread_counters*> living;
  totals ended{};
};

// Never destroyed: threads may outlive static destruction.
registry& global_registry() {
  static registry* const instance = new registry;
  return *instance;
}

std::uint64_t value_of(thread_counters& block, std::size_t index) noexcept {
  return std::atomic_ref<std::uint64_t>(block.values[index]).load(std::memory_order_relaxed);
}

// Takes the block off the list when its thread ends.
void delist(void*) {
  thread_counters* const block = std::exchange(my_counters, nullptr);
  registry& every = global_registry();
  const std::lock_guard hold(every.guard);
  std::erase(every.living, block);
  for (std::size_t index = 0; index < counter_count; ++index)
    every.ended[index] += block->values[index];
  delete block;
}

constexpr std::array<std::string_view, counter_count> names{
    "puts",          "put bytes",      "gets",          "get bytes",
    "requests",      "replies",        "message bytes", "handlers run",
    "polls",         "request stalls", "reply stalls",  "refusals",
    "waits",         "barriers",       "atomics",       "network atomics",
    "registrations", "kernel copies"};

}  // namespace

void enlist() noexcept {
  my_counters = new thread_counters{};
  at_end_of_thread(delist, nullptr);
  registry& every = global_registry();
  const std::lock_guard hold(every.guard);
  every.living.push_back(my_counters);
}

totals read() noexcept {
  registry& every = global_registry();
  const std::lock_guard hold(every.guard);
  totals sums = every.ended;
  for (thread_counters* block : every.living) {
    for (std::size_t index = 0; index < counter_count; ++index)
      sums[index] += value_of(*block, index);
  }
  return sums;
}

std::string_view name_of(counter counter_id) noexcept {
  return names[static_cast<std::size_t>(counter_id)];
}

std::string table(const totals& sums) {
  std::string text;
  for (std::size_t index = 0; index < counter_count; ++index) {
    if (sums[index] == 0) continue;
    char line[64];
    std::snprintf(line, sizeof line, "  %-16s %16llu\n", names[index].data(),
                  static_cast<unsigned long long>(sums[index]));
    text += line;
  }
  return text;
}

}  // namespace atl::trace
