// SPDX-License-Identifier: BSD-3-Clause
//
// Broadcast: a value or an array of one member to all of its team. Collective; by the holder of the
// master persona. Spec: 12.2.
#pragma once

#include <atoll/base/language.hpp>
#include <upcxx/barrier.hpp>
#include <upcxx/rget.hpp>

#include <cstddef>
#include <type_traits>
#include <utility>

namespace atl::upcxx_front {

void start_broadcast(const upcxx::team& team, upcxx::intrank_t root, void* buffer,
                     std::size_t bytes, event& done) noexcept;

/// Memory of the operation that holds a value, to be combined or replaced there.
template <class T>
landing<T> make_landing(const T& value) noexcept {
  landing<T> made;
  std::memcpy(made.bytes, static_cast<const void*>(&value), sizeof(T));
  return made;
}

}  // namespace atl::upcxx_front

namespace upcxx {

/// Sends the root's value to all members; operation completion brings it.
template <class T, class Cx = atl::upcxx_front::default_cx>
[[nodiscard]] auto broadcast(T value, intrank_t root, const team& team = world(),
                             Cx&& completions = Cx()) {
  namespace front = atl::upcxx_front;
  static_assert(front::can_be_copied_as_bytes<T>,
                "broadcast: the type must be TriviallySerializable");
  front::check_completions<Cx, false, false>();
  return front::launch<T>(atl::without_cvref<Cx>(std::forward<Cx>(completions)), front::job.rank,
                          front::make_landing(value),
                          [&](front::landing<T>& buffer, atl::event& done) {
                            front::start_broadcast(team, root, buffer.bytes, sizeof(T), done);
                          });
}

/// Sends `count` objects from the root's buffer into the buffers of all other members.
template <class T, class Cx = atl::upcxx_front::default_cx>
[[nodiscard]] auto broadcast(T* buffer, std::size_t count, intrank_t root,
                             const team& team = world(), Cx&& completions = Cx()) {
  namespace front = atl::upcxx_front;
  static_assert(front::can_be_copied_as_bytes<T>,
                "broadcast: the type must be TriviallySerializable");
  front::check_completions<Cx, false, false>();
  return front::launch<>(atl::without_cvref<Cx>(std::forward<Cx>(completions)), front::job.rank,
                         front::no_results(), [&](front::no_results&, atl::event& done) {
                           front::start_broadcast(team, root, buffer, count * sizeof(T), done);
                         });
}

}  // namespace upcxx
