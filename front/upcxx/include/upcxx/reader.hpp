// SPDX-License-Identifier: BSD-3-Clause
//
// The reader of UPC++ 6.2.3: bytes become objects again. It owns nothing and is three pointers, so
// a view's iterator keeps one of its own. Every read is tested against the end of the bytes (a
// comparison that never fails in a correct program) and throws bad_read, so that parts already
// constructed are destroyed; the layer above turns that into a message. Counts are tested before
// memory is taken. Objects that travel as bytes are copied out wherever they lie; only views point
// into the buffer, which must have the alignment that the writer asked for.
#pragma once

#include <atoll/base/error.hpp>
#include <atoll/base/language.hpp>
#include <atoll/base/slice.hpp>
#include <upcxx/by_value.hpp>
#include <upcxx/fields.hpp>
#include <upcxx/optional.hpp>
#include <upcxx/serialization_traits.hpp>
#include <upcxx/storage.hpp>
#include <upcxx/writer.hpp>

#include <cstddef>
#include <cstring>
#include <exception>
#include <memory>
#include <new>
#include <string>
#include <tuple>
#include <type_traits>
#include <utility>

namespace atl::upcxx_front {

/// The bytes are not those of the type asked for: a wrong deserialize(), or bytes from elsewhere.
class bad_read : public atl::error {
 public:
  using atl::error::error;
};

[[noreturn, gnu::cold, gnu::noinline]] inline void fail_read(std::size_t offset, std::size_t size,
                                                             std::size_t wanted) {
  throw bad_read("a message of " + std::to_string(size) + " bytes",
                 std::to_string(wanted) + " bytes are read at " + std::to_string(offset) +
                     ", which is beyond its end",
                 "serialize and deserialize of each class must handle the same parts in the same "
                 "order");
}

[[noreturn, gnu::cold, gnu::noinline]] inline void fail_read(
    const char* cause, const char* remedy =
                           "serialize and deserialize of each class must handle the same parts in "
                           "the same order") {
  throw bad_read("a message", cause, remedy);
}

/// Memory for one T; it is destroyed with this if it was constructed.
template <class T>
class slot {
 public:
  slot() noexcept = default;
  slot(const slot&) = delete;
  slot& operator=(const slot&) = delete;
  ~slot() {
    if (object_ != nullptr) destroy_arrived(*object_);
  }

  void* memory() noexcept { return bytes_; }
  void holds(T* object) noexcept { object_ = object; }
  T& object() noexcept { return *object_; }
  const T& object() const noexcept { return *object_; }

 private:
  alignas(T) std::byte bytes_[sizeof(T)];
  T* object_ = nullptr;
};

/// The type that read<T>() returns; void where it refuses T, so that its own message is shown.
template <class T, bool = serializable<T>>
struct by_value {
  using type = void;
};
template <class T>
struct by_value<T, true> {
  using type = arrival_of<T>;
};
template <class T>
using returned_by_value = typename by_value<T>::type;

/// Says that typed memory seems to hold an object, whose destructor would be left out.
template <class U>
constexpr bool check_typed_memory() {
  static_assert(std::is_trivially_destructible_v<std::remove_all_extents_t<U>>,
                "the object that lives there would not be destroyed: use read_overwrite, "
                "read_sequence_overwrite or deserialize_overwrite, or cast the pointer to void* "
                "where it points to raw memory");
  return true;
}

class reader {
 public:
  explicit reader(slice<const std::byte> bytes) noexcept
      : start_(bytes.data()), next_(bytes.data()), end_(bytes.data() + bytes.size()) {}

  /// The object by value. Its type must be movable.
  template <class T>
  returned_by_value<T> read() {
    static_assert(!std::is_array_v<T>,
                  "read<T>() cannot return an array; use read_into or read_sequence_into");
    static_assert(serializable<T>, "read<T>(): T must be Serializable");
    if constexpr (serializable<T> && !std::is_array_v<T>) {
      static_assert(sizeof(arrival_of<T>) <= UPCXX_MAX_VALUE_SIZE,
                    "read<T>() would return a large object by value; use read_into, or raise "
                    "UPCXX_MAX_VALUE_SIZE");
      return read_value<T>();
    }
  }

  /// As read, whatever the size.
  template <class T>
  arrival_of<T> read_value();

  /// Constructs the object, or the array, in `memory`.
  template <class T>
  arrival_of<T>* read_into(void* memory) {
    static_assert(serializable<std::remove_all_extents_t<T>>,
                  "read_into<T>(memory): T must be Serializable, or an array of Serializable "
                  "elements");
    if constexpr (std::is_array_v<T>)
      return read_array<T>(memory);
    else if constexpr (serializable<T>)
      return load<without_cvref<T>>(memory_storage<std::remove_const_t<arrival_of<T>>>(memory));
    else
      return nullptr;
  }

  template <class T, class U, class = std::enable_if_t<!std::is_void_v<U>>>
  arrival_of<T>* read_into(U* memory) {
    static_assert(check_typed_memory<U>());
    return read_into<T>(static_cast<void*>(memory));
  }

