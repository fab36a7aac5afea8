// SPDX-License-Identifier: BSD-3-Clause
//
// when_all: one future of the values of many futures and plain values, in order. No cell is made
// where nothing has to be waited for, or where all arguments but one are ready and without values:
// programs conjoin operations in loops in this way. Spec: 5.8.1.
#pragma once

#include <atoll/base/language.hpp>
#include <upcxx/future.hpp>

#include <array>
#include <cstddef>
#include <tuple>
#include <type_traits>
#include <utility>

namespace atl::upcxx_front {

/// An argument as what it contributes: a future.
template <class T>
using conjunct = std::conditional_t<is_future<without_cvref<T>>, without_cvref<T>,
                                    upcxx::future<without_cvref<T>>>;

template <class T>
inline constexpr bool can_be_joined = true;
template <class... T>
inline constexpr bool can_be_joined<upcxx::future<T...>> =
    (std::is_copy_constructible_v<kept_value<T>> && ... && true);

template <class T>
conjunct<T> conjunct_of(T&& argument) {
  if constexpr (is_future<without_cvref<T>>) {
    return std::forward<T>(argument);
  } else {
    return future_access::ready<without_cvref<T>>(std::forward<T>(argument));
  }
}

template <class... Futures>
struct concatenated;
template <>
struct concatenated<> {
  using type = upcxx::future<>;
};
template <class... T>
struct concatenated<upcxx::future<T...>> {
  using type = upcxx::future<T...>;
};
template <class... T, class... U, class... More>
struct concatenated<upcxx::future<T...>, upcxx::future<U...>, More...> {
  using type = typename concatenated<upcxx::future<T..., U...>, More...>::type;
};

/// A cell that waits for several others. Those that are not ready are not held: each is taken when
/// it becomes ready, so that no circle of references arises.
template <class Target, class... Sources>
class gathering;

template <class... T, class... Sources>
class gathering<upcxx::future<T...>, Sources...> final : public value_cell<T...> {
 public:
  explicit gathering(Sources&&... sources) : sources_(std::move(sources)...) {
    this->end = &end_this;
    with_indices<sizeof...(Sources)>([&](auto... i) { (await<i>(), ...); });
  }

  /// A ready future of the values of ready sources.
  static upcxx::future<T...> joined(std::tuple<Sources...>& ready) {
    return future_access::ready_kept<T...>(join(ready));
  }

 private:
  /// The values of ready sources, one after the other.
  static kept_values<T...> join(std::tuple<Sources...>& ready) {
    return std::apply([](auto&... source) { return std::tuple_cat(take_values(source)...); },
                      ready);
  }

  struct link : cell_continuation {
    gathering* owner = nullptr;
  };

  template <std::size_t I>
  void await() noexcept {
    auto& source = std::get<I>(sources_);
    cell* const place = future_access::cell_of(source);
    if (source.ready()) return;
    ++missing_;
    if (place == nullptr) return;  // never ready, and so are we
    link& own_link = links_[I];
    own_link.owner = this;
    own_link.run = &arrive<I>;
    own_link.drop = [](cell_continuation& self) noexcept {
      release(static_cast<link&>(self).owner);
    };
    retain(this);
    place->attach(own_link);
    source = {};
  }

  template <std::size_t I>
  static void arrive(cell_continuation& self, cascade& more) noexcept {
    gathering& me = *static_cast<link&>(self).owner;
    auto& source = std::get<I>(me.sources_);
    source = adopt_as(source, retain(self.source));
    if (--me.missing_ == 0) me.complete(more);
    release(&me);
  }
  template <class... U>
  static upcxx::future<U...> adopt_as(const upcxx::future<U...>&, cell* counted) noexcept {
    return future_access::adopt<U...>(counted);
  }

  void complete(cascade& more) noexcept {
    atl::construct(&this->values, join(sources_));
    this->filled = true;
    sources_ = {};
    this->pending = 0;
    more.add(*this);
  }

  static void end_this(cell& self) noexcept { end_in_block(static_cast<gathering*>(&self)); }

  std::size_t missing_ = 0;
  std::tuple<Sources...> sources_;
  std::array<link, sizeof...(Sources)> links_;
};

/// The only one of these futures without values that is not ready; null when several are.
template <class... Futures>
upcxx::future<>* only_unready(Futures&... futures) noexcept {
  upcxx::future<>* found = nullptr;
  int unready = 0;
  const auto look = [&](upcxx::future<>& future) {
    if (future.ready() && found != nullptr) return;
    if (!future.ready()) ++unready;
    found = &future;
  };
  (look(futures), ...);
  return unready <= 1 ? found : nullptr;
}

template <class Target, class... Sources>
Target gather(Sources... sources) {
  if constexpr (std::is_same_v<Target, upcxx::future<>>) {
    if (upcxx::future<>* const unready = only_unready(sources...)) return std::move(*unready);
  }
  using made = gathering<Target, Sources...>;
  if ((sources.ready() && ...)) {
    std::tuple<Sources...> ready(std::move(sources)...);
    return made::joined(ready);
  }
  return future_access::adopt_as<Target>(make_in_block<made>(std::move(sources)...));
}

}  // namespace atl::upcxx_front

namespace upcxx {

/// A future of all values of the arguments, which are futures or plain values, in order; ready when
/// all of them are.
template <class... T>
auto when_all(T&&... futures_or_values) {
  namespace front = atl::upcxx_front;
  using target = typename front::concatenated<front::conjunct<T>...>::type;
  if constexpr (sizeof...(T) == 0) {
    return front::future_access::ready<>();
  } else if constexpr (sizeof...(T) == 1) {
    return front::conjunct_of(std::forward<T>(futures_or_values)...);
  } else {
    static_assert((front::can_be_joined<atl::without_cvref<T>> && ...),
                  "when_all: the values of a future are copied, and a type here cannot be");
    return front::gather<target>(front::conjunct_of(std::forward<T>(futures_or_values))...);
  }
}

}  // namespace upcxx
