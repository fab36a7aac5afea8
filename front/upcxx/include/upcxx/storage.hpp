// SPDX-License-Identifier: BSD-3-Clause
//
// Where a deserialized object is to live: raw memory, or an optional. A class's own deserialize
// gets one of these by value and calls construct(arguments...) exactly once; it returns the
// object's address (UPC++ 6.2.3, revision 2022.9). construct_by and discard are for the library:
// the macros construct from inside the class, where private constructors are seen.
#pragma once

#include <cstddef>
#include <memory>
#include <new>
#include <optional>
#include <tuple>
#include <type_traits>
#include <utility>

namespace atl::upcxx_front {

/// Memory of the right size and alignment for a T that is not there yet.
template <class T>
class memory_storage {
 public:
  explicit memory_storage(void* memory) noexcept : memory_(memory) {}

  template <class... Arguments>
  T* construct(Arguments&&... arguments) const {
    if constexpr (std::is_constructible_v<T, Arguments...>)
      return ::new (memory_) T(std::forward<Arguments>(arguments)...);
    else
      return ::new (memory_) T{std::forward<Arguments>(arguments)...};
  }

  /// `maker` constructs at an address.
  template <class Maker>
  T* construct_by(Maker&& maker) const {
    return maker.construct_at(memory_);
  }

  /// Destroys what was constructed, because reading its parts failed.
  void discard(T* object) const noexcept { std::destroy_at(object); }

  void* memory() const noexcept { return memory_; }

 private:
  void* memory_;
};

/// Whether a storage is raw memory, which a value may also be copied or read into.
template <class Storage>
inline constexpr bool is_memory = false;
template <class T>
inline constexpr bool is_memory<memory_storage<T>> = true;

/// An optional that is to hold the object; what it held before is destroyed first.
template <class T>
class optional_storage {
 public:
  explicit optional_storage(std::optional<T>& target) noexcept : target_(&target) {}

  template <class... Arguments>
  T* construct(Arguments&&... arguments) const {
    if constexpr (std::is_constructible_v<T, Arguments...>)
      return &target_->emplace(std::forward<Arguments>(arguments)...);
    else
      return construct_by(braces<Arguments...>{{std::forward<Arguments>(arguments)...}});
  }

  /// `maker` converts to a T; the conversion's result becomes the object itself, without a move.
  template <class Maker>
  T* construct_by(Maker&& maker) const {
    return &target_->emplace(std::forward<Maker>(maker));
  }

  void discard(T*) const noexcept { target_->reset(); }

 private:
  template <class... Arguments>
  struct braces {
    std::tuple<Arguments&&...> arguments;
    operator T() const {
      return std::apply([](auto&&... each) { return T{std::forward<decltype(each)>(each)...}; },
                        arguments);
    }
  };

  std::optional<T>* target_;
};

}  // namespace atl::upcxx_front