  /// Constructs the object inside `target`, which loses what it held. It need not be movable.
  template <class T>
  arrival_of<T>* read_into(std::optional<std::remove_const_t<arrival_of<T>>>& target) {
    using result = std::remove_const_t<arrival_of<T>>;
    return load<without_cvref<T>>(optional_storage<result>(target));
  }

  /// Destroys `target` and constructs the object in its place.
  template <class T>
  arrival_of<T>* read_overwrite(arrival_of<T>& target);

  /// Constructs `count` objects from `memory` on.
  template <class T>
  arrival_of<T>* read_sequence_into(void* memory, std::size_t count);

  template <class T, class U, class = std::enable_if_t<!std::is_void_v<U>>>
  arrival_of<T>* read_sequence_into(U* memory, std::size_t count) {
    static_assert(check_typed_memory<U>());
    return read_sequence_into<T>(static_cast<void*>(memory), count);
  }

  /// Destroys `count` objects from `targets` on and constructs others in their place.
  template <class T>
  arrival_of<T>* read_sequence_overwrite(void* targets, std::size_t count) {
    auto* objects = static_cast<arrival_of<T>*>(targets);
    for (std::size_t i = 0; i < count; ++i) read_overwrite<T>(objects[i]);
    return objects;
  }

  /// Gives `count` objects, one after the other, to an output iterator.
  template <class T, class Output>
  Output read_sequence_into_iterator(Output to, std::size_t count) {
    for (; count > 0; --count, ++to) *to = read_value<T>();
    return to;
  }

  /// The next `size_bytes` bytes in place, after what their alignment skips.
  const std::byte* take(std::size_t size_bytes, std::size_t alignment) {
    const std::size_t offset = align_up(position(), alignment);
    const auto size = static_cast<std::size_t>(end_ - start_);
    if (offset > size || size_bytes > size - offset) [[unlikely]]
      fail_read(offset, size, size_bytes);
    next_ = start_ + offset + size_bytes;
    return start_ + offset;
  }

  /// As take, for `count` elements; an impossible count is refused before it is multiplied.
  const std::byte* take_elements(std::size_t count, std::size_t each_bytes, std::size_t alignment) {
    if (count == 0) return next_;
    if (count > left() / each_bytes) [[unlikely]]
      fail_read("it announces more elements than it has bytes");
    return take(count * each_bytes, alignment);
  }

  std::size_t position() const noexcept { return static_cast<std::size_t>(next_ - start_); }
  std::size_t left() const noexcept { return static_cast<std::size_t>(end_ - next_); }

  /// Goes on to `offset` from the first byte; never back.
  void skip_to(std::size_t offset) {
    if (offset < position() || offset > position() + left()) [[unlikely]]
      fail_read("a length in it leads out of it");
    next_ = start_ + offset;
  }

 private:
  template <class T, class Storage>
  auto* load(Storage storage);
  template <class T, class Storage>
  auto* load_by_user(Storage storage);
  template <class T, class Storage>
  auto* load_values(Storage storage);
  template <class T, class... Parts, class Storage>
  auto* load_parts(type_list<Parts...>, Storage storage);
  template <class T>
  arrival_of<T>* read_array(void* memory);

  const std::byte* start_;
  const std::byte* next_;
  const std::byte* end_;
};

/// Copies bytes over an object of a type that travels as bytes, whatever its constructors.
template <class T>
void copy_bytes_over(T& object, const std::byte* from) noexcept {
  std::memcpy(static_cast<void*>(std::addressof(object)), from, sizeof(T));
}

/// A T and its bytes in one place.
template <class T>
union byte_image {
  T object;
  explicit byte_image(const std::byte* from) noexcept { copy_bytes_over(object, from); }
  byte_image(const byte_image&) = delete;
  byte_image& operator=(const byte_image&) = delete;
  ~byte_image() {}
};

/// Reads the fields over those that the default constructor made.
struct field_reader {
  reader& from;

  template <class... Parts>
  void operator()(Parts&&... parts) const {
    (read(parts), ...);
  }

