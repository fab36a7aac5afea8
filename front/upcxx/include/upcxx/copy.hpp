// SPDX-License-Identifier: BSD-3-Clause
//
// Copies between memory of any kind and any rank: plain pointers of this process and global
// pointers, in any mix. Where both ends are mapped here it is a copy, complete when the call
// returns; with one end here, a put or a get; and where both are elsewhere the destination is asked
// to get the data, makes the calls that wait for it, and answers. The ends must not overlap.
// Spec: 16.2.3.
#pragma once

#include <atoll/base/language.hpp>
#include <upcxx/rpc.hpp>
#include <upcxx/rput.hpp>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <type_traits>
#include <utility>

namespace atl::upcxx_front {

/// One end of a copy, and its address here; null when it is not mapped.
struct copy_end {
  place location;
  std::byte* mapped;
};
/// Ends the job for null and for memory of devices.
copy_end end_of_copy(const place& location, std::size_t bytes) noexcept;
copy_end end_of_copy(const void* address) noexcept;

/// Start copies that are not direct: a put needs from.mapped, a get to.mapped.
void start_copy_put(const copy_end& to, const copy_end& from, std::size_t bytes,
                    event& done) noexcept;
void start_copy_get(const copy_end& to, const copy_end& from, std::size_t bytes,
                    event& done) noexcept;
/// Gets and waits, with internal progress.
void get_for_copy(void* to, const copy_end& from, std::size_t bytes) noexcept;

/// A rank's request to the destination's owner to copy. `calls` calls follow it, each with its
/// length.
struct copy_request {
  place to;
  place from;
  std::uint64_t bytes;
  std::uint64_t calls;
};
void run_asked_copy(reader& body, void* context);

inline bool copied_directly(const copy_end& to, const copy_end& from, std::size_t bytes) noexcept {
  if (to.mapped == nullptr || from.mapped == nullptr) return false;
  fence_loads();
  copy_bytes(to.mapped, from.mapped, bytes);
  fence_stores();  // what follows, a flag or a message, is seen after the data
  return true;
}

/// A completion object as it is told where the source is read elsewhere: that it is free is known
/// at the end only.
template <class Cx>
Cx late_source(Cx cx) {
  return cx;
}
template <bool Eager>
auto late_source(future_cx<cx_event::source, Eager>) {
  return future_cx<cx_event::late_source, Eager>{};
}
template <bool Eager, class... T>
auto late_source(promise_cx<cx_event::source, Eager, T...> cx) {
  return promise_cx<cx_event::late_source, Eager, T...>{std::move(cx.to)};
}
template <class Func>
auto late_source(lpc_cx<cx_event::source, Func> cx) {
  return lpc_cx<cx_event::late_source, Func>{cx.to, std::move(cx.func)};
}
template <class... Cx>
auto late_sources(completions<Cx...>&& given) {
  return std::apply(
      [](Cx&... cx) {
        return completions<decltype(late_source(std::move(cx)))...>{
            {late_source(std::move(cx))...}};
      },
      given.parts);
}

template <class T>
inline constexpr bool has_copied_source = false;
template <class... Cx>
inline constexpr bool has_copied_source<completions<Cx...>> =
    (std::is_same_v<Cx, copied_cx> || ... || false);

/// Both ends are elsewhere: asks the destination's owner.
template <class List>
auto ask_for_copy(const copy_end& to, const copy_end& from, std::size_t bytes, List completions) {
  using record = rpc_record<List, type_list<>>;
  constexpr bool answers =
      List::includes(cx_event::operation) || List::includes(cx_event::late_source);
  auto* const made = make_in_block<record>(completions, to.location.rank);
  writer message;
  write_entry(message, &run_asked_copy);
  copy_request request{to.location, from.location, bytes, 0};
  const auto place_of_request = message.reserve<copy_request>();
  made->give_calls([&](waiting_call_ptr call) {
    ++request.calls;
    message.write(std::uint64_t{call->command.size()});
    message.write_bytes(call->command.data(), call->command.size(), buffer_alignment);
  });
  message.commit(place_of_request, request);
  const auto token = answers ? reinterpret_cast<std::uint64_t>(made) : 0;
  if constexpr (std::is_void_v<decltype(made->promised(completions))>) {
    made->promised(completions);
    if constexpr (!answers) end_in_block(made);
    send_command(to.location.rank, message_use::call, token, message);
  } else {
    auto futures = made->promised(completions);
    send_command(to.location.rank, message_use::call, token, message);
    return futures;
  }
}

template <class List>
auto copy_from_elsewhere(const copy_end& to, const copy_end& from, std::size_t bytes,
                         List completions) {
  if (to.mapped == nullptr) return ask_for_copy(to, from, bytes, std::move(completions));
  return launch<>(std::move(completions), to.location.rank, no_results(),
                  [&](no_results&, event& done) { start_copy_get(to, from, bytes, done); });
}

template <class T, class Cx>
auto copy_ends(const copy_end& from, const copy_end& to, std::size_t count, Cx&& completions) {
  static_assert(upcxx::is_trivially_serializable<T>::value,
                "copy: the type must be TriviallySerializable; others travel by rpc");
  check_completions<Cx, true, true>();
  using list = without_cvref<Cx>;
  const std::size_t bytes = count * sizeof(T);
  if (copied_directly(to, from, bytes))
    return tell_at_once<>(std::forward<Cx>(completions), to.location.rank);
  copy_end source = from;
  std::unique_ptr<std::byte[]> brought;
  if constexpr (has_copied_source<list>) {
    // The source is to be free on return: its bytes are brought here first.
    if (source.mapped == nullptr) {
      brought = std::unique_ptr<std::byte[]>(new std::byte[bytes]);
      get_for_copy(brought.get(), from, bytes);
      source.mapped = brought.get();
      if (copied_directly(to, source, bytes))
        return tell_at_once<>(std::forward<Cx>(completions), to.location.rank);
    }
  }
  list owned(std::forward<Cx>(completions));
  if (source.mapped == nullptr)
    return copy_from_elsewhere(to, source, bytes, late_sources(std::move(owned)));
  return launch<>(std::move(owned), to.location.rank, no_results(),
                  [&](no_results&, event& done) { start_copy_put(to, source, bytes, done); });
}

}  // namespace atl::upcxx_front

