// SPDX-License-Identifier: BSD-3-Clause
//
// Which types can travel, and as what they arrive (UPC++ 6.1, 6.2.6, 6.4). A type has exactly one
// mechanism, looked up in this order:
// clang-format off
//   bytes     is_trivially_serializable<T>: its bytes are copied
//   special   upcxx::serialization<T> is specialized, as for the standard containers and views, by
//             the same interface that users have; for std::optional, which the specification does
//             not name, ours serves only where the program does not specialize it
//   nested    T::upcxx_serialization is a class that the user wrote
//   fields    UPCXX_SERIALIZED_FIELDS, which is a nested class that says so
//   values    UPCXX_SERIALIZED_VALUES, likewise
//   deleted   UPCXX_SERIALIZED_DELETE, likewise: like none, but closes what a base class opened
// clang-format on
// A class that defines a mechanism is serializable; a static_assert says whether its parts are when
// the mechanism is used. References travel as what they refer to; const is kept; volatile objects
// and arrays are not serializable (arrays may be written and read in place).
#pragma once

#include <atoll/base/language.hpp>
#include <upcxx/storage.hpp>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <type_traits>
#include <utility>

namespace upcxx {

/// To be specialized by users for their own class types; see writer.hpp and reader.hpp.
template <class T>
struct serialization;

}  // namespace upcxx

namespace atl::upcxx_front {

class reader;
class writer;

/// This library's own serialization of a class that the specification leaves to users. It is used
/// where upcxx::serialization is not specialized, and says by `is_bytes` whether T travels as
/// bytes.
template <class T>
struct own_serialization;

enum class mechanism : std::uint8_t { missing, bytes, special, nested, fields, values, deleted };

template <class T>
using size_of_special_serialization =
    std::integral_constant<std::size_t, sizeof(::upcxx::serialization<T>)>;
template <class T>
inline constexpr bool has_special_serialization = compiles<size_of_special_serialization, T>;

template <class T>
using size_of_own_serialization = std::integral_constant<std::size_t, sizeof(own_serialization<T>)>;
template <class T>
inline constexpr bool has_own_serialization = compiles<size_of_own_serialization, T>;

template <class T>
using nested_serialization = typename T::upcxx_serialization;
template <class T>
inline constexpr bool has_nested_serialization = compiles<nested_serialization, T>;

/// Whether a specialization of this library's own serves; that depends on what it contains.
template <class Special>
using parts_flag_of = decltype(Special::parts_are_serializable);

/// The macro that made a nested class, as the class says it.
template <class Nested>
using mechanism_of_macro = decltype(Nested::atoll_mechanism);

template <class T>
constexpr bool is_bytes_by_default() {
  if constexpr (!std::is_object_v<T> || std::is_volatile_v<T> || std::is_array_v<T>)
    return false;
  else if constexpr (has_special_serialization<T> || has_nested_serialization<T>)
    return false;
  else if constexpr (has_own_serialization<T>)
    return own_serialization<T>::is_bytes;
  else
    // The second half tests the same for classes without assignment: g++ 12 wrongly answers the
    // first with no for lambdas with a capture default, once they have been in a tuple.
    return std::is_trivially_copyable_v<T> ||
           (std::is_trivially_copy_constructible_v<T> && std::is_trivially_destructible_v<T> &&
            !std::is_copy_assignable_v<T> && !std::is_move_assignable_v<T>);
}

}  // namespace atl::upcxx_front

namespace upcxx {

/// Whether T travels as a copy of its bytes. Users may specialize it for their own types.
template <class T>
struct is_trivially_serializable : std::bool_constant<atl::upcxx_front::is_bytes_by_default<T>()> {
};

template <class T>
struct is_trivially_serializable<const T> : is_trivially_serializable<T> {};

}  // namespace upcxx

namespace atl::upcxx_front {

/// The mechanism of T, an object type without const or volatile.
template <class T>
constexpr mechanism mechanism_of() {
  if constexpr (::upcxx::is_trivially_serializable<T>::value) {
    if constexpr (has_special_serialization<T>)
      static_assert(compiles<parts_flag_of, ::upcxx::serialization<T>>,
                    "a type cannot specialize both upcxx::serialization and "
                    "upcxx::is_trivially_serializable: which of them shall it be?");
    return mechanism::bytes;
  } else if constexpr (has_special_serialization<T>) {
    if constexpr (compiles<parts_flag_of, ::upcxx::serialization<T>>)
      return ::upcxx::serialization<T>::parts_are_serializable ? mechanism::special
                                                               : mechanism::missing;
    else
      return mechanism::special;
  } else if constexpr (has_nested_serialization<T>) {
    if constexpr (compiles<mechanism_of_macro, typename T::upcxx_serialization>)
      return T::upcxx_serialization::atoll_mechanism;
    else
      return mechanism::nested;
  } else if constexpr (has_own_serialization<T>) {
    return own_serialization<T>::parts_are_serializable ? mechanism::special : mechanism::missing;
  } else {
    return mechanism::missing;
  }
}

template <class T>
constexpr bool can_travel() {
  using object = std::remove_reference_t<T>;
  if constexpr (!std::is_object_v<object> || std::is_array_v<object> ||
                std::is_volatile_v<object>) {
    return false;
  } else {
    constexpr mechanism found = mechanism_of<std::remove_const_t<object>>();
    return found != mechanism::missing && found != mechanism::deleted;
  }
}

template <class T>
inline constexpr bool is_deleted = [] {
  using object = without_cvref<T>;
  if constexpr (std::is_class_v<object>)
    return mechanism_of<object>() == mechanism::deleted;
  else
    return false;
}();

}  // namespace atl::upcxx_front

