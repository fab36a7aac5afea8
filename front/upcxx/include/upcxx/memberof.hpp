// SPDX-License-Identifier: BSD-3-Clause
//
// Global pointers to members of what a global pointer points to. The first form computes an offset,
// so the type must be of standard layout; the second asks the owner where that is not enough, and
// brings a future. An array member gives a pointer to its first element. Spec: 3.2.
#pragma once

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

template <class Pointer, class T, upcxx::memory_kind Kind>
upcxx::global_ptr<member_type<Pointer>, Kind> member_at(const upcxx::global_ptr<T, Kind>& object,
                                                        std::size_t offset) noexcept {
  static_assert(std::is_standard_layout_v<T>,
                "upcxx_memberof: the type must be of standard layout; see upcxx_memberof_general");
  if (object.is_null()) refuse("upcxx_memberof", "the pointer is null", "point to an object");
  place at = pointer_access::place_of(object);
  at.offset += offset;
  return pointer_access::make<member_type<Pointer>, Kind>(at);
}

template <class T, class Find>
auto member_of_any(const upcxx::global_ptr<T>& object, Find find) {
  using member = member_type<decltype(find(std::declval<T*>()))>;
  const auto here = [](const upcxx::global_ptr<T>& mine, Find how) {
    auto* const found = how(mine.local());
    if constexpr (std::is_array_v<std::remove_pointer_t<decltype(found)>>) {
      return upcxx::to_global_ptr(reinterpret_cast<member*>(found));  // the first element
    } else {
      return upcxx::to_global_ptr(found);
    }
  };
  if (object.is_null())
    refuse("upcxx_memberof_general", "the pointer is null", "point to an object");
  if (object.is_local()) return upcxx::make_future(here(object, find));
  return upcxx::rpc(object.where(), here, object, find);
}

}  // namespace atl::upcxx_front

#define upcxx_memberof(pointer, ...)                                                               \
  ::atl::upcxx_front::member_at<decltype(std::addressof(                                           \
      std::declval<typename std::remove_cvref_t<decltype(pointer)>::pointer_type>()                \
          ->__VA_ARGS__))>(                                                                        \
      (pointer),                                                                                   \
      offsetof(std::remove_const_t<typename std::remove_cvref_t<decltype(pointer)>::element_type>, \
               __VA_ARGS__))

#define upcxx_memberof_general(pointer, ...) \
  ::atl::upcxx_front::member_of_any(         \
      (pointer), [](auto* object) { return std::addressof(object->__VA_ARGS__); })
