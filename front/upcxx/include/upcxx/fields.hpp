// SPDX-License-Identifier: BSD-3-Clause
//
// The macros that a class uses to say how it travels (UPC++ 6.2.1, 6.2.2, 6.2.5). FIELDS and VALUES
// each define a member that hands all parts to a visitor, so the parts are named where private
// members are seen, and a nested class that constructs the object, so private constructors are
// seen. The visitor learns the types of the parts, writes them or overwrites them, always from left
// to right. A base class is passed as base_part, which is how it is told from a field.
#pragma once

#include <upcxx/serialization_traits.hpp>

#include <memory>
#include <new>
#include <tuple>
#include <type_traits>
#include <utility>

namespace atl::upcxx_front {

/// A base subobject among the parts; Base is const when the object is.
template <class Base>
struct base_part {
  Base& object;
};

/// The reference to which an object of type Derived is cast. The class itself casts, since the
/// base may be private.
template <class Base, class Derived>
struct base_cast {
  static_assert(std::is_base_of_v<Base, Derived>,
                "UPCXX_SERIALIZED_BASE(B): B must be a base class of this class");
  using type = std::conditional_t<std::is_const_v<Derived>, const Base, Base>&;
};
template <class Derived, class Base>
using base_reference = typename base_cast<Base, std::remove_reference_t<Derived>>::type;

template <class Base>
base_part<Base> base_of(Base& object) noexcept {
  return {object};
}

template <class T>
inline constexpr bool is_base_part = false;
template <class Base>
inline constexpr bool is_base_part<base_part<Base>> = true;

template <class T>
const T& part_object(const T& part) noexcept {
  return part;
}
template <class Base>
const Base& part_object(const base_part<Base>& part) noexcept {
  return part.object;
}

template <class... Types>
struct type_list {};

/// A visitor that gives the types of the parts: fields keep their const, values lose it.
struct part_types {
  template <class... Parts>
  type_list<std::remove_reference_t<Parts>...> operator()(Parts&&...) const {
    return {};
  }
};

template <class T>
struct value_part {
  using type = std::remove_const_t<T>;
};
template <class Base>
struct value_part<base_part<Base>> {
  using type = std::remove_const_t<Base>;
};
template <class Part>
using value_of_part = typename value_part<std::remove_const_t<Part>>::type;

template <class T>
using field_types_of = decltype(std::declval<T&>().upcxx_serialized_fields_(part_types{}));
template <class T>
using value_types_of = decltype(std::declval<const T&>().upcxx_serialized_values_(part_types{}));

template <class Field>
constexpr void check_field() {
  using element = std::remove_all_extents_t<Field>;
  static_assert(!std::is_const_v<element>,
                "UPCXX_SERIALIZED_FIELDS: a field cannot be const, since it is overwritten; use "
                "UPCXX_SERIALIZED_VALUES");
  static_assert(serializable<element>,
                "UPCXX_SERIALIZED_FIELDS: each field must be Serializable, or an array of "
                "Serializable elements");
  if constexpr (serializable<element>)
    static_assert(std::is_same_v<arrival_of<element>, element>,
                  "UPCXX_SERIALIZED_FIELDS: each field must arrive as the type that it has; this "
                  "one is deserialized as another type");
}

template <class Base>
constexpr void check_field_base() {
  static_assert(!std::is_polymorphic_v<Base> && !std::is_abstract_v<Base>,
                "UPCXX_SERIALIZED_BASE(B) inside UPCXX_SERIALIZED_FIELDS: B must not have virtual "
                "functions, since the base subobject is constructed anew");
  static_assert(serializable<Base>,
                "UPCXX_SERIALIZED_BASE(B) inside UPCXX_SERIALIZED_FIELDS: B must be Serializable");
}

template <class Part>
constexpr void check_field_part() {
  if constexpr (is_base_part<Part>)
    check_field_base<std::remove_reference_t<decltype(std::declval<Part>().object)>>();
  else
    check_field<Part>();
}

template <class... Parts>
constexpr void check_field_parts(type_list<Parts...>) {
  (check_field_part<Parts>(), ...);
}

template <class T>
constexpr void check_fields() {
  check_field_parts(field_types_of<T>{});
}

template <class Part>
constexpr void check_value() {
  using value = value_of_part<Part>;
  if constexpr (is_base_part<std::remove_const_t<Part>>)
    static_assert(
        !std::is_abstract_v<value>,
        "UPCXX_SERIALIZED_BASE(B) inside UPCXX_SERIALIZED_VALUES: B must not be abstract, "
        "since a B is passed to the constructor");
  static_assert(serializable<value>, "UPCXX_SERIALIZED_VALUES: each value must be Serializable");
}

template <class... Parts>
constexpr void check_value_parts(type_list<Parts...>) {
  (check_value<Parts>(), ...);
}

template <class T>
constexpr void check_values() {
  check_value_parts(value_types_of<T>{});
}

/// Constructs a T by its default constructor, as the class itself may.
template <class T>
struct default_maker {
  T* construct_at(void* memory) const {
    return T::upcxx_serialization::template upcxx_construct_<T>(memory);
  }
  operator T() const { return T::upcxx_serialization::template upcxx_make_<T>(); }
};

/// Constructs a T from the values that were read, as the class itself may.
template <class T, class... Values>
struct value_maker {
  std::tuple<Values*...> values;