namespace upcxx {

/// `count` objects from memory of any kind and rank to memory of any kind and rank. Remote
/// completion is told to the destination's owner.
template <class T, memory_kind From, memory_kind To, class Cx = atl::upcxx_front::default_cx>
[[nodiscard]] auto copy(global_ptr<const T, From> src, global_ptr<T, To> dest, std::size_t count,
                        Cx&& completions = Cx()) {
  using namespace atl::upcxx_front;
  return copy_ends<T>(end_of_copy(pointer_access::place_of(src), count * sizeof(T)),
                      end_of_copy(pointer_access::place_of(dest), count * sizeof(T)), count,
                      std::forward<Cx>(completions));
}
/// From host memory of this process, shared or not.
template <class T, memory_kind To, class Cx = atl::upcxx_front::default_cx>
[[nodiscard]] auto copy(const atl::not_deduced<T>* src, global_ptr<T, To> dest, std::size_t count,
                        Cx&& completions = Cx()) {
  using namespace atl::upcxx_front;
  return copy_ends<T>(end_of_copy(src),
                      end_of_copy(pointer_access::place_of(dest), count * sizeof(T)), count,
                      std::forward<Cx>(completions));
}
/// To host memory of this process; remote completion is told here.
template <class T, memory_kind From, class Cx = atl::upcxx_front::default_cx>
[[nodiscard]] auto copy(global_ptr<const T, From> src, atl::not_deduced<T>* dest, std::size_t count,
                        Cx&& completions = Cx()) {
  using namespace atl::upcxx_front;
  return copy_ends<T>(end_of_copy(pointer_access::place_of(src), count * sizeof(T)),
                      end_of_copy(dest), count, std::forward<Cx>(completions));
}

}  // namespace upcxx
