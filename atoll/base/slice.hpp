// SPDX-License-Identifier: BSD-3-Clause
//
// A slice is an address and a number of elements that lie there, which it does not own: what
// std::span is from C++20 on. It is for the headers that programs in C++17 include, and for nothing
// else; it is made from arrays and containers, and converts to std::span where that is wanted.
#pragma once

#include <cstddef>
#include <initializer_list>
#include <iterator>
#include <type_traits>
#include <utility>

namespace atl {

template <class T>
class slice {
  template <class Range>
  using pointer_of = decltype(std::data(std::declval<Range&>()));
  // A conversion of the elements may add const, and nothing else.
  template <class Range>
  using if_of_elements = std::enable_if_t<
      std::is_convertible_v<std::remove_pointer_t<pointer_of<Range>> (*)[], T (*)[]>>;

 public:
  using element_type = T;
  using value_type = std::remove_cv_t<T>;

  constexpr slice() noexcept = default;
  constexpr slice(T* first, std::size_t count) noexcept : first_(first), count_(count) {}
  template <class Range, class = if_of_elements<Range>>
  constexpr slice(Range&& elements) noexcept
      : first_(std::data(elements)), count_(std::size(elements)) {}

  constexpr T* data() const noexcept { return first_; }
  constexpr std::size_t size() const noexcept { return count_; }
  constexpr bool empty() const noexcept { return count_ == 0; }
  constexpr T& operator[](std::size_t index) const noexcept { return first_[index]; }
  constexpr T* begin() const noexcept { return first_; }
  constexpr T* end() const noexcept { return first_ + count_; }

 private:
  T* first_ = nullptr;
  std::size_t count_ = 0;
};

}  // namespace atl
