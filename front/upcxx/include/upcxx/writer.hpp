// SPDX-License-Identifier: BSD-3-Clause
//
// The writer of UPC++ 6.2.3: objects become bytes, in one pass, straight into a buffer that the
// caller gives, if possible a transport's. If it is too small, the bytes move once into memory of
// the writer's own, which doubles from there; spilled() tells the caller. When the size is known
// ahead (size_bound.hpp) that never happens. Each object lies at a multiple of its alignment,
// counted from the first byte. The bytes contain no types: the reader asks for the same types in
// the same order. A buffer needs an alignment of 8 to be read, or more where alignment() says so. A
// writer belongs to one thread.
#pragma once

#include <atoll/base/language.hpp>
#include <atoll/base/slice.hpp>
#include <upcxx/fields.hpp>
#include <upcxx/serialization_traits.hpp>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdlib>
#include <cstring>
#include <iterator>
#include <memory>
#include <new>
#include <type_traits>

namespace atl::upcxx_front {

/// The alignment that every buffer has.
inline constexpr std::size_t buffer_alignment = 8;

constexpr std::size_t align_up(std::size_t offset, std::size_t alignment) noexcept {
  return (offset + alignment - 1) & ~(alignment - 1);
}

/// Iterators of elements that lie side by side: pointers, and those of vectors, strings and spans.
template <class Iterator>
inline constexpr bool is_contiguous = std::is_pointer_v<Iterator>;
#if defined(__GLIBCXX__)
template <class Pointer, class Container>
inline constexpr bool is_contiguous<__gnu_cxx::__normal_iterator<Pointer, Container>> = true;
#endif

class writer {
 public:
  /// A place for a T that is written later, by commit.
  template <class T>
  class reserve_handle {
    friend class writer;
    explicit reserve_handle(std::size_t offset) noexcept : offset_(offset) {}
    std::size_t offset_;
  };

  writer() noexcept = default;
  explicit writer(slice<std::byte> buffer) noexcept
      : data_(buffer.data()), capacity_(buffer.size()) {}
  ~writer() { std::free(own_); }
  writer(const writer&) = delete;
  writer& operator=(const writer&) = delete;

  template <class T>
  void write(const T& object);

  /// Writes the elements of [first, last) without their count, which it returns. Each element is
  /// read once, so any input iterator will do, by its category or by its concept.
  template <class Iterator>
  std::size_t write_sequence(Iterator first, Iterator last) {
    using category = typename std::iterator_traits<Iterator>::iterator_category;
    if constexpr (std::is_base_of_v<std::random_access_iterator_tag, category>)
      return write_sequence(first, last, static_cast<std::size_t>(last - first));
    else
      return write_each(first, last);
  }

  /// The same where the count is known: `last` is not used.
  template <class Iterator>
  std::size_t write_sequence(Iterator first, Iterator last, std::size_t count);

  template <class T>
  reserve_handle<T> reserve() {
    static_assert(byte_serializable<T>,
                  "reserve<T>(): T must be TriviallySerializable, since its size is set aside");
    const std::size_t offset = make_room(sizeof(T), alignof(T));
    std::memset(data_ + offset, 0, sizeof(T));
    return reserve_handle<T>(offset);
  }

  template <class T>
  void commit(const reserve_handle<T>& place, const not_deduced<T>& object) noexcept {
    std::memcpy(data_ + place.offset_, static_cast<const void*>(std::addressof(object)), sizeof(T));
  }

  /// Copies a multiple of `alignment` bytes; 0 bytes leave the message unchanged.
  void write_bytes(const void* from, std::size_t size_bytes, std::size_t alignment) {
    const std::size_t offset = make_room(size_bytes, alignment);
    std::memcpy(data_ + offset, from, size_bytes);
  }

  const std::byte* data() const noexcept { return data_; }
  std::size_t size() const noexcept { return size_; }
  slice<const std::byte> bytes() const noexcept { return {data_, size_}; }

  /// The alignment that the address of a buffer must have to be read.
  std::size_t alignment() const noexcept { return alignment_; }

  /// Whether the caller's buffer was too small, so that the bytes are not in it.
  bool spilled() const noexcept { return own_ != nullptr; }

  /// Hands over the memory that was spilled into, which the caller frees by std::free; the writer
  /// is empty then.
  std::byte* release() noexcept {
    std::byte* bytes = own_;
    own_ = data_ = nullptr;
    size_ = capacity_ = 0;
    return bytes;
  }

