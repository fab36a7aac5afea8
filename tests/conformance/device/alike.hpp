// SPDX-License-Identifier: BSD-3-Clause
//
// Compares two declarations of one C call: they mean the same to the caller's compiler if they have
// the same number of parameters, each of the same size and kind. Names of types may differ: an
// enumeration equals the integer of its size, and a pointer to an opaque type equals any pointer.
#pragma once

#include <type_traits>

namespace atl::tests {

template <class Ours, class Theirs>
consteval bool alike_values();

template <class Ours, class Theirs>
consteval bool alike_targets() {
  if constexpr (requires {
                  sizeof(Ours);
                  sizeof(Theirs);
                } && !std::is_function_v<Ours>) {
    if constexpr (std::is_pointer_v<Ours> || std::is_pointer_v<Theirs>) {
      return std::is_pointer_v<Ours> && std::is_pointer_v<Theirs>;
    } else {
      return sizeof(Ours) == sizeof(Theirs) && std::is_class_v<Ours> == std::is_class_v<Theirs>;
    }
  } else {
    return true;
  }
}

template <class Ours, class Theirs>
consteval bool alike_values() {
  if constexpr (std::is_void_v<Ours> || std::is_void_v<Theirs>) {
    return std::is_void_v<Ours> && std::is_void_v<Theirs>;
  } else if constexpr (std::is_pointer_v<Ours> || std::is_pointer_v<Theirs>) {
    if constexpr (std::is_pointer_v<Ours> && std::is_pointer_v<Theirs>) {
      return alike_targets<std::remove_cv_t<std::remove_pointer_t<Ours>>,
                           std::remove_cv_t<std::remove_pointer_t<Theirs>>>();
    } else {
      return false;
    }
  } else {
    return sizeof(Ours) == sizeof(Theirs) && alignof(Ours) == alignof(Theirs) &&
           std::is_class_v<Ours> == std::is_class_v<Theirs> &&
           std::is_floating_point_v<Ours> == std::is_floating_point_v<Theirs>;
  }
}

template <class OurResult, class... Ours, class TheirResult, class... Theirs>
consteval bool alike_calls(OurResult (*const*)(Ours...), TheirResult (*const*)(Theirs...)) {
  if constexpr (sizeof...(Ours) != sizeof...(Theirs)) {
    return false;
  } else {
    return alike_values<OurResult, TheirResult>() && (alike_values<Ours, Theirs>() && ...);
  }
}

/// Whether two types of pointers to functions are alike.
template <class Ours, class Theirs>
inline constexpr bool alike =
    alike_calls(static_cast<const Ours*>(nullptr), static_cast<const Theirs*>(nullptr));

// A comparison that is always true would show nothing.
static_assert(alike<int (*)(int*, unsigned), int (*)(int*, int)>);
static_assert(!alike<int (*)(int*), int (*)(int*, int)>);
static_assert(!alike<int (*)(int), int (*)(long)>);
static_assert(!alike<int (*)(int*), int (*)(long*)>);
static_assert(!alike<int (*)(int), int (*)(int*)>);
static_assert(!alike<int (*)(int), void (*)(int)>);

}  // namespace atl::tests
