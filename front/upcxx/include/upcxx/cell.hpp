// SPDX-License-Identifier: BSD-3-Clause
//
// The state behind futures that are not ready yet: a count of what they wait for, the values once
// they are there, and the continuations to run then. References are counted without atomics: a
// cell belongs to one persona, and so to one thread at a time (spec 5.5).
//
// A waiter registers a continuation, a node inside its own cell (or coroutine frame), so that
// waiting allocates nothing. When a cell becomes ready, its continuations are put on a list and run
// from there; the continuations of the cells that they make ready are appended to it. So a chain of
// a million dependent futures is a loop and not a recursion.
//
// A registration holds a reference to the waiting cell, never the other way round: when a future
// that can never be fulfilled ends, the futures that wait for it end too.
#pragma once

#include <atoll/base/language.hpp>
#include <upcxx/blocks.hpp>

#include <cstdint>
#include <memory>
#include <tuple>
#include <type_traits>
#include <utility>

namespace atl::upcxx_front {

struct cell;
class cascade;

/// Something to do when a cell becomes ready. `run` is called once, or else `drop`, when the cell
/// ends without ever becoming ready.
struct cell_continuation {
  cell_continuation* next = nullptr;
  cell* source = nullptr;
  void (*run)(cell_continuation& self, cascade& more) noexcept = nullptr;
  void (*drop)(cell_continuation& self) noexcept = nullptr;
};

struct cell {
  std::intptr_t pending = 1;  // dependencies; 0: ready
  std::uint32_t refs = 1;
  bool filled = false;  // this cell's own values have been made
  cell* holder = this;  // whose values these are: another's where a callback returned it
  cell_continuation* waiting = nullptr;  // newest first
  void (*end)(cell& self) noexcept = nullptr;

  bool ready() const noexcept { return pending == 0; }
  void attach(cell_continuation& waiter) noexcept {
    waiter.next = waiting;
    waiting = &waiter;
  }
};

inline cell* retain(cell* counted) noexcept {
  ++counted->refs;
  return counted;
}
inline void release(cell* counted) noexcept {
  if (--counted->refs == 0) counted->end(*counted);
}

/// Every cell does this at its end, before its memory is freed.
inline void forget_others(cell& gone) noexcept {
  cell_continuation* each = std::exchange(gone.waiting, nullptr);
  while (each != nullptr) {
    cell_continuation& dropped = *std::exchange(each, each->next);
    dropped.drop(dropped);
  }
  if (gone.holder != &gone) release(gone.holder);
}

/// The continuations to run because cells have become ready, in order.
class cascade {
 public:
  cascade() = default;
  cascade(const cascade&) = delete;
  cascade& operator=(const cascade&) = delete;

  /// A cell whose last dependency is fulfilled.
  void add(cell& ready) noexcept {
    cell_continuation* newest = std::exchange(ready.waiting, nullptr);
    if (newest == nullptr) return;
    cell_continuation* oldest = nullptr;
    cell_continuation* const last = newest;
    while (newest != nullptr) {  // reverses the list: those registered first run first
      newest->source = retain(&ready);
      cell_continuation* const next = std::exchange(newest->next, oldest);
      oldest = std::exchange(newest, next);
    }
    *end_ = oldest;
    end_ = &last->next;
  }

  void run() noexcept {
    while (first_ != nullptr) {
      cell_continuation& current = *first_;
      first_ = current.next;
      if (first_ == nullptr) end_ = &first_;
      cell* const source = current.source;
      current.run(current, *this);
      release(source);
    }
  }

 private:
  cell_continuation* first_ = nullptr;
  cell_continuation** end_ = &first_;
};

/// Takes dependencies away; runs what waits when none is left.
inline void fulfil(cell& target, std::intptr_t count) noexcept {
  target.pending -= count;
  if (target.pending == 0 && target.waiting != nullptr) {
    cascade now;
    now.add(target);
    now.run();
  }
}

// --- values ------------------------------------------------------------------------------------

/// How a future keeps a value: references as pointers, all else as it is.
template <class T>
using kept_value = std::conditional_t<std::is_reference_v<T>, std::remove_reference_t<T>*, T>;
template <class... T>
using kept_values = std::tuple<kept_value<T>...>;

/// How a future shows a value: references as they are, all else as a reference to const.
template <class T>
using shown_value = std::conditional_t<std::is_reference_v<T>, T, const T&>;

template <class T>
shown_value<T> show(const kept_value<T>& value) noexcept {
  if constexpr (std::is_reference_v<T>) {
    return static_cast<T>(*value);
  } else {
    return value;
  }
}

/// Gives a kept value away.
template <class T>
T&& give(kept_value<T>& value) noexcept {
  if constexpr (std::is_reference_v<T>) {
    return static_cast<T&&>(*value);
  } else {
    return std::move(value);
  }
}

/// Makes what is kept of an argument.
template <class T, class U>
decltype(auto) keep(U&& value) noexcept {
  if constexpr (std::is_reference_v<T>) {
    return std::addressof(value);
  } else {
    return std::forward<U>(value);
  }
}

template <class... T>
struct value_cell : cell {
  value_cell() noexcept { end = &end_plain; }
  value_cell(const value_cell&) = delete;
  value_cell& operator=(const value_cell&) = delete;
  ~value_cell() {
    forget_others(*this);
    if (filled) std::destroy_at(&values);
  }

  template <class... U>
  void fill(U&&... from) {
    atl::construct(&values, keep<T>(std::forward<U>(from))...);
    filled = true;
  }
  /// Destroys its own values.
  void empty() noexcept {
    std::destroy_at(&values);
    filled = false;
  }

  static void end_plain(cell& self) noexcept { end_in_block(static_cast<value_cell*>(&self)); }

  union {
    kept_values<T...> values;
  };
};

/// The values of a cell that is ready.
template <class... T>
const kept_values<T...>& values_of(const cell& ready) noexcept {
  return static_cast<const value_cell<T...>*>(ready.holder)->values;
}

/// Whether only the future that asks can see the values of this ready cell.
inline bool holds_alone(const cell& ready) noexcept {
  return ready.refs == 1 && (ready.holder == &ready || ready.holder->refs == 1);
}

/// Takes over the values of a ready cell of the same types, without a copy.
inline void share_values(cell& to, cell& from) noexcept { to.holder = retain(from.holder); }

}  // namespace atl::upcxx_front
