// SPDX-License-Identifier: BSD-3-Clause
//
// Copies between memory of any kind and any rank: plain pointers of this process and global
// pointers, in any mix. Where both ends are host memory that is mapped here it is a copy, complete
// when the call returns. With one end here it is a put or a get, done by a device where either end
// is device memory. Where both are elsewhere the destination's owner is asked to get the data,
// makes the calls that wait for it, and answers. A device reads the source later, so only the end
// tells that the source is free. The ends must not overlap. Any thread, for the persona that is
// current. Spec: 16.2.3.
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

struct device_heap;

/// One end of a copy: its address here, null when it is not mapped, and the segment that it is in,
/// null for host memory.
struct copy_end {
  place location;
  std::byte* mapped;
  device_heap* heap;

  /// Whether a put can start here, or a get end here.
  bool is_local() const noexcept {
    return mapped != nullptr || (heap != nullptr && location.rank == job.rank);
  }
};
/// Ends the job for null and for what lies in no segment.
copy_end end_of_copy(const place& location, std::size_t bytes) noexcept;
copy_end end_of_copy(const void* address) noexcept;

/// Starts a copy that is not direct and of which one end is here. `keeps`: the source is left alone
/// until the copy is complete; else it is free on return.
void start_copy(const copy_end& to, const copy_end& from, std::size_t bytes, bool keeps,
                event& done) noexcept;
/// The same, and waits, with internal progress.
void copy_and_wait(const copy_end& to, const copy_end& from, std::size_t bytes) noexcept;

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

/// A completion object for an operation whose source is read elsewhere, so that only the
/// operation's end tells that the source is free.
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

/// Copies so that the source is free on return: waits here if it is read elsewhere or later.
template <class Cx>
auto copy_free_source(const copy_end& to, const copy_end& from, std::size_t bytes,
                      Cx&& completions) {
  using list = without_cvref<Cx>;
  const auto put = [&](const copy_end& source) {
    return launch<>(list(std::forward<Cx>(completions)), to.location.rank, no_results(),
                    [&](no_results&, event& done) { start_copy(to, source, bytes, false, done); });
  };
  if (!to.is_local() && from.is_local()) return put(from);
  if (to.is_local()) {
    copy_and_wait(to, from, bytes);
    return tell_at_once<>(std::forward<Cx>(completions), to.location.rank);
  }
  const std::unique_ptr<std::byte[]> brought(new std::byte[bytes]);
  const copy_end buffer = end_of_copy(brought.get());
  copy_and_wait(buffer, from, bytes);
  return put(buffer);
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
  if constexpr (has_copied_source<list>) {
    return copy_free_source(to, from, bytes, std::forward<Cx>(completions));
  } else {
    list owned(std::forward<Cx>(completions));
    const auto start = [&](auto notices, bool keeps) {
      return launch<>(std::move(notices), to.location.rank, no_results(),
                      [&](no_results&, event& done) { start_copy(to, from, bytes, keeps, done); });
    };
    if (!to.is_local() && !from.is_local())
      return ask_for_copy(to, from, bytes, late_sources(std::move(owned)));
    if (from.mapped == nullptr || to.heap != nullptr)
      return start(late_sources(std::move(owned)), true);
    // From host memory to that of another host: small puts free the source at once.
    constexpr bool keeps = !list::includes(cx_event::source) && list::includes(cx_event::operation);
    return start(std::move(owned), keeps);
  }
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