 private:
  template <class Field>
  void read(Field& field) const {
    from.read_overwrite<Field>(field);
  }
  // A derived class's members may lie in the padding at the end of a base subobject. Assignment
  // leaves them alone; a copy of bytes would not.
  template <class Base>
  void read(base_part<Base>& part) const {
    if constexpr (byte_serializable<Base> && std::is_move_assignable_v<Base>)
      part.object = from.read_value<Base>();
    else
      from.read_overwrite<Base>(part.object);
  }
};

template <class T>
arrival_of<T> reader::read_value() {
  using result = std::remove_const_t<arrival_of<T>>;
  static_assert(std::is_move_constructible_v<result>,
                "read<T>(): the deserialized type must be movable; use read_into or "
                "read_overwrite");
  if constexpr (byte_serializable<without_cvref<T>>) {
    byte_image<result> image(take(sizeof(result), alignof(result)));
    return std::move(image.object);
  } else {
    slot<result> place;
    place.holds(load<without_cvref<T>>(memory_storage<result>(place.memory())));
    return std::move(place.object());
  }
}

template <class T, class Storage>
auto* reader::load(Storage storage) {
  constexpr mechanism found = mechanism_of<T>();
  static_assert(found != mechanism::deleted,
                "the serialization of this type was deleted by UPCXX_SERIALIZED_DELETE");
  static_assert(found != mechanism::missing, "this type is not Serializable");
  if constexpr (found == mechanism::bytes) {
    const std::byte* from = take(sizeof(T), alignof(T));
    if constexpr (is_memory<Storage>) {
      std::memcpy(storage.memory(), from, sizeof(T));
      return std::launder(static_cast<T*>(storage.memory()));
    } else {
      byte_image<T> image(from);
      return storage.construct(std::move(image.object));
    }
  } else if constexpr (found == mechanism::fields) {
    check_fields<T>();
    T* object = storage.construct_by(default_maker<T>{});
    try {
      object->upcxx_serialized_fields_(field_reader{*this});
    } catch (...) {
      storage.discard(object);
      throw;
    }
    return object;
  } else if constexpr (found == mechanism::values) {
    check_values<T>();
    return load_values<T>(storage);
  } else {
    return load_by_user<T>(storage);
  }
}

template <class T, class Storage>
auto* reader::load_by_user(Storage storage) {
  using user = user_serialization_of<T>;
  if constexpr (deserializes_into_storage<user, Storage>) {
    return user::deserialize(*this, storage);
  } else if constexpr (is_memory<Storage>) {
    return user::deserialize(*this, storage.memory());
  } else {  // the older form of deserialize knows raw memory only
    using result = arrival_of<T>;
    static_assert(std::is_move_constructible_v<result>,
                  "to be read into an optional, a type that cannot be moved needs "
                  "deserialize(Reader&, Storage) instead of deserialize(Reader&, void*)");
    slot<result> place;
    place.holds(user::deserialize(*this, place.memory()));
    return storage.construct(std::move(place.object()));
  }
}

template <class T, class... Parts, class Storage>
auto* reader::load_parts(type_list<Parts...>, Storage storage) {
  std::tuple<slot<arrival_of<value_of_part<Parts>>>...> slots;
  return std::apply(
      [&](auto&... each) {
        // A fold, because it has this order; the arguments of a call have none.
        (each.holds(read_into<value_of_part<Parts>>(each.memory())), ...);
        return storage.construct_by(
            value_maker<T, arrival_of<value_of_part<Parts>>...>{{&each.object()...}});
      },
      slots);
}

template <class T, class Storage>
auto* reader::load_values(Storage storage) {
  return load_parts<T>(value_types_of<T>{}, storage);
}

template <class T>
arrival_of<T>* reader::read_array(void* memory) {
  using element = std::remove_extent_t<T>;
  constexpr std::size_t count = std::extent_v<T>;
  read_sequence_into<element>(memory, count);
  return static_cast<arrival_of<T>*>(memory);
}

template <class T>
arrival_of<T>* reader::read_overwrite(arrival_of<T>& target) {
  using result = arrival_of<T>;
  using element = std::remove_all_extents_t<T>;
  static_assert(serializable<element>,
                "read_overwrite<T>(object): T must be Serializable, or an array of Serializable "
                "elements");
  if constexpr (byte_serializable<element>) {
    copy_bytes_over(target, take(sizeof(result), alignof(result)));
  } else if constexpr (std::is_array_v<T>) {
    for (auto& each : target) read_overwrite<std::remove_extent_t<T>>(each);
  } else {
    void* memory = const_cast<void*>(static_cast<const void*>(std::addressof(target)));
    destroy_arrived(target);
    try {
      return read_into<T>(memory);
    } catch (...) {  // the owner will destroy it once more, so there must be an object
      if constexpr (std::is_default_constructible_v<result>)
        ::new (memory) result();
      else
        std::terminate();
      throw;
    }
  }
  return std::addressof(target);
}

template <class T>
arrival_of<T>* reader::read_sequence_into(void* memory, std::size_t count) {
  using result = arrival_of<T>;
  using element = std::remove_all_extents_t<T>;
  static_assert(serializable<element>,
                "read_sequence_into<T>(memory, count): T must be Serializable, or an array of "
                "Serializable elements");
  if constexpr (byte_serializable<element>) {
    const std::byte* from = take_elements(count, sizeof(T), alignof(T));
    if (count > 0) std::memcpy(memory, from, count * sizeof(T));
    return static_cast<result*>(memory);
  } else {
    auto* bytes = static_cast<std::byte*>(memory);
    std::size_t done = 0;
    try {
      for (; done < count; ++done) read_into<T>(bytes + done * sizeof(result));
    } catch (...) {
      auto* objects = static_cast<result*>(memory);
      while (done > 0) destroy_arrived(objects[--done]);
      throw;
    }
    return static_cast<result*>(memory);
  }
}

}  // namespace atl::upcxx_front
