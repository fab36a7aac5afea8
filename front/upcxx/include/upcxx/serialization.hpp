// SPDX-License-Identifier: BSD-3-Clause
//
// Chapter 6 of UPC++, Serialization: which types travel, how classes say it, the standard
// containers and views. Needs neither the runtime nor futures. The interface of writers and readers
// is in writer.hpp and reader.hpp.
#pragma once

#include <atoll/base/language.hpp>
#include <upcxx/containers.hpp>
#include <upcxx/fields.hpp>
#include <upcxx/optional.hpp>
#include <upcxx/reader.hpp>
#include <upcxx/serialization_traits.hpp>
#include <upcxx/view.hpp>
#include <upcxx/writer.hpp>

#include <cstddef>
#include <type_traits>

namespace atl::upcxx_front {

template <class T>
inline constexpr bool is_view = false;
template <class T, class Iterator>
inline constexpr bool is_view<::upcxx::view<T, Iterator>> = true;

template <class T, bool = ::upcxx::is_serializable<T>::value>
struct traits_of_serializable {
  using deserialized_type = arrival_of<T>;
};
template <class T>
struct traits_of_serializable<T, false> {};

}  // namespace atl::upcxx_front

namespace upcxx {

/// The type that T becomes on arrival is deserialized_type, where T is serializable.
template <class T>
struct serialization_traits : atl::upcxx_front::traits_of_serializable<T> {
  /// The value of `object` after it was written and read.
  static auto deserialized_value(const std::conditional_t<std::is_void_v<T>, std::nullptr_t,
                                                          std::remove_reference_t<T>>& object) {
    namespace front = atl::upcxx_front;
    static_assert(!front::is_deleted<T>,
                  "deserialized_value: the serialization of this type was deleted by "
                  "UPCXX_SERIALIZED_DELETE");
    static_assert(is_serializable<T>::value, "deserialized_value: T must be Serializable");
    static_assert(!front::is_view<atl::without_cvref<T>>,
                  "deserialized_value: T must not be a view, since a view does not own its bytes");
    if constexpr (is_serializable<T>::value) {
      alignas(std::max_align_t) std::byte nearby[512];
      front::writer to({nearby, sizeof(nearby)});
      to.write(object);
      front::reader from(to.bytes());
      return from.template read_value<atl::without_cvref<T>>();
    }
  }
};

template <class T>
using deserialized_type_t = typename serialization_traits<T>::deserialized_type;

}  // namespace upcxx
