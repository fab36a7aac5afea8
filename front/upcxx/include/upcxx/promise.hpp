// SPDX-License-Identifier: BSD-3-Clause
//
// Promises: the producer's side. A promise counts dependencies, of which at most one brings the
// values; when none is left its future is ready, and what waits for it runs before the call that
// took the last one returns. Copies of a promise are the same promise. Spec: 5.6, 5.8.2.
#pragma once

#include <upcxx/future.hpp>
#include <upcxx/version.hpp>

#include <cstdint>
#include <type_traits>
#include <utility>

namespace atl::upcxx_front {

[[noreturn, gnu::cold]] void refuse_promise(const char* call, const char* cause) noexcept;
/// A promise is given values a second time: an error, or else one warning per process.
[[gnu::cold]] void tell_of_second_values(bool is_error) noexcept;

/// Fulfils a promise that has no values yet with those of a ready future, which they then share.
template <class... T>
void fulfil_alike(const upcxx::promise<T...>& to, const upcxx::future<T...>& ready) noexcept;

}  // namespace atl::upcxx_front

namespace upcxx {

/// Counts dependencies; its future is ready when none are left. One of them may be the values, by
/// fulfill_result(). A copy is the same promise. Belongs to a persona, as its futures do: not for
/// two threads at once. Fulfilling more than there is ends the job with a message.
template <class... T>
class promise {
  static_assert(!(std::is_void_v<T> || ...),
                "promise<void>: a promise without a value is written promise<>");
  using cell = atl::upcxx_front::value_cell<T...>;

  template <class... U>
  static constexpr bool are_values_in_a_tuple() {
    if constexpr (sizeof...(U) == sizeof...(T) && sizeof...(T) != 0)
      return (std::is_constructible_v<T, U&&> && ...) &&
             !(sizeof...(T) == 1 && (std::is_constructible_v<T, std::tuple<U...>&&> && ...));
    else
      return false;
  }

 public:
  promise(std::intptr_t dependency_count = 1) : cell_(atl::upcxx_front::make_in_block<cell>()) {
    check(dependency_count >= 1, "promise::promise", "the count of dependencies is not positive");
    cell_->pending = dependency_count;
  }
  promise(const promise& other) noexcept : cell_(other.cell_) {
    if (cell_ != nullptr) atl::upcxx_front::retain(cell_);
  }
  promise(promise&& other) noexcept : cell_(std::exchange(other.cell_, nullptr)) {}
  promise& operator=(promise other) noexcept {
    std::swap(cell_, other.cell_);
    return *this;
  }
  ~promise() {
    if (cell_ != nullptr) atl::upcxx_front::release(cell_);
  }

  /// Adds anonymous dependencies; at least one must be left.
  void require_anonymous(std::intptr_t count) const {
    check(cell_ != nullptr, "promise::require_anonymous", moved_away);
    check(count >= 0, "promise::require_anonymous", "the count is negative");
    check(cell_->pending > 0, "promise::require_anonymous", "the promise is fulfilled already");
    cell_->pending += count;
  }

  /// The same of values in a tuple, as programs written for other implementations have it.
  template <class... U, class = std::enable_if_t<are_values_in_a_tuple<U...>()>>
  void fulfill_result(std::tuple<U...>&& results) const {
    std::apply([this](U&... result) { fulfill_result(static_cast<U&&>(result)...); }, results);
  }

  /// Brings the values, once, and takes one dependency away. Values that are brought again replace
  /// those before, with a warning; where UPCXX_ASSERT_ENABLED is 1, they end the job.
  template <class... U>
  void fulfill_result(U&&... results) const {
    static_assert(sizeof...(U) == sizeof...(T),
                  "promise::fulfill_result: takes as many values as the promise has types");
    if constexpr (sizeof...(U) == sizeof...(T)) {
      static_assert((std::is_constructible_v<T, U&&> && ... && true),
                    "promise::fulfill_result: a value cannot be converted to the promise's type");
      check(cell_ != nullptr, "promise::fulfill_result", moved_away);
      check(cell_->pending > 0, "promise::fulfill_result", "the promise is fulfilled already");
      if constexpr (sizeof...(T) != 0) {
        if (cell_->filled) [[unlikely]] {
          atl::upcxx_front::tell_of_second_values(UPCXX_ASSERT_ENABLED != 0);
          cell_->empty();
        }
        cell_->fill(std::forward<U>(results)...);
      }
      finish(1);
    }
  }

  void fulfill_anonymous(std::intptr_t count) const {
    check(cell_ != nullptr, "promise::fulfill_anonymous", moved_away);
    check(count >= 0, "promise::fulfill_anonymous", "the count is negative");
    check(count <= cell_->pending && cell_->pending > 0, "promise::fulfill_anonymous",
          "more dependencies are fulfilled than there are");
    if constexpr (sizeof...(T) != 0) {
      check(count != cell_->pending || cell_->filled, "promise::fulfill_anonymous",
            "the last dependency is fulfilled before fulfill_result() has brought the values");
    }
    finish(count);
  }

  future<T...> get_future() const noexcept {
    check(cell_ != nullptr, "promise::get_future", moved_away);
    return atl::upcxx_front::future_access::adopt<T...>(atl::upcxx_front::retain(cell_));
  }

  /// Takes the dependency that the promise was made with.
  future<T...> finalize() const {
    future<T...> result = get_future();  // first: callbacks may destroy this promise
    fulfill_anonymous(1);
    return result;
  }

 private:
  static constexpr const char* moved_away = "the promise has been moved away";
  static void check(bool right, const char* call, const char* cause) noexcept {
    if (!right) [[unlikely]]
      atl::upcxx_front::refuse_promise(call, cause);
  }
  // Callbacks that run then may destroy this promise, so the cell is held meanwhile.
  void finish(std::intptr_t count) const noexcept {
    cell* const held = cell_;
    atl::upcxx_front::retain(held);
    atl::upcxx_front::fulfil(*held, count);
    atl::upcxx_front::release(held);
  }

  template <class... U>
  friend void atl::upcxx_front::fulfil_alike(const upcxx::promise<U...>& to,
                                             const upcxx::future<U...>& ready) noexcept;

  cell* cell_;
};

}  // namespace upcxx

namespace atl::upcxx_front {

template <class... T>
void fulfil_alike(const upcxx::promise<T...>& to, const upcxx::future<T...>& ready) noexcept {
  take_over(*to.cell_, ready);
  to.finish(1);
}

}  // namespace atl::upcxx_front
