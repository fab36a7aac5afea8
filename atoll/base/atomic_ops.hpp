// SPDX-License-Identifier: BSD-3-Clause
//
// Operations of remote atomics by name, and sets of them. The core performs them with the
// processor, and a network may perform them instead. This header says what each operation does to a
// number; the core (core/atomic/atomic_op.hpp) or the transport says how.
#pragma once

#include <atoll/base/data_type.hpp>

#include <cstdint>

namespace atl {

/// The operations. Each comment gives the new value of the number at the target: x is the old
/// value, a and b are the operands. Operations from fetch_and on, and get, also return x to the
/// caller.
enum class atomic_op : std::uint8_t {
  bit_and,         // x & a; integers only, as the next two
  bit_or,          // x | a
  bit_xor,         // x ^ a
  add,             // x + a
  sub,             // x - a
  mult,            // x * a
  min,             // x < a ? x : a
  max,             // x > a ? x : a
  inc,             // x + 1
  dec,             // x - 1
  set,             // a
  cas,             // x == a ? b : x; never fails for another reason
  get,             // x
  fetch_and = 14,  // each of the above, fetch_and - bit_and further on
  fetch_or,
  fetch_xor,
  fetch_add,
  fetch_sub,
  fetch_mult,
  fetch_min,
  fetch_max,
  fetch_inc,
  fetch_dec,
  swap,  // set
  fetch_cas,
};

constexpr bool fetches(atomic_op op) noexcept { return op >= atomic_op::get; }

/// The operation that does the same without returning a result; get stays get.
constexpr atomic_op plain(atomic_op op) noexcept {
  constexpr auto distance = static_cast<std::uint8_t>(atomic_op::fetch_and);
  return op < atomic_op::fetch_and
             ? op
             : static_cast<atomic_op>(static_cast<std::uint8_t>(op) - distance);
}

/// The number of operands of an operation: 0, 1 or 2.
constexpr unsigned operands_of(atomic_op op) noexcept {
  switch (plain(op)) {
    case atomic_op::inc:
    case atomic_op::dec:
    case atomic_op::get:
      return 0;
    case atomic_op::cas:
      return 2;
    default:
      return 1;
  }
}

/// A set of operations, one bit each, by the value of the operation.
class atomic_ops {
 public:
  constexpr atomic_ops() = default;
  constexpr atomic_ops(atomic_op only) noexcept  // an operation is a set of one
      : bits_(std::uint32_t{1} << static_cast<unsigned>(only)) {}
  static constexpr atomic_ops of_bits(std::uint32_t bits) noexcept { return atomic_ops(bits); }

  constexpr std::uint32_t bits() const noexcept { return bits_; }
  constexpr bool contains(atomic_op op) const noexcept {
    return (bits_ >> static_cast<unsigned>(op) & 1) != 0;
  }
  constexpr bool empty() const noexcept { return bits_ == 0; }
  friend constexpr atomic_ops operator|(atomic_ops a, atomic_ops b) noexcept {
    return atomic_ops(a.bits_ | b.bits_);
  }
  /// The operations of a that are not in b.
  friend constexpr atomic_ops operator-(atomic_ops a, atomic_ops b) noexcept {
    return atomic_ops(a.bits_ & ~b.bits_);
  }
  friend constexpr bool operator==(atomic_ops a, atomic_ops b) noexcept {
    return a.bits_ == b.bits_;
  }
  friend constexpr bool operator!=(atomic_ops a, atomic_ops b) noexcept { return !(a == b); }

 private:
  explicit constexpr atomic_ops(std::uint32_t bits) noexcept : bits_(bits) {}
  std::uint32_t bits_ = 0;
};

constexpr atomic_ops operator|(atomic_op a, atomic_op b) noexcept {
  return atomic_ops(a) | atomic_ops(b);
}

/// The operations that a type has; the empty set for a type without atomics.
constexpr atomic_ops ops_of(data_type type) noexcept {
  const atomic_ops every = atomic_ops::of_bits(0x3ffdfff);  // 13 is no operation
  if (is_floating(type)) return atomic_ops::of_bits(every.bits() & ~0x1c007u);
  return size_bytes(type) >= 4 ? every : atomic_ops();
}

}  // namespace atl
