// SPDX-License-Identifier: BSD-3-Clause
//
// The largest size that a message can have, computed before it is written, so that a buffer of the
// right size is asked for and written once. A bound is an end: an object that begins at `from` or
// before ends at the bound or before. Since aligning and adding never change order, bounds chain,
// and for types that travel as bytes they are exact. static_end needs the type alone. end_of looks
// at the object, but only where that takes constant time (a string, a vector of numbers, a view of
// them); otherwise it says unbounded, and the writer grows as it goes. No expression of
// UPCXX_SERIALIZED_VALUES is evaluated for it, and no serialize of a user is called.
#pragma once

#include <atoll/base/language.hpp>
#include <upcxx/fields.hpp>
#include <upcxx/serialization_traits.hpp>
#include <upcxx/writer.hpp>

#include <cstddef>
#include <limits>
#include <type_traits>
#include <utility>

namespace atl::upcxx_front {

inline constexpr std::size_t unbounded = std::numeric_limits<std::size_t>::max();

/// Where `count` objects of `size_bytes` end, when they begin at `from` or before.
constexpr std::size_t end_of_bytes(std::size_t from, std::size_t count, std::size_t size_bytes,
                                   std::size_t alignment) noexcept {
  if (from == unbounded) return unbounded;
  if (count == 0) return from;
  if (count > unbounded / 4 / size_bytes) return unbounded;
  return align_up(from, alignment) + count * size_bytes;
}

template <class T>
constexpr std::size_t static_end(std::size_t from);

template <class... Parts>
constexpr std::size_t static_end_of_parts(type_list<Parts...>, std::size_t from) {
  ((from = static_end<value_of_part<Parts>>(from)), ...);
  return from;
}

/// A user's class or one of this library's that bounds its size itself, by the type or the object.
template <class User>
using own_static_bound = decltype(User::static_end_bound(std::size_t{}));
template <class User, class T>
using own_bound = decltype(User::end_bound(std::declval<const T&>(), std::size_t{}));

template <class T>
constexpr std::size_t static_end(std::size_t from) {
  using element = std::remove_all_extents_t<without_cvref<T>>;
  if (from == unbounded) return unbounded;
  if constexpr (byte_serializable<element>) {
    return end_of_bytes(from, 1, sizeof(std::remove_reference_t<T>), alignof(element));
  } else if constexpr (!serializable<T> || std::is_array_v<without_cvref<T>>) {
    return unbounded;
  } else {
    constexpr mechanism found = mechanism_of<element>();
    if constexpr (found == mechanism::fields) {
      return static_end_of_parts(field_types_of<element>{}, from);
    } else if constexpr (found == mechanism::values) {
      return static_end_of_parts(value_types_of<element>{}, from);
    } else {
      using user = user_serialization_of<element>;
      if constexpr (compiles<own_static_bound, user>) return user::static_end_bound(from);
      return unbounded;
    }
  }
}

template <class T>
std::size_t end_of(const T& object, std::size_t from) noexcept;

struct part_bound {
  std::size_t from;

  template <class... Parts>
  std::size_t operator()(const Parts&... parts) const noexcept {
    std::size_t end = from;
    ((end = end_of(part_object(parts), end)), ...);
    return end;
  }
};

template <class T>
std::size_t end_of(const T& object, std::size_t from) noexcept {
  if (from == unbounded) return unbounded;
  if constexpr (static_end<T>(0) != unbounded) {
    return static_end<T>(from);
  } else if constexpr (!serializable<T>) {
    return unbounded;
  } else {
    constexpr mechanism found = mechanism_of<T>();
    if constexpr (found == mechanism::fields) {
      return object.upcxx_serialized_fields_(part_bound{from});
    } else if constexpr (found == mechanism::special || found == mechanism::nested) {
      using user = user_serialization_of<T>;
      if constexpr (compiles<own_bound, user, T>) return user::end_bound(object, from);
    }
    return unbounded;
  }
}

}  // namespace atl::upcxx_front