 private:
  template <class Iterator>
  std::size_t write_each(Iterator first, Iterator last) {
    using element = std::remove_cv_t<typename std::iterator_traits<Iterator>::value_type>;
    std::size_t count = 0;
    for (; first != last; ++first, ++count) write<element>(*first);
    return count;
  }

  std::size_t make_room(std::size_t size_bytes, std::size_t alignment) {
    if (alignment > alignment_) alignment_ = alignment;
    const std::size_t offset = align_up(size_, alignment);
    if (offset + size_bytes > capacity_) [[unlikely]]
      spill(offset + size_bytes);
    if (offset != size_) std::memset(data_ + size_, 0, offset - size_);
    size_ = offset + size_bytes;
    return offset;
  }

  [[gnu::cold, gnu::noinline]] void spill(std::size_t needed) {
    const std::size_t capacity = std::max<std::size_t>({256, 2 * capacity_, needed});
    auto* grown = static_cast<std::byte*>(std::realloc(own_, capacity));
    if (grown == nullptr) throw std::bad_alloc();
    if (own_ == nullptr && size_ > 0) std::memcpy(grown, data_, size_);
    own_ = data_ = grown;
    capacity_ = capacity;
  }

  std::byte* data_ = nullptr;
  std::size_t size_ = 0;
  std::size_t capacity_ = 0;
  std::size_t alignment_ = buffer_alignment;
  std::byte* own_ = nullptr;
};

/// Writes each field that UPCXX_SERIALIZED_FIELDS lists, or each value of UPCXX_SERIALIZED_VALUES.
struct part_writer {
  writer& to;

  template <class... Parts>
  void operator()(const Parts&... parts) const {
    (to.write(part_object(parts)), ...);
  }
};

template <class T>
void writer::write(const T& object) {
  using element = std::remove_all_extents_t<T>;
  static_assert(!is_deleted<element>,
                "write: the serialization of this type was deleted by UPCXX_SERIALIZED_DELETE");
  static_assert(serializable<element>,
                "write: the object must be Serializable, or an array of Serializable elements");
  if constexpr (!serializable<element>) {
    return;
  } else if constexpr (byte_serializable<element>) {
    if constexpr (std::is_empty_v<T>) {
      // A lambda that captures nothing: its byte was never written.
      static constexpr std::array<std::byte, sizeof(T)> zeros{};
      write_bytes(zeros.data(), zeros.size(), alignof(T));
    } else {
      write_bytes(std::addressof(object), sizeof(T), alignof(T));
    }
  } else if constexpr (std::is_array_v<T>) {
    for (const auto& each : object) write(each);
  } else {
    constexpr mechanism found = mechanism_of<T>();
    if constexpr (found == mechanism::fields) {
      check_fields<T>();
      object.upcxx_serialized_fields_(part_writer{*this});
    } else if constexpr (found == mechanism::values) {
      check_values<T>();
      object.upcxx_serialized_values_(part_writer{*this});
    } else {
      user_serialization_of<T>::serialize(*this, object);
    }
  }
}

template <class Iterator>
std::size_t writer::write_sequence(Iterator first, Iterator, std::size_t count) {
  using element = std::remove_cv_t<typename std::iterator_traits<Iterator>::value_type>;
  static_assert(serializable<element>,
                "write_sequence: the value_type of the iterators must be Serializable");
  if (count == 0) return 0;
  if constexpr (is_contiguous<Iterator> && byte_serializable<element>) {
    write_bytes(std::addressof(*first), count * sizeof(element), alignof(element));
  } else if constexpr (byte_serializable<element>) {  // tests once whether there is room for all
    std::size_t offset = make_room(count * sizeof(element), alignof(element));
    for (std::size_t left = count;;) {
      const element& each = *first;
      std::memcpy(data_ + offset, static_cast<const void*>(std::addressof(each)), sizeof(element));
      if (--left == 0) break;  // an input iterator might wait for one more
      offset += sizeof(element);
      ++first;
    }
  } else if constexpr (serializable<element>) {
    for (std::size_t left = count;;) {
      write<element>(*first);
      if (--left == 0) break;
      ++first;
    }
  }
  return count;
}

}  // namespace atl::upcxx_front
