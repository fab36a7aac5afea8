// SPDX-License-Identifier: BSD-3-Clause
//
// Views (UPC++ 6.7): a sequence travels without its container. The sender's view is two iterators;
// the receiver's is always view<T>, over the bytes that arrived: pointers into them when T travels
// as bytes, else an input iterator that deserializes on the way. A view owns nothing and must not
// outlive its buffer. A message has a count; then, for bytes, the elements; for other types, where
// the elements end, and the elements, so that what follows is found without deserializing them.
#pragma once

#include <atoll/base/language.hpp>
#include <atoll/base/ordered.hpp>
#include <upcxx/containers.hpp>
#include <upcxx/reader.hpp>
#include <upcxx/serialization_traits.hpp>
#include <upcxx/writer.hpp>

#include <cstddef>
#include <iterator>
#include <optional>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <utility>
#include <version>

#if defined(__cpp_lib_ranges)
#include <ranges>
#include <span>
#endif

namespace upcxx {

/// Walks over serialized objects; each * deserializes the one it stands on, anew.
template <class T>
class deserializing_iterator : private atl::ordered<deserializing_iterator<T>> {
 public:
  using iterator_category = std::input_iterator_tag;
  using iterator_concept = std::input_iterator_tag;
  using value_type = atl::upcxx_front::arrival_of<T>;
  using difference_type = std::ptrdiff_t;
  using pointer = value_type*;
  using reference = value_type;

  deserializing_iterator() noexcept : current_({}) {}

  value_type operator*() const {
    static_assert(sizeof(value_type) <= UPCXX_MAX_VALUE_SIZE,
                  "this would return a large object by value; use deserialize_into, or raise "
                  "UPCXX_MAX_VALUE_SIZE");
    next_.emplace(current_);
    return next_->template read_value<T>();
  }

  /// Constructs the element in `storage`.
  value_type* deserialize_into(void* storage) const {
    next_.emplace(current_);
    return next_->template read_into<T>(storage);
  }
  template <class U, class = std::enable_if_t<!std::is_void_v<U>>>
  value_type* deserialize_into(U* storage) const {
    static_assert(atl::upcxx_front::check_typed_memory<U>());
    return deserialize_into(static_cast<void*>(storage));
  }
  value_type* deserialize_into(std::optional<std::remove_const_t<value_type>>& target) const {
    next_.emplace(current_);
    return next_->template read_into<T>(target);
  }
  /// Destroys `target` and constructs the element in its place.
  value_type* deserialize_overwrite(value_type& target) const {
    next_.emplace(current_);
    return next_->template read_overwrite<T>(target);
  }

  deserializing_iterator& operator++() {
    if (!next_) skip();
    current_ = *next_;
    next_.reset();
    --left_;
    return *this;
  }
  deserializing_iterator operator++(int) {
    deserializing_iterator previous = *this;
    ++*this;
    return previous;
  }

  friend bool operator==(const deserializing_iterator& a,
                         const deserializing_iterator& b) noexcept {
    return a.left_ == b.left_;
  }

  /// The number of elements from `a` up to `b`, found without reading them.
  friend std::ptrdiff_t elements_between(const deserializing_iterator& a,
                                         const deserializing_iterator& b) noexcept {
    return static_cast<std::ptrdiff_t>(a.left_ - b.left_);
  }

  friend bool operator<(const deserializing_iterator& a, const deserializing_iterator& b) noexcept {
    return b.left_ < a.left_;
  }

 private:
  template <class U>
  friend struct serialization;

  deserializing_iterator(const atl::upcxx_front::reader& current, std::size_t left) noexcept
      : current_(current), left_(left) {}

  void skip() {
    next_.emplace(current_);
    atl::upcxx_front::slot<std::remove_const_t<value_type>> place;
    place.holds(
        const_cast<std::remove_const_t<value_type>*>(next_->template read_into<T>(place.memory())));
  }

  atl::upcxx_front::reader current_;
  mutable std::optional<atl::upcxx_front::reader> next_;  // known once the element was read
  std::size_t left_ = 0;  // elements from here on; two iterators of one view differ in nothing else
};

template <class T>
using view_default_iterator_t =
    std::conditional_t<is_trivially_serializable<T>::value, T*, deserializing_iterator<T>>;

}  // namespace upcxx

