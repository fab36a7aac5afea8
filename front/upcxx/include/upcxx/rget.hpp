// SPDX-License-Identifier: BSD-3-Clause
//
// Remote get: one value, or an array into private memory, out of the shared memory of any rank.
// From a rank whose memory is mapped here it is the test of locality and a load, complete when the
// call returns; otherwise the core's get. Spec: 8.2.2.
#pragma once

#include <atoll/base/language.hpp>
#include <atoll/base/slice.hpp>
#include <upcxx/rput.hpp>

#include <cstddef>
#include <new>
#include <tuple>
#include <type_traits>
#include <utility>

namespace atl::upcxx_front {

inline bool get_directly(void* to, const place& from, std::size_t bytes) noexcept {
  if (!job.is_direct(from.rank, from.offset, bytes)) [[unlikely]]
    return false;
  copy_bytes(to, job.address(from.rank, from.offset), bytes);
  fence_loads();
  return true;
}

/// Bytes that become a T once they are all there.
template <class T>
struct landing {
  alignas(T) std::byte bytes[sizeof(T)];
  const T& value() const noexcept { return *std::launder(reinterpret_cast<const T*>(bytes)); }
  std::tuple<T> take() const { return std::tuple<T>(value()); }
};

// Kept out of line, away from the direct path, as in rput.hpp.
template <class T, class List>
[[gnu::noinline, gnu::cold]] auto get_value_by_messages(place from, List completions) {
  return launch<T>(
      std::move(completions), from.rank, landing<T>(),
      [&](landing<T>& into, event& done) { start_get(into.bytes, from, sizeof(T), done); });
}
template <class List>
[[gnu::noinline, gnu::cold]] auto get_by_messages(void* to, place from, std::size_t bytes,
                                                  List completions) {
  return launch<>(std::move(completions), from.rank, no_results(),
                  [&](no_results&, event& done) { start_get(to, from, bytes, done); });
}

template <class T, class Cx>
[[gnu::always_inline]] inline auto get_elements(T* to, const upcxx::global_ptr<const T>& src,
                                                std::size_t count, Cx&& completions) {
  static_assert(can_be_copied_as_bytes<T>,
                "rget: the type must be TriviallySerializable; others travel by rpc");
  check_completions<Cx, false, true>();
  const place& from = pointer_access::place_of(src);
  using list = without_cvref<Cx>;
  if (get_directly(to, from, count * sizeof(T))) [[likely]]
    return tell_at_once<>(std::forward<Cx>(completions), from.rank);
  return get_by_messages(to, from, count * sizeof(T), list(std::forward<Cx>(completions)));
}

/// The argument after the source of a value is a completion object, and not a place for values.
template <class Cx, class T>
using if_not_a_range_of = std::enable_if_t<!std::is_constructible_v<slice<T>, Cx>>;

}  // namespace atl::upcxx_front

namespace upcxx {

/// Gets a value, which operation completion brings.
template <class T, class Cx = atl::upcxx_front::default_cx,
          class = atl::upcxx_front::if_not_a_range_of<Cx, T>>
[[nodiscard, gnu::always_inline]] inline auto rget(global_ptr<const T> src,
                                                   Cx&& completions = Cx()) {
  namespace front = atl::upcxx_front;
  static_assert(front::can_be_copied_as_bytes<T>,
                "rget: the type must be TriviallySerializable; others travel by rpc");
  static_assert(sizeof(T) <= UPCXX_MAX_VALUE_SIZE,
                "rget: this would return a large object by value: use rget(src, dest, 1), or raise "
                "UPCXX_MAX_VALUE_SIZE");
  front::check_completions<Cx, false, true>();
  const front::place& from = front::pointer_access::place_of(src);
  using list = atl::without_cvref<Cx>;
  front::landing<T> buffer;
  if (front::get_directly(buffer.bytes, from, sizeof(T))) [[likely]]
    return front::tell_at_once<T>(std::forward<Cx>(completions), from.rank, buffer.value());
  return front::get_value_by_messages<T>(from, list(std::forward<Cx>(completions)));
}

/// Gets `count` values to `dest`.
template <class T, class Cx = atl::upcxx_front::default_cx>
[[nodiscard, gnu::always_inline]] inline auto rget(global_ptr<const T> src,
                                                   atl::not_deduced<T>* dest, std::size_t count,
                                                   Cx&& completions = Cx()) {
  atl::upcxx_front::need_private(dest, "upcxx::rget");
  return atl::upcxx_front::get_elements<T>(dest, src, count, std::forward<Cx>(completions));
}

/// The same to a contiguous range, which has the count; gets nothing for an empty one.
template <class T, class Cx = atl::upcxx_front::default_cx>
[[nodiscard, gnu::always_inline]] inline auto rget(global_ptr<const T> src,
                                                   atl::slice<atl::not_deduced<T>> dest,
                                                   Cx&& completions = Cx()) {
  return atl::upcxx_front::get_elements<T>(dest.data(), src, dest.size(),
                                           std::forward<Cx>(completions));
}

}  // namespace upcxx
