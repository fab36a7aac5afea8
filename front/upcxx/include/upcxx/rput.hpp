// SPDX-License-Identifier: BSD-3-Clause
//
// Remote put: one value or an array from private memory into the shared memory of any rank. To a
// rank whose memory is mapped here it is the test of locality and a store, complete when the call
// returns; otherwise it is the core's put, whose event brings the notices. Spec: 8.2.1.
#pragma once

#include <upcxx/by_value.hpp>
#include <upcxx/completion.hpp>
#include <upcxx/flight.hpp>
#include <upcxx/global_ptr.hpp>
#include <upcxx/serialization_traits.hpp>

#include <atoll/base/copy.hpp>
#include <atoll/base/language.hpp>
#include <atoll/base/slice.hpp>

#include <cstddef>
#include <cstring>
#include <type_traits>
#include <utility>

namespace atl::upcxx_front {

/// Starts a put that cannot be direct; wrong ranges end the job with a message. `keeps`: the source
/// is left alone until the put is complete, and is sent from where it lies; else it is free on
/// return.
void start_put(const place& to, const void* from, std::size_t bytes, bool keeps,
               event& done) noexcept;
void start_get(void* to, const place& from, std::size_t bytes, event& done) noexcept;

inline bool put_directly(const place& to, const void* from, std::size_t bytes) noexcept {
  if (!job.is_direct(to.rank, to.offset, bytes)) [[unlikely]]
    return false;
  copy_bytes(job.address(to.rank, to.offset), from, bytes);
  fence_stores();  // what follows, a flag or a message, is seen after the data
  return true;
}

// Puts by messages are kept out of the way: the rest is then small enough to be inlined whole, and
// the compiler sees that the future is ready. Tests count its instructions (tests/count). Places
// and values are passed by value: if a call could see an object through its address, the compiler
// would keep a copy of it in memory on the direct path, too.
template <bool Keeps, class List>
[[gnu::noinline, gnu::cold]] auto put_by_messages(place to, const void* from, std::size_t bytes,
                                                  List completions) {
  return launch<>(std::move(completions), to.rank, no_results(),
                  [&](no_results&, event& done) { start_put(to, from, bytes, Keeps, done); });
}

/// The bytes of one T.
template <class T>
struct value_bytes {
  alignas(T) std::byte bytes[sizeof(T)];
};

template <class T, class List>
[[gnu::noinline, gnu::cold]] auto put_value_by_messages(place to, value_bytes<T> value,
                                                        List completions) {
  return launch<>(std::move(completions), to.rank, no_results(), [&](no_results&, event& done) {
    start_put(to, value.bytes, sizeof(T), false, done);
  });
}

template <class T, class Cx>
[[gnu::always_inline]] inline auto put_value_to(place to, const T& value, Cx&& completions) {
  check_completions<Cx, false, true>();
  using list = without_cvref<Cx>;
  if (put_directly(to, &value, sizeof(T))) [[likely]]
    return tell_at_once<>(std::forward<Cx>(completions), to.rank);
  value_bytes<T> sent;
  std::memcpy(sent.bytes, static_cast<const void*>(&value), sizeof(T));
  return put_value_by_messages<T>(to, sent, list(std::forward<Cx>(completions)));
}

template <bool Source, class Cx>
[[gnu::always_inline]] inline auto put_bytes_to(const place& to, const void* from,
                                                std::size_t bytes, Cx&& completions) {
  check_completions<Cx, Source, true>();
  using list = without_cvref<Cx>;
  if (put_directly(to, from, bytes)) [[likely]]
    return tell_at_once<>(std::forward<Cx>(completions), to.rank);
  // A caller that learns only of the operation's end may not touch the source before it.
  constexpr bool keeps =
      Source && !list::includes(cx_event::source) && list::includes(cx_event::operation);
  return put_by_messages<keeps>(to, from, bytes, list(std::forward<Cx>(completions)));
}

template <class T>
inline constexpr bool can_be_copied_as_bytes = upcxx::is_trivially_serializable<T>::value;

[[noreturn, gnu::cold]] void refuse_private(const char* call) noexcept;

/// Ends the job when private memory is null.
inline void need_private(const void* memory, const char* call) noexcept {
  if (memory == nullptr) [[unlikely]]
    refuse_private(call);
}

}  // namespace atl::upcxx_front

namespace upcxx {

/// Puts a value. Has remote and operation completion.
template <class T, class Cx = atl::upcxx_front::default_cx>
[[nodiscard, gnu::always_inline]] inline auto rput(atl::not_deduced<T> value, global_ptr<T> dest,
                                                   Cx&& completions = Cx()) {
  static_assert(atl::upcxx_front::can_be_copied_as_bytes<T>,
                "rput: the type must be TriviallySerializable; others travel by rpc");
  static_assert(
      sizeof(T) <= UPCXX_MAX_VALUE_SIZE,
      "rput: this would pass a large object by value: use rput(source, dest, 1), or raise "
      "UPCXX_MAX_VALUE_SIZE");
  return atl::upcxx_front::put_value_to<T>(atl::upcxx_front::pointer_access::place_of(dest), value,
                                           std::forward<Cx>(completions));
}

/// Puts `count` values from `src`, which is left alone until source or operation completion.
template <class T, class Cx = atl::upcxx_front::default_cx>
[[nodiscard, gnu::always_inline]] inline auto rput(const atl::not_deduced<T>* src,
                                                   global_ptr<T> dest, std::size_t count,
                                                   Cx&& completions = Cx()) {
  static_assert(atl::upcxx_front::can_be_copied_as_bytes<T>,
                "rput: the type must be TriviallySerializable; others travel by rpc");
  atl::upcxx_front::need_private(src, "upcxx::rput");
  return atl::upcxx_front::put_bytes_to<true>(atl::upcxx_front::pointer_access::place_of(dest), src,
                                              count * sizeof(T), std::forward<Cx>(completions));
}

/// The same for a contiguous range; puts nothing for an empty one.
template <class T, class Cx = atl::upcxx_front::default_cx>
[[nodiscard]] auto rput(atl::slice<const atl::not_deduced<T>> src, global_ptr<T> dest,
                        Cx&& completions = Cx()) {
  static_assert(atl::upcxx_front::can_be_copied_as_bytes<T>,
                "rput: the type must be TriviallySerializable; others travel by rpc");
  return atl::upcxx_front::put_bytes_to<true>(atl::upcxx_front::pointer_access::place_of(dest),
                                              src.data(), src.size() * sizeof(T),
                                              std::forward<Cx>(completions));
}

}  // namespace upcxx
