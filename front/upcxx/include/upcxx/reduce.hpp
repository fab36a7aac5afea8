// SPDX-License-Identifier: BSD-3-Clause
//
// Reductions over a team by any associative and commutative operation: to one member or to all, of
// a value or of arrays element by element. Collective; by the holder of the master persona. The
// operation may run on any thread that makes progress. Spec: 12.2.
#pragma once

#include <atoll/base/language.hpp>
#include <upcxx/broadcast.hpp>
#include <upcxx/operations.hpp>

#include <cstddef>
#include <cstring>
#include <functional>
#include <type_traits>
#include <utility>

namespace atl::upcxx_front {

/// Combines `count` elements: b = a op b.
using combine_elements = void (*)(const void* a, void* b_and_out, std::size_t count,
                                  const void* operation);

/// The values of a reduction, for code that does not know the types. A root of -1: to all.
struct reduction_call {
  void* to;
  const void* from;
  std::size_t count;
  std::size_t element_bytes;
  combine_elements combine;
  const void* operation;
};
void start_reduction(const upcxx::team& team, upcxx::intrank_t root, const reduction_call& request,
                     event& done) noexcept;

template <class T, class Op>
void combine_each(const void* a, void* b_and_out, std::size_t count, const void* operation) {
  const auto& op = *static_cast<const Op*>(operation);
  const auto* const left = static_cast<const T*>(a);
  auto* const right = static_cast<T*>(b_and_out);
  for (std::size_t i = 0; i < count; ++i) right[i] = static_cast<T>(op(left[i], right[i]));
}

/// The memory of a reduction of one value; of arrays.
template <class T, class Op>
struct value_reduction {
  landing<T> value;
  Op op;
  std::tuple<T> take() { return value.take(); }
};
template <class Op>
struct array_reduction {
  Op op;
  std::tuple<> take() noexcept { return {}; }
};

template <class T, class Op, class Cx>
constexpr void check_reduction() {
  static_assert(can_be_copied_as_bytes<T>, "reduce: the type must be TriviallySerializable");
  static_assert(
      std::is_invocable_r_v<T, const std::decay_t<Op>&, T, T>,
      "reduce: the operation must take two values of the type and return one; for op_fast_ "
      "operations the type must be arithmetic, and integral for bit operations");
  check_completions<Cx, false, false>();
}

template <class T, class Op, class Cx>
auto reduce_value(T value, Op&& op, upcxx::intrank_t root, const upcxx::team& team,
                  Cx&& completions) {
  check_reduction<T, Op, Cx>();
  using operation = std::decay_t<Op>;  // a function becomes a pointer
  using memory = value_reduction<T, operation>;
  return launch<T>(
      without_cvref<Cx>(std::forward<Cx>(completions)), job.rank,
      memory{make_landing(value), std::forward<Op>(op)}, [&](memory& state, event& done) {
        const reduction_call call = {state.value.bytes, state.value.bytes,           1,
                                     sizeof(T),         &combine_each<T, operation>, &state.op};
        start_reduction(team, root, call, done);
      });
}

template <class T>
struct arrays {
  const T* from;
  T* to;
  std::size_t count;
};

template <class T, class Op, class Cx>
auto reduce_arrays(const arrays<T>& buffers, Op&& op, upcxx::intrank_t root,
                   const upcxx::team& team, Cx&& completions) {
  check_reduction<T, Op, Cx>();
  using operation = std::decay_t<Op>;  // a function becomes a pointer
  using memory = array_reduction<operation>;
  return launch<>(
      without_cvref<Cx>(std::forward<Cx>(completions)), job.rank, memory{std::forward<Op>(op)},
      [&](memory& state, event& done) {
        const reduction_call call = {
            buffers.to, buffers.from, buffers.count, sizeof(T), &combine_each<T, operation>,
            &state.op};
        start_reduction(team, root, call, done);
      });
}

}  // namespace atl::upcxx_front

namespace upcxx {

/// Combines all members' values; the root's future brings the result, the others' some value.
template <class T, class Op, class Cx = atl::upcxx_front::default_cx>
[[nodiscard]] auto reduce_one(T value, Op&& op, intrank_t root, const team& team = world(),
                              Cx&& completions = Cx()) {
  return atl::upcxx_front::reduce_value<T>(value, std::forward<Op>(op), root, team,
                                           std::forward<Cx>(completions));
}
/// The same; all members get the result.
template <class T, class Op, class Cx = atl::upcxx_front::default_cx>
[[nodiscard]] auto reduce_all(T value, Op&& op, const team& team = world(),
                              Cx&& completions = Cx()) {
  return atl::upcxx_front::reduce_value<T>(value, std::forward<Op>(op), -1, team,
                                           std::forward<Cx>(completions));
}

/// Arrays, element by element; src == dst is allowed. dst is used at the root only.
template <class T, class Op, class Cx = atl::upcxx_front::default_cx>
[[nodiscard]] auto reduce_one(const T* src, T* dst, std::size_t count, Op&& op, intrank_t root,
                              const team& team = world(), Cx&& completions = Cx()) {
  return atl::upcxx_front::reduce_arrays<T>({src, dst, count}, std::forward<Op>(op), root, team,
                                            std::forward<Cx>(completions));
}
template <class T, class Op, class Cx = atl::upcxx_front::default_cx>
[[nodiscard]] auto reduce_all(const T* src, T* dst, std::size_t count, Op&& op,
                              const team& team = world(), Cx&& completions = Cx()) {
  return atl::upcxx_front::reduce_arrays<T>({src, dst, count}, std::forward<Op>(op), -1, team,
                                            std::forward<Cx>(completions));
}

}  // namespace upcxx