namespace atl::upcxx_front {

/// Whether programs count an iterator as a forward iterator: by its category, or, from C++20 on, by
/// its concept, which also covers iterators whose elements are rvalues.
template <class Iterator>
inline constexpr bool multipass =
#if defined(__cpp_lib_ranges)
    std::forward_iterator<Iterator> ||
#endif
    std::is_base_of_v<std::forward_iterator_tag,
                      typename std::iterator_traits<Iterator>::iterator_category>;

/// An iterator over a view that arrived may be copied and walked as often as wanted, although it is
/// an input iterator: its elements are made anew each time.
template <class Iterator>
inline constexpr bool deserializes = false;
template <class T>
inline constexpr bool deserializes<upcxx::deserializing_iterator<T>> = true;

}  // namespace atl::upcxx_front

namespace upcxx {

/// The elements of type T between two iterators. A view of input iterators can be sent only once.
template <class T, class IterType = view_default_iterator_t<T>>
class view {
  static_assert(is_serializable<T>::value, "view<T>: T must be Serializable");

 public:
  using value_type = T;
  using iterator = IterType;
  using const_iterator = IterType;
  using size_type = std::size_t;
  using difference_type = std::ptrdiff_t;

  /// An empty view; only for iterators that can be made from nothing.
  template <class Each = IterType, class = std::enable_if_t<std::is_default_constructible_v<Each>>>
  view() : begin_(), end_() {}

  iterator begin() const { return begin_; }
  iterator end() const { return end_; }
  size_type size() const noexcept { return size_; }
  bool empty() const noexcept { return size_ == 0; }

 private:
  template <class U>
  friend struct serialization;
  template <class Iterator>
  friend view<typename std::iterator_traits<Iterator>::value_type, Iterator> make_view(
      Iterator begin, Iterator end, typename std::iterator_traits<Iterator>::difference_type size);

  view(IterType begin, IterType end, std::size_t size)
      : begin_(std::move(begin)), end_(std::move(end)), size_(size) {}

  IterType begin_;
  IterType end_;
  std::size_t size_ = 0;
};

/// The elements of type T in one piece, as in the buffer of a message.
template <class T>
class view<T, T*> {
  static_assert(is_serializable<T>::value, "view<T>: T must be Serializable");

 public:
  using value_type = T;
  using pointer = T*;
  using const_pointer = const T*;
  using reference = T&;
  using const_reference = const T&;
  using const_iterator = const T*;
  using iterator = const_iterator;
  using const_reverse_iterator = std::reverse_iterator<const_iterator>;
  using reverse_iterator = const_reverse_iterator;
  using size_type = std::size_t;
  using difference_type = std::ptrdiff_t;

  view() = default;

  const_iterator begin() const noexcept { return data_; }
  const_iterator cbegin() const noexcept { return data_; }
  const_iterator end() const noexcept { return data_ + size_; }
  const_iterator cend() const noexcept { return data_ + size_; }
  const_reverse_iterator rbegin() const noexcept { return const_reverse_iterator(end()); }
  const_reverse_iterator crbegin() const noexcept { return const_reverse_iterator(end()); }
  const_reverse_iterator rend() const noexcept { return const_reverse_iterator(begin()); }
  const_reverse_iterator crend() const noexcept { return const_reverse_iterator(begin()); }

  bool empty() const noexcept { return size_ == 0; }
  size_type size() const noexcept { return size_; }

  const_reference operator[](size_type n) const noexcept { return data_[n]; }
  const_reference at(size_type n) const {
    if (n >= size_)
      throw std::out_of_range("upcxx::view: element " + std::to_string(n) + " of " +
                              std::to_string(size_));
    return data_[n];
  }
  const_reference front() const noexcept { return data_[0]; }
  const_reference back() const noexcept { return data_[size_ - 1]; }
  const_pointer data() const noexcept { return data_; }

 private:
  template <class U>
  friend struct serialization;
  template <class Iterator>
  friend view<typename std::iterator_traits<Iterator>::value_type, Iterator> make_view(
      Iterator begin, Iterator end, typename std::iterator_traits<Iterator>::difference_type size);

  view(T* begin, T*, std::size_t size) noexcept : data_(begin), size_(size) {}

