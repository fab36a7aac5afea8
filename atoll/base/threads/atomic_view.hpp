// SPDX-License-Identifier: BSD-3-Clause
//
// Atomic operations on a number that is declared without std::atomic: what std::atomic_ref is
// from C++20 on, for the headers that programs in C++17 include. It uses the compiler's builtins,
// as std::atomic_ref does, so both become the same instructions. The number is aligned to its
// size and outlives the view.
//
// The caller gives the orders, and says there what each pairs with.
#pragma once

#include <atomic>
#include <type_traits>

namespace atl {

template <class T>
class atomic_view {
  static_assert(std::is_arithmetic_v<T>);

 public:
  explicit atomic_view(T& number) noexcept : number_(&number) {}

  T load(std::memory_order order) const noexcept {
    T value;
    __atomic_load(number_, &value, builtin(order));
    return value;
  }
  void store(T value, std::memory_order order) const noexcept {
    __atomic_store(number_, &value, builtin(order));
  }
  T exchange(T value, std::memory_order order) const noexcept {
    T old_value;
    __atomic_exchange(number_, &value, &old_value, builtin(order));
    return old_value;
  }
  bool compare_exchange_weak(T& expected, T value, std::memory_order success,
                             std::memory_order failure) const noexcept {
    return __atomic_compare_exchange(number_, &expected, &value, true, builtin(success),
                                     builtin(failure));
  }
  bool compare_exchange_strong(T& expected, T value, std::memory_order success,
                               std::memory_order failure) const noexcept {
    return __atomic_compare_exchange(number_, &expected, &value, false, builtin(success),
                                     builtin(failure));
  }

  // Integers only.
  T fetch_add(T value, std::memory_order order) const noexcept {
    return __atomic_fetch_add(number_, value, builtin(order));
  }
  T fetch_sub(T value, std::memory_order order) const noexcept {
    return __atomic_fetch_sub(number_, value, builtin(order));
  }
  T fetch_and(T value, std::memory_order order) const noexcept {
    return __atomic_fetch_and(number_, value, builtin(order));
  }
  T fetch_or(T value, std::memory_order order) const noexcept {
    return __atomic_fetch_or(number_, value, builtin(order));
  }
  T fetch_xor(T value, std::memory_order order) const noexcept {
    return __atomic_fetch_xor(number_, value, builtin(order));
  }

 private:
  static constexpr int builtin(std::memory_order order) noexcept { return static_cast<int>(order); }

  T* number_;
};

}  // namespace atl
