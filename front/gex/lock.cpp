// SPDX-License-Identifier: BSD-3-Clause
//
// Handler-safe locks: one word, 0 free, 1 held, 2 held and waited for (Drepper, "Futexes are
// tricky", the second mutex). They are real in every thread mode, because a progress thread may run
// handlers beside a client of one thread. Each thread counts those it holds (context.hpp).
#include <gasnetex_system.h>
#include <front/gex/context.hpp>
#include <front/gex/objects.hpp>

#include <atomic>

using namespace atl::gex;

namespace {

constexpr std::uint32_t is_free = 0, is_held = 1, is_waited_for = 2;

std::atomic_ref<std::uint32_t> word(gex_HSL_t* hsl) noexcept {
  return std::atomic_ref<std::uint32_t>(hsl->atoll_state);
}

bool take(std::atomic_ref<std::uint32_t> state) noexcept {
  std::uint32_t expected = is_free;
  // Acquire: pairs with the release in gex_HSL_Unlock.
  return state.compare_exchange_strong(expected, is_held, std::memory_order_acquire,
                                       std::memory_order_relaxed);
}

// With one thread, no other could hold the lock or release it. Returns true when this thread holds
// it already and goes on, as with a GASNet that has no locks at all.
bool is_own_already() noexcept {
  if (the_process == nullptr || held.locks == 0) return false;
  if (runtime().threads() != atl::thread_mode::single || runtime().has_progress_thread()) {
    return false;
  }
  refuse_unless_tolerated("gex_HSL_Lock", "this thread, the only one, holds the lock already",
                          "release it first, or take it once");
  return true;
}

}  // namespace

void gex_HSL_Init(gex_HSL_t* hsl) { word(hsl).store(is_free, std::memory_order_relaxed); }

void gex_HSL_Destroy(gex_HSL_t* hsl) {
  if (word(hsl).load(std::memory_order_relaxed) == is_free) return;
  refuse_unless_tolerated("gex_HSL_Destroy", "the lock is held", "release it first");
}

void gex_HSL_Lock(gex_HSL_t* hsl) {
  const std::atomic_ref<std::uint32_t> state = word(hsl);
  if (!take(state) && !is_own_already()) {
    // Acquire as in take(); a thread that has waited cannot know whether others still do.
    while (state.exchange(is_waited_for, std::memory_order_acquire) != is_free) {
      state.wait(is_waited_for, std::memory_order_relaxed);
    }
  }
  ++held.locks;
}

int gex_HSL_Trylock(gex_HSL_t* hsl) {
  if (!take(word(hsl))) return GASNET_ERR_NOT_READY;
  ++held.locks;
  return GASNET_OK;
}

void gex_HSL_Unlock(gex_HSL_t* hsl) {
  if (held.locks == 0) {
    refuse_unless_tolerated("gex_HSL_Unlock", "this thread holds no handler-safe lock",
                            "unlock once for each lock, in the thread that locked");
  } else {
    --held.locks;
  }
  const std::atomic_ref<std::uint32_t> state = word(hsl);
  // Release: pairs with the acquire of the thread that takes it next.
  if (state.exchange(is_free, std::memory_order_release) == is_waited_for) state.notify_one();
}