namespace upcxx {

/// Whether T can be an argument of an rpc, be written and be read. Programs do not specialize it.
template <class T>
struct is_serializable : std::bool_constant<atl::upcxx_front::can_travel<T>()> {};

}  // namespace upcxx

namespace atl::upcxx_front {

template <class T>
inline constexpr bool serializable = ::upcxx::is_serializable<T>::value;

template <class T>
inline constexpr bool byte_serializable = ::upcxx::is_trivially_serializable<T>::value;

/// Whether write and read_into take a T: also arrays, of any number of dimensions.
template <class T>
inline constexpr bool serializable_or_array =
    serializable<std::remove_all_extents_t<T>> && std::is_same_v<std::remove_reference_t<T>, T>;

/// The class whose serialize and deserialize are called for T.
template <class T, mechanism = mechanism_of<T>()>
struct user_serialization;
template <class T>
struct user_serialization<T, mechanism::special> {
  using type = std::conditional_t<has_special_serialization<T>, ::upcxx::serialization<T>,
                                  own_serialization<T>>;
};
template <class T>
struct user_serialization<T, mechanism::nested> {
  using type = typename T::upcxx_serialization;
};
template <class T>
using user_serialization_of = typename user_serialization<T>::type;

template <class User, class Storage>
using result_of_deserialize =
    decltype(User::deserialize(std::declval<reader&>(), std::declval<Storage&>()));

template <class User, class Storage>
inline constexpr bool deserializes_into_storage = compiles<result_of_deserialize, User, Storage>;
template <class User>
inline constexpr bool deserializes_into_memory = compiles<result_of_deserialize, User, void*>;

template <class T>
constexpr auto user_result() {
  using user = user_serialization_of<T>;
  if constexpr (deserializes_into_storage<user, memory_storage<T>>) {
    using pointer =
        decltype(user::deserialize(std::declval<reader&>(), std::declval<memory_storage<T>>()));
    static_assert(std::is_pointer_v<pointer>,
                  "deserialize must return a pointer to the object that it constructed");
    return type_tag<std::remove_pointer_t<pointer>>{};
  } else {
    static_assert(deserializes_into_memory<user>,
                  "a class that customizes serialization needs two public static member templates: "
                  "serialize(Writer&, const T&) and deserialize(Reader&, Storage)");
    using pointer = decltype(user::deserialize(std::declval<reader&>(), std::declval<void*>()));
    static_assert(std::is_pointer_v<pointer>,
                  "deserialize must return a pointer to the object that it constructed");
    return type_tag<std::remove_pointer_t<pointer>>{};
  }
}

template <class T>
constexpr auto deserialized_as() {
  using object = std::remove_reference_t<T>;
  if constexpr (std::is_reference_v<T>) {
    return deserialized_as<std::remove_const_t<object>>();
  } else if constexpr (std::is_const_v<T>) {
    using inner = typename decltype(deserialized_as<std::remove_const_t<T>>())::type;
    return type_tag<const inner>{};
  } else {
    constexpr mechanism found = mechanism_of<T>();
    if constexpr (found == mechanism::special || found == mechanism::nested)
      return user_result<T>();
    else
      return type_tag<T>{};
  }
}

/// As upcxx::deserialized_type_t, and for arrays the array of what the elements become.
template <class T>
struct type_on_arrival {
  using type = typename decltype(deserialized_as<T>())::type;
};
template <class T, std::size_t N>
struct type_on_arrival<T[N]> {
  using type = typename type_on_arrival<T>::type[N];
};
template <class T>
using arrival_of = typename type_on_arrival<T>::type;

/// Ends an object that was deserialized; those that travel as bytes count as trivially
/// destructible.
template <class T>
void destroy_arrived(T& object) noexcept {
  if constexpr (std::is_array_v<T>) {
    for (auto& element : object) destroy_arrived(element);
  } else if constexpr (!byte_serializable<T>) {
    if constexpr (std::is_class_v<T>)
      object.T::~T();  // the object's type is T and no class derived from it, virtual or not
    else
      std::destroy_at(std::addressof(object));
  }
}

}  // namespace atl::upcxx_front
