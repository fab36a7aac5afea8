// SPDX-License-Identifier: BSD-3-Clause
//
// Global pointers to members of what a global pointer points to. The first form computes an offset,
// so the type must be of standard layout. The second serves all types: it asks the owner where it
// must, and returns a future, which is ready where no other rank is asked. An array member gives a
// pointer to its first element. Spec: 3.2.
//
// upcxx_experimental_memberof_unsafe is the first form for all types for which the compiler knows
// offsetof; not part of the specification.
#pragma once

#include <atoll/base/language.hpp>
#include <upcxx/global_ptr.hpp>
#include <upcxx/rpc.hpp>

#include <cstddef>
#include <memory>
#include <type_traits>
#include <utility>

namespace atl::upcxx_front {

/// From the type of a pointer to a member to what the global pointer points to.
template <class Pointer>
using member_type = std::remove_all_extents_t<std::remove_pointer_t<Pointer>>;

template <class Pointer, bool AnyLayout, std::size_t Offset, class T, upcxx::memory_kind Kind>
upcxx::global_ptr<member_type<Pointer>, Kind> member_at(
    const upcxx::global_ptr<T, Kind>& object) noexcept {
  static_assert(AnyLayout || std::is_standard_layout_v<T>,
                "upcxx_memberof: the type must be of standard layout; see upcxx_memberof_general");
  static_assert(
      Offset < sizeof(T),
      "upcxx_memberof: the member lies outside of the object; mend the index of the array");
  if (object.is_null()) refuse("upcxx_memberof", "the pointer is null", "point to an object");
  place location = pointer_access::place_of(object);
  location.offset += Offset;
  return pointer_access::make<member_type<Pointer>, Kind>(location);
}

/// Types whose members lie at the same offset in each object: those without virtual bases.
template <class T>
inline constexpr bool has_fixed_layout =
    std::is_standard_layout_v<T> || std::is_trivially_copyable_v<T>;

/// The place of a member, by the owner's address of the object.
template <class T, upcxx::memory_kind Kind, class Find>
auto member_by_address(const upcxx::global_ptr<T, Kind>& object, Find find) noexcept {
  using pointer = decltype(find(std::declval<T*>()));
  place location = pointer_access::place_of(object);
  location.offset = reinterpret_cast<std::uintptr_t>(find(reinterpret_cast<T*>(location.offset)));
  return pointer_access::make<member_type<pointer>, Kind>(location);
}

template <class T, upcxx::memory_kind Kind, class Find>
auto member_of_any(const upcxx::global_ptr<T, Kind>& object, Find find) {
  using pointer = decltype(find(std::declval<T*>()));
  using member = member_type<pointer>;
  if (object.is_null())
    refuse("upcxx_memberof_general", "the pointer is null", "point to an object");
  if constexpr (has_fixed_layout<T> || Kind != upcxx::memory_kind::host) {
    return upcxx::make_future(member_by_address(object, find));
  } else {
    const auto find_member = [](const upcxx::global_ptr<T>& owned, Find finder) {
      return upcxx::to_global_ptr(reinterpret_cast<member*>(finder(owned.local())));
    };
    // The owner of a neighbour's object reads it: the virtual table is at an address of that
    // process.
    if (object.where() == upcxx::rank_me()) return upcxx::make_future(find_member(object, find));
    return upcxx::rpc(object.where(), find_member, object, find);
  }
}

/// The address of a member, for a designator that names one. `Declared` is the type of the
/// expression object->MEMBER as it is declared, with its reference.
template <class Declared, class Member>
Member* address_of_member(Member& member) noexcept {
  static_assert(!std::is_reference_v<Declared>,
                "upcxx_memberof_general: the member must be neither a reference nor an element of "
                "an array; of an array, name it whole and add the index to the pointer");
  return std::addressof(member);
}

}  // namespace atl::upcxx_front

// In parentheses, since the commas would otherwise divide the arguments of a macro around them.
#define ATOLL_UPCXX_MEMBER_AT(any_layout, pointer, ...)                                          \
  (::atl::upcxx_front::member_at<                                                                \
      decltype(::std::addressof(                                                                 \
          ::std::declval<typename ::atl::without_cvref<decltype(pointer)>::pointer_type>()       \
              ->__VA_ARGS__)),                                                                   \
      any_layout,                                                                                \
      offsetof(                                                                                  \
          ::std::remove_const_t<typename ::atl::without_cvref<decltype(pointer)>::element_type>, \
          __VA_ARGS__)>((pointer)))

#define upcxx_memberof(pointer, ...) ATOLL_UPCXX_MEMBER_AT(false, pointer, __VA_ARGS__)

#define upcxx_experimental_memberof_unsafe(pointer, ...) \
  ATOLL_UPCXX_MEMBER_AT(true, pointer, __VA_ARGS__)
#define upcxx_memberof_unsafe(pointer, ...) \
  upcxx_experimental_memberof_unsafe(pointer, __VA_ARGS__)  // its older name

#define upcxx_memberof_general(pointer, ...)                                     \
  (::atl::upcxx_front::member_of_any((pointer), [](auto* object) {               \
    return ::atl::upcxx_front::address_of_member<decltype(object->__VA_ARGS__)>( \
        object->__VA_ARGS__);                                                    \
  }))
