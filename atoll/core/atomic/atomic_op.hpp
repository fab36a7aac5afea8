// SPDX-License-Identifier: BSD-3-Clause
//
// How this processor does an operation of remote atomics on a number that is mapped here. Both
// callers use perform(): an initiator whose loads and stores reach the number, and the handler at
// its owner. So all operations are atomic with respect to each other. An operation for which the
// processor has no instruction is a loop of compare-and-swap.
//
// Order: every operation that reads is an acquire and every one that writes a release, which costs
// nothing on x86. Pairs: a release with the acquire that reads what it wrote. Integers wrap.
// Compare-and-swap compares floating numbers as == does, except that a NaN equals itself.
#pragma once

#include <atoll/base/atomic_ops.hpp>
#include <atoll/base/language.hpp>
#include <atoll/base/threads/atomic_view.hpp>

#include <atomic>
#include <cstdint>
#include <string>
#include <type_traits>

namespace atl {

/// "fetch_add", and "add, get" for a set.
const char* name_of(atomic_op op) noexcept;
std::string names_of(atomic_ops set);

/// Types that have remote atomics.
template <class T>
inline constexpr bool is_atomic_number =
    std::is_same_v<T, std::int32_t> || std::is_same_v<T, std::uint32_t> ||
    std::is_same_v<T, std::int64_t> || std::is_same_v<T, std::uint64_t> ||
    std::is_same_v<T, float> || std::is_same_v<T, double>;

template <class T>
constexpr data_type data_type_of() noexcept {
  static_assert(is_atomic_number<T>,
                "remote atomics: signed and unsigned integers of 32 and 64 "
                "bits, float and double");
  if constexpr (std::is_floating_point_v<T>) {
    return sizeof(T) == 4 ? data_type::f32 : data_type::f64;
  } else if constexpr (std::is_signed_v<T>) {
    return sizeof(T) == 4 ? data_type::i32 : data_type::i64;
  } else {
    return sizeof(T) == 4 ? data_type::u32 : data_type::u64;
  }
}

/// An operation and its operands.
template <class T>
struct atomic_request {
  atomic_op op = atomic_op::get;
  T operand = {};
  T operand2 = {};
};

/// Options of an atomic operation. Acquire: nothing after the operation moves before it; release:
/// nothing before it moves after it. They matter where they are not implied: acquire for set,
/// release for get.
struct atomic_options {
  bool immediate = false;  // refuse rather than wait for resources
  bool acquire = false;
  bool release = false;
};

// The bits of a number, for any type of its size. Compilers keep them in registers; a floating
// number that is compared and swapped they keep in memory.
using number_bits_32 [[gnu::may_alias]] = std::uint32_t;
using number_bits_64 [[gnu::may_alias]] = std::uint64_t;

/// Replaces x by next(x). Compares bits.
template <class Bits, class T, class Next>
[[gnu::always_inline]] inline T replace_bits(Bits* address, Next next) noexcept {
  Bits seen = __atomic_load_n(address, __ATOMIC_RELAXED);
  for (;;) {
    const T x = bits_as<T>(seen);
    const Bits wanted = bits_as<Bits>(next(x));
    if (__atomic_compare_exchange_n(address, &seen, wanted, true, __ATOMIC_ACQ_REL,
                                    __ATOMIC_RELAXED)) {
      return x;
    }
  }
}

template <class T, class Next>
[[gnu::always_inline]] inline T replace_atomically(T* address, Next next) noexcept {
  if constexpr (sizeof(T) == 4) {
    return replace_bits<number_bits_32, T>(reinterpret_cast<number_bits_32*>(address), next);
  } else {
    return replace_bits<number_bits_64, T>(reinterpret_cast<number_bits_64*>(address), next);
  }
}

/// Replaces x by `value` unless keeps(x). A number that already is the minimum is not written, so
/// that readers keep their copies of the line.
template <class T, class Keeps>
T replace_unless(T* address, T value, Keeps keeps) noexcept {
  atomic_view<T> number(*address);
  T seen = number.load(std::memory_order_acquire);
  while (!keeps(seen) && !number.compare_exchange_weak(seen, value, std::memory_order_acq_rel,
                                                       std::memory_order_acquire)) {
  }
  return seen;
}

/// The processor compares bits; numbers that differ in bits but not in value (zeros) are tried
/// again.
template <class T>
T compare_and_swap(T* address, T expected, T value) noexcept {
  atomic_view<T> number(*address);
  T seen = expected;
  while (!number.compare_exchange_strong(seen, value, std::memory_order_acq_rel,
                                         std::memory_order_acquire)) {
    if (!(seen == expected)) break;
  }
  return seen;
}

// Always inlined, because an operation that is known at compile time becomes one instruction.
template <class T>
[[gnu::always_inline]] inline T perform_integer(T* address, atomic_op op, T a) noexcept {
  using bits = std::make_unsigned_t<T>;  // products wrap
  constexpr auto order = std::memory_order_acq_rel;
  atomic_view<T> number(*address);
  switch (op) {
    case atomic_op::bit_and:
      number.fetch_and(a, order);  // without the result this is one instruction
      return T{};
    case atomic_op::bit_or:
      number.fetch_or(a, order);
      return T{};
    case atomic_op::bit_xor:
      number.fetch_xor(a, order);
      return T{};
    case atomic_op::fetch_and:
      return number.fetch_and(a, order);
    case atomic_op::fetch_or:
      return number.fetch_or(a, order);
    case atomic_op::fetch_xor:
      return number.fetch_xor(a, order);
    case atomic_op::add:
    case atomic_op::fetch_add:
      return number.fetch_add(a, order);
    case atomic_op::sub:
    case atomic_op::fetch_sub:
      return number.fetch_sub(a, order);
    case atomic_op::inc:
    case atomic_op::fetch_inc:
      return number.fetch_add(1, order);
    case atomic_op::dec:
    case atomic_op::fetch_dec:
      return number.fetch_sub(1, order);
    default:  // mult, fetch_mult
      return replace_atomically(address, [a](T x) {
        return static_cast<T>(static_cast<bits>(x) * static_cast<bits>(a));
      });
  }
}

template <class T>
[[gnu::always_inline]] inline T perform_floating(T* address, atomic_op op, T a) noexcept {
  switch (plain(op)) {
    case atomic_op::add:
      return replace_atomically(address, [a](T x) { return x + a; });
    case atomic_op::sub:
      return replace_atomically(address, [a](T x) { return x - a; });
    case atomic_op::inc:
      return replace_atomically(address, [](T x) { return x + 1; });
    case atomic_op::dec:
      return replace_atomically(address, [](T x) { return x - 1; });
    default:  // mult
      return replace_atomically(address, [a](T x) { return x * a; });
  }
}

/// Does the operation on the number at `address`, which is aligned to its size; returns x,
/// meaningful for operations that fetch. The operation must be one of ops_of the type.
template <class T>
[[gnu::always_inline]] inline T perform(T* address, const atomic_request<T>& request,
                                        atomic_options options = {}) noexcept {
  atomic_view<T> number(*address);
  const T a = request.operand;
  switch (request.op) {
    case atomic_op::get:
      // A load cannot be a release; the fence holds what came before.
      if (options.release) std::atomic_thread_fence(std::memory_order_seq_cst);
      return number.load(std::memory_order_acquire);
    case atomic_op::set:
      if (options.acquire) return number.exchange(a, std::memory_order_acq_rel);
      number.store(a, std::memory_order_release);
      return T{};
    case atomic_op::swap:
      return number.exchange(a, std::memory_order_acq_rel);
    case atomic_op::cas:
    case atomic_op::fetch_cas:
      return compare_and_swap(address, a, request.operand2);
    case atomic_op::min:
    case atomic_op::fetch_min:
      return replace_unless(address, a, [a](T x) { return x <= a; });
    case atomic_op::max:
    case atomic_op::fetch_max:
      return replace_unless(address, a, [a](T x) { return x >= a; });
    default:
      if constexpr (std::is_integral_v<T>) {
        return perform_integer(address, request.op, a);
      } else {
        return perform_floating(address, request.op, a);
      }
  }
}

}  // namespace atl