  T* construct_at(void* memory) const {
    return std::apply(
        [memory](Values*... each) {
          return T::upcxx_serialization::template upcxx_construct_<T>(memory, std::move(*each)...);
        },
        values);
  }
  operator T() const {
    return std::apply(
        [](Values*... each) {
          return T::upcxx_serialization::template upcxx_make_<T>(std::move(*each)...);
        },
        values);
  }
};

}  // namespace atl::upcxx_front

#define ATOLL_UPCXX_FIELDS_CONSTRUCTOR                                                       \
  "UPCXX_SERIALIZED_FIELDS: the class needs a constructor without arguments; a public one, " \
  "where the macro stands in a base class"
#define ATOLL_UPCXX_VALUES_CONSTRUCTOR                                                           \
  "UPCXX_SERIALIZED_VALUES: no constructor of the class takes these values as rvalues; it must " \
  "be public, where the macro stands in a base class"

// Tests whether an expression compiles. They are members of a nested class, because that has the
// class's own access rights.
#define ATOLL_UPCXX_CONSTRUCTOR_TEST                                                \
  template <class AtollObject, class... AtollValues>                                \
  static auto upcxx_constructs_(int)                                                \
      -> decltype(static_cast<void>(AtollObject(::std::declval<AtollValues>()...)), \
                  ::std::true_type());                                              \
  template <class AtollObject, class... AtollValues>                                \
  static ::std::false_type upcxx_constructs_(...);

/// The members that travel; all others are as the default constructor leaves them.
#define UPCXX_SERIALIZED_FIELDS(...)                                               \
  template <class AtollVisitor>                                                    \
  auto upcxx_serialized_fields_(AtollVisitor&& atoll_visitor) {                    \
    return atoll_visitor(__VA_ARGS__);                                             \
  }                                                                                \
  template <class AtollVisitor>                                                    \
  auto upcxx_serialized_fields_(AtollVisitor&& atoll_visitor) const {              \
    return atoll_visitor(__VA_ARGS__);                                             \
  }                                                                                \
  struct upcxx_serialization {                                                     \
    static constexpr auto atoll_mechanism = ::atl::upcxx_front::mechanism::fields; \
    ATOLL_UPCXX_CONSTRUCTOR_TEST                                                   \
    template <class AtollObject>                                                   \
    static AtollObject* upcxx_construct_(void* atoll_memory) {                     \
      static_assert(decltype(upcxx_constructs_<AtollObject>(0))::value,            \
                    ATOLL_UPCXX_FIELDS_CONSTRUCTOR);                               \
      return ::new (atoll_memory) AtollObject;                                     \
    }                                                                              \
    template <class AtollObject>                                                   \
    static AtollObject upcxx_make_() {                                             \
      static_assert(decltype(upcxx_constructs_<AtollObject>(0))::value,            \
                    ATOLL_UPCXX_FIELDS_CONSTRUCTOR);                               \
      return AtollObject();                                                        \
    }                                                                              \
  };

/// The values that travel, and that a constructor takes in this order.
#define UPCXX_SERIALIZED_VALUES(...)                                                          \
  template <class AtollVisitor>                                                               \
  auto upcxx_serialized_values_(AtollVisitor&& atoll_visitor) const {                         \
    return atoll_visitor(__VA_ARGS__);                                                        \
  }                                                                                           \
  struct upcxx_serialization {                                                                \
    static constexpr auto atoll_mechanism = ::atl::upcxx_front::mechanism::values;            \
    ATOLL_UPCXX_CONSTRUCTOR_TEST                                                              \
    template <class AtollObject, class... AtollValues>                                        \
    static AtollObject* upcxx_construct_(void* atoll_memory, AtollValues&&... atoll_values) { \
      static_assert(decltype(upcxx_constructs_<AtollObject, AtollValues&&...>(0))::value,     \
                    ATOLL_UPCXX_VALUES_CONSTRUCTOR);                                          \
      return ::new (atoll_memory) AtollObject(static_cast<AtollValues&&>(atoll_values)...);   \
    }                                                                                         \
    template <class AtollObject, class... AtollValues>                                        \
    static AtollObject upcxx_make_(AtollValues&&... atoll_values) {                           \
      static_assert(decltype(upcxx_constructs_<AtollObject, AtollValues&&...>(0))::value,     \
                    ATOLL_UPCXX_VALUES_CONSTRUCTOR);                                          \
      return AtollObject(static_cast<AtollValues&&>(atoll_values)...);                        \
    }                                                                                         \
  };

/// Closes the serialization that a base class opened.
#define UPCXX_SERIALIZED_DELETE()                                                   \
  struct upcxx_serialization {                                                      \
    static constexpr auto atoll_mechanism = ::atl::upcxx_front::mechanism::deleted; \
  };

/// A base class, as one of the arguments of UPCXX_SERIALIZED_FIELDS or UPCXX_SERIALIZED_VALUES.
#define UPCXX_SERIALIZED_BASE(...) \
  ::atl::upcxx_front::base_of(     \
      static_cast<::atl::upcxx_front::base_reference<decltype(*this), __VA_ARGS__>>(*this))