  T* data_ = nullptr;
  std::size_t size_ = 0;
};

/// A view of [begin, end), which holds `size` elements. Forward iterators, those of a view that
/// arrived, and, beyond the specification, input iterators, by concept or by category.
template <class Iterator>
view<typename std::iterator_traits<Iterator>::value_type, Iterator> make_view(
    Iterator begin, Iterator end, typename std::iterator_traits<Iterator>::difference_type size) {
  return {std::move(begin), std::move(end), static_cast<std::size_t>(size)};
}

template <class Iterator>
view<typename std::iterator_traits<Iterator>::value_type, Iterator> make_view(Iterator begin,
                                                                              Iterator end) {
  if constexpr (atl::upcxx_front::deserializes<Iterator>) {
    return make_view(begin, end, elements_between(begin, end));
  } else {
    static_assert(atl::upcxx_front::multipass<Iterator>,
                  "make_view: to count the elements would use them up, as these are not forward "
                  "iterators; give their number as a third argument");
    return make_view(begin, end, std::distance(begin, end));
  }
}

/// A view of all elements; the container must live until the view was sent.
template <class Container>
view<typename Container::value_type, typename Container::const_iterator> make_view(
    const Container& container) {
  return make_view(container.cbegin(), container.cend());
}

template <class T, std::size_t N>
view<T, const T*> make_view(const T (&array)[N]) {
  return make_view(std::begin(array), std::end(array));
}

template <class T, class Iterator>
struct serialization<view<T, Iterator>> {
  static constexpr bool parts_are_serializable = atl::upcxx_front::serializable<T>;

  /// Views in views arrive as views; all other elements keep their type until they are read.
  template <class U>
  struct element {
    using type = U;
  };
  template <class U, class Inner>
  struct element<view<U, Inner>> {
    using type = atl::upcxx_front::arrival_of<view<U, Inner>>;
  };
  using arriving = view<typename element<T>::type>;

  static void serialize(atl::upcxx_front::writer& to, const view<T, Iterator>& elements) {
    to.write(elements.size());
    if constexpr (is_trivially_serializable<T>::value) {
      to.write_sequence(elements.begin(), elements.end(), elements.size());
    } else {
      const auto end = to.reserve<std::size_t>();
      to.write_sequence(elements.begin(), elements.end(), elements.size());
      to.commit(end, to.size());
    }
  }

  template <class Storage>
  static arriving* deserialize(atl::upcxx_front::reader& from, Storage storage) {
    const auto count = from.read<std::size_t>();
    if constexpr (is_trivially_serializable<T>::value) {
      const std::byte* bytes = from.take_elements(count, sizeof(T), alignof(T));
      if (count > 0 && !atl::upcxx_front::lies_aligned<T>(bytes))
        atl::upcxx_front::fail_read(
            "the elements of a view do not lie where their type can be used",
            "copy the message to an address of the alignment that its writer tells");
      auto* first = reinterpret_cast<T*>(const_cast<std::byte*>(bytes));
      return storage.construct(arriving(count > 0 ? first : nullptr, nullptr, count));
    } else {
      using iterator = typename arriving::iterator;
      const auto end = from.read<std::size_t>();
      const iterator first(from, count);
      from.skip_to(end);
      return storage.construct(arriving(first, iterator(from, 0), count));
    }
  }

  static std::size_t end_bound(const view<T, Iterator>& elements, std::size_t from) noexcept {
    return atl::upcxx_front::end_of_elements<T>(elements.size(), from);
  }
};

}  // namespace upcxx

#if defined(__cpp_lib_ranges)

namespace upcxx {

template <class T, std::size_t N>
view<std::remove_cv_t<T>, const T*> make_view(std::span<T, N> elements) {
  const T* first = elements.data();
  return make_view(first, first + elements.size());
}

/// A view of a range that is not a container: its elements must outlive the view, but the range
/// itself need not.
template <std::ranges::forward_range Range>
  requires(std::ranges::borrowed_range<Range> && std::ranges::common_range<Range> &&
           !std::is_array_v<std::remove_reference_t<Range>> &&
           !requires { typename atl::without_cvref<Range>::const_iterator; })
auto make_view(Range&& range) {
  return make_view(std::ranges::begin(range), std::ranges::end(range),
                   std::ranges::distance(range));
}

}  // namespace upcxx

template <class T, class Iterator>
inline constexpr bool std::ranges::enable_view<upcxx::view<T, Iterator>> = true;
template <class T, class Iterator>
inline constexpr bool std::ranges::enable_borrowed_range<upcxx::view<T, Iterator>> = true;

#endif
