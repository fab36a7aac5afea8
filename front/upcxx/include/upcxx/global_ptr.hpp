// SPDX-License-Identifier: BSD-3-Clause
//
// Global pointers: a place in the shared memory of any rank, as a value that means the same on all.
// It is the owner's rank and the offset in its heap; for device memory, the device and the address
// there. The null pointer is all zeros: no block of a heap begins at its first byte.
//
// A pointer to T converts to one to const T by being derived from it, and any kind of memory to
// memory_kind::any. Spec: chapter 3.
#pragma once

#include <atoll/base/language.hpp>
#include <atoll/base/ordered.hpp>
#include <upcxx/init.hpp>
#include <upcxx/job.hpp>
#include <upcxx/reference_names.hpp>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <iosfwd>
#include <memory>
#include <type_traits>
#include <utility>

namespace upcxx {

/// The kind of memory that a global pointer points to; `any`: known only at run time.
enum class memory_kind : std::uint16_t {
  any = 0,
  host = 1,
  cuda_device = 2,
  hip_device = 3,
  ze_device = 4
};
/// Its name.
std::ostream& operator<<(std::ostream& to, memory_kind kind);

/// A pointer to a T in the shared memory of any rank. A value that travels in calls and transfers;
/// null by default. Arithmetic stays within one array, as that of pointers does, and costs no
/// communication. Any thread. Spec: 3.
template <class T, memory_kind Kind = memory_kind::host>
struct global_ptr;

}  // namespace upcxx

namespace atl::upcxx_front {

/// The content of a global pointer, whatever it points to.
struct place {
  std::uintptr_t offset = 0;  // in the owner's heap; in device memory: the address
  std::uint32_t rank = 0;     // in the job
  std::uint16_t device = 0;   // the owner's number of it, from 1; 0: host memory
  std::uint16_t kind = 0;     // memory_kind of what it points to; 0: null

  friend constexpr bool operator==(const place& a, const place& b) noexcept {
    return a.offset == b.offset && a.rank == b.rank && a.device == b.device && a.kind == b.kind;
  }
  friend constexpr bool operator<(const place& a, const place& b) noexcept {
    if (a.rank != b.rank) return a.rank < b.rank;
    if (a.device != b.device) return a.device < b.device;
    return a.offset < b.offset;
  }
};

/// The place of an address in the heap of a neighbour; a null place when it is in none.
place place_of(const void* address) noexcept;
[[noreturn, gnu::cold]] void refuse_local(const place& location) noexcept;
[[noreturn, gnu::cold]] void refuse_address(const void* address) noexcept;

/// A place by the address at which its owner sees it, and the other way round: null for null. An
/// address outside of the owner's heap ends the job.
place place_at_owner(upcxx::intrank_t owner, const void* address) noexcept;
void* address_at_owner(const place& location) noexcept;

/// "rank 3 + 0x120", "null".
void print(std::ostream& to, const place& location);

struct pointer_access;

template <class T, class U>
using static_casted = decltype(static_cast<T*>(std::declval<U*>()));
template <class T, class U>
using reinterpret_casted = decltype(reinterpret_cast<T*>(std::declval<U*>()));
template <class T, class U>
using const_casted = decltype(const_cast<T*>(std::declval<U*&>()));

}  // namespace atl::upcxx_front

namespace upcxx {

template <class T, memory_kind Kind>
struct global_ptr<T&, Kind> {
  static_assert(sizeof(T*) == 0, "global_ptr<T>: T must not be a reference");
};
template <class T, memory_kind Kind>
struct global_ptr<T&&, Kind> {
  static_assert(sizeof(T*) == 0, "global_ptr<T>: T must not be a reference");
};

template <class T, memory_kind Kind>
struct global_ptr<const T, Kind> : private atl::ordered<global_ptr<const T, Kind>> {
  static_assert(!std::is_volatile_v<T>, "global_ptr<T>: T must not be volatile");

 public:
  using element_type = const T;
  using pointer_type = const T*;
  static constexpr memory_kind kind = Kind;

  /// A null pointer; also before init().
  constexpr global_ptr(std::nullptr_t = nullptr) noexcept {}

  template <memory_kind From,
            class = std::enable_if_t<Kind == memory_kind::any && From != memory_kind::any>>
  constexpr global_ptr(const global_ptr<const T, From>& other) noexcept
      : location_(other.location_) {}

  constexpr bool is_null() const noexcept { return location_.kind == 0; }
  constexpr explicit operator bool() const noexcept { return !is_null(); }

  /// Whether this process can load and store there; true for null.
  bool is_local() const noexcept {
    return is_null() || (location_.device == 0 && atl::upcxx_front::job.is_local(location_.rank));
  }

  /// The rank of the owner, in the job.
  constexpr intrank_t where() const noexcept { return static_cast<intrank_t>(location_.rank); }

  constexpr memory_kind dynamic_kind() const noexcept {
    return is_null() ? (Kind == memory_kind::any ? memory_kind::host : Kind)
                     : static_cast<memory_kind>(location_.kind);
  }

  /// The address in this process; is_local() holds.
  const T* local() const noexcept {
    return static_cast<const T*>(static_cast<const void*>(local_address()));
  }

  global_ptr operator+(std::ptrdiff_t distance) const noexcept { return moved(distance); }
  global_ptr operator-(std::ptrdiff_t distance) const noexcept { return moved(-distance); }
  friend global_ptr operator+(std::ptrdiff_t distance, global_ptr from) noexcept {
    return from + distance;
  }
  global_ptr& operator+=(std::ptrdiff_t distance) noexcept { return *this = moved(distance); }
  global_ptr& operator-=(std::ptrdiff_t distance) noexcept { return *this = moved(-distance); }
  global_ptr& operator++() noexcept { return *this += 1; }
  global_ptr& operator--() noexcept { return *this -= 1; }
  global_ptr operator++(int) noexcept {
    const global_ptr previous = *this;
    ++*this;
    return previous;
  }
  global_ptr operator--(int) noexcept {
    const global_ptr previous = *this;
    --*this;
    return previous;
  }
  /// Elements from `other` to this; both point into one array.
  std::ptrdiff_t operator-(const global_ptr<const T, Kind>& other) const noexcept {
    return static_cast<std::ptrdiff_t>(location_.offset - other.location_.offset) /
           static_cast<std::ptrdiff_t>(sizeof(T));
  }

  friend constexpr bool operator==(const global_ptr& a, const global_ptr& b) noexcept {
    return a.location_ == b.location_;
  }
  friend constexpr bool operator<(const global_ptr& a, const global_ptr& b) noexcept {
    return a.location_ < b.location_;
  }

  friend std::ostream& operator<<(std::ostream& to, const global_ptr& pointer) {
    atl::upcxx_front::print(to, pointer.location_);
    return to;
  }

  // For programs that use the parts of the reference's pointers (reference_names.hpp): the owner,
  // and the address at which the owner sees the object in host memory.
  explicit global_ptr(detail::internal_only, intrank_t owner, const T* raw) noexcept
      : location_(atl::upcxx_front::place_at_owner(owner, raw)) {}
  const T* raw_internal(detail::internal_only) const noexcept {
    return static_cast<const T*>(atl::upcxx_front::address_at_owner(location_));
  }

 protected:
  friend struct atl::upcxx_front::pointer_access;
  template <class U, memory_kind Other>
  friend struct global_ptr;

  explicit constexpr global_ptr(const atl::upcxx_front::place& location) noexcept
      : location_(location) {}

  std::byte* local_address() const noexcept {
    if (is_null()) return nullptr;
    if (location_.device != 0) return reinterpret_cast<std::byte*>(location_.offset);
    if (!atl::upcxx_front::job.is_local(location_.rank)) [[unlikely]]
      atl::upcxx_front::refuse_local(location_);
    return atl::upcxx_front::job.address(location_.rank, location_.offset);
  }
  global_ptr moved(std::ptrdiff_t distance) const noexcept {
    global_ptr to = *this;
    to.location_.offset += static_cast<std::uintptr_t>(distance) * sizeof(T);
    return to;
  }

  atl::upcxx_front::place location_;
};

template <class T, memory_kind Kind>
struct global_ptr : global_ptr<const T, Kind> {
  using element_type = T;
  using pointer_type = T*;
  using readable = global_ptr<const T, Kind>;

  constexpr global_ptr(std::nullptr_t = nullptr) noexcept {}

  template <memory_kind From,
            class = std::enable_if_t<Kind == memory_kind::any && From != memory_kind::any>>
  constexpr global_ptr(const global_ptr<T, From>& other) noexcept : readable(other.location_) {}

  T* local() const noexcept { return static_cast<T*>(static_cast<void*>(this->local_address())); }

  explicit global_ptr(detail::internal_only key, intrank_t owner, T* raw) noexcept
      : readable(key, owner, raw) {}
  T* raw_internal(detail::internal_only) const noexcept {
    return static_cast<T*>(atl::upcxx_front::address_at_owner(this->location_));
  }

  global_ptr operator+(std::ptrdiff_t distance) const noexcept { return moved(distance); }
  global_ptr operator-(std::ptrdiff_t distance) const noexcept { return moved(-distance); }
  std::ptrdiff_t operator-(const readable& other) const noexcept {
    return static_cast<const readable&>(*this) - other;
  }
  friend global_ptr operator+(std::ptrdiff_t distance, global_ptr from) noexcept {
    return from + distance;
  }
  global_ptr& operator+=(std::ptrdiff_t distance) noexcept { return *this = moved(distance); }
  global_ptr& operator-=(std::ptrdiff_t distance) noexcept { return *this = moved(-distance); }
  global_ptr& operator++() noexcept { return *this += 1; }
  global_ptr& operator--() noexcept { return *this -= 1; }
  global_ptr operator++(int) noexcept {
    const global_ptr previous = *this;
    ++*this;
    return previous;
  }
  global_ptr operator--(int) noexcept {
    const global_ptr previous = *this;
    --*this;
    return previous;
  }

 private:
  friend struct atl::upcxx_front::pointer_access;
  template <class U, memory_kind Other>
  friend struct global_ptr;

  explicit constexpr global_ptr(const atl::upcxx_front::place& location) noexcept
      : readable(location) {}
  global_ptr moved(std::ptrdiff_t distance) const noexcept {
    return global_ptr(readable::moved(distance).location_);
  }
};

}  // namespace upcxx

namespace atl::upcxx_front {

/// For the parts of this front.
struct pointer_access {
  template <class T, upcxx::memory_kind Kind>
  static constexpr const place& place_of(const upcxx::global_ptr<T, Kind>& from) noexcept {
    return from.location_;
  }
  template <class T, upcxx::memory_kind Kind = upcxx::memory_kind::host>
  static constexpr upcxx::global_ptr<T, Kind> make(const place& location) noexcept {
    return upcxx::global_ptr<T, Kind>(location);
  }

  /// The same place as a pointer to another type: `cast` says how its address changes.
  template <class To, class From, upcxx::memory_kind Kind, class Cast>
  static upcxx::global_ptr<To, Kind> cast(const upcxx::global_ptr<From, Kind>& from,
                                          Cast cast_address) {
    if (from.is_null()) return nullptr;
    place location = place_of(from);
    auto* const address = reinterpret_cast<From*>(location.offset);
    location.offset = reinterpret_cast<std::uintptr_t>(cast_address(address));
    return make<To, Kind>(location);
  }
};

}  // namespace atl::upcxx_front

namespace upcxx {

/// The global pointer to an object in the shared memory of a rank of the local team.
template <class T>
global_ptr<T> to_global_ptr(T* pointer) noexcept {
  using namespace atl::upcxx_front;
  if (pointer == nullptr) return nullptr;
  need_job("upcxx::to_global_ptr");
  const place location = place_of(pointer);
  if (location.kind == 0) [[unlikely]]
    refuse_address(pointer);
  return pointer_access::make<T>(location);
}

/// The same; null for an object elsewhere.
template <class T>
global_ptr<T> try_global_ptr(T* pointer) noexcept {
  if (pointer == nullptr) return nullptr;
  atl::upcxx_front::need_job("upcxx::try_global_ptr");
  return atl::upcxx_front::pointer_access::make<T>(atl::upcxx_front::place_of(pointer));
}

/// The same place as a pointer to another type, converted as the cast of that name does with a
/// plain pointer; null stays null.
template <class T, class U, memory_kind Kind>
global_ptr<T, Kind> static_pointer_cast(global_ptr<U, Kind> pointer) noexcept {
  static_assert(atl::compiles<atl::upcxx_front::static_casted, T, U>,
                "static_pointer_cast<T>: a U* cannot be cast to T* by static_cast");
  return atl::upcxx_front::pointer_access::cast<T>(pointer,
                                                   [](U* p) { return static_cast<T*>(p); });
}
template <class T, class U, memory_kind Kind>
global_ptr<T, Kind> reinterpret_pointer_cast(global_ptr<U, Kind> pointer) noexcept {
  static_assert(atl::compiles<atl::upcxx_front::reinterpret_casted, T, U>,
                "reinterpret_pointer_cast<T>: a U* cannot be cast to T* by reinterpret_cast");
  return atl::upcxx_front::pointer_access::cast<T>(pointer,
                                                   [](U* p) { return reinterpret_cast<T*>(p); });
}
template <class T, class U, memory_kind Kind>
global_ptr<T, Kind> const_pointer_cast(global_ptr<U, Kind> pointer) noexcept {
  static_assert(atl::compiles<atl::upcxx_front::const_casted, T, U>,
                "const_pointer_cast<T>: a U* cannot be cast to T* by const_cast");
  return atl::upcxx_front::pointer_access::cast<T>(pointer, [](U* p) { return const_cast<T*>(p); });
}

/// The same place with another kind in its type; the caller knows that it is of that kind.
template <memory_kind To, class T, memory_kind From>
global_ptr<T, To> static_kind_cast(global_ptr<T, From> pointer) noexcept {
  static_assert(To == From || To == memory_kind::any || From == memory_kind::any,
                "static_kind_cast: one kind of memory cannot become another");
  using atl::upcxx_front::pointer_access;
  return pointer_access::make<T, To>(pointer_access::place_of(pointer));
}

/// The same; null when it is not of that kind.
template <memory_kind To, class T, memory_kind From>
global_ptr<T, To> dynamic_kind_cast(global_ptr<T, From> pointer) noexcept {
  static_assert(To == From || To == memory_kind::any || From == memory_kind::any,
                "dynamic_kind_cast: one kind of memory cannot become another");
  if (To != memory_kind::any && pointer.dynamic_kind() != To) return nullptr;
  return static_kind_cast<To>(pointer);
}

}  // namespace upcxx

template <class T, upcxx::memory_kind Kind>
struct std::hash<upcxx::global_ptr<T, Kind>> {
  std::size_t operator()(const upcxx::global_ptr<T, Kind>& pointer) const noexcept {
    const auto& location = atl::upcxx_front::pointer_access::place_of(pointer);
    const std::uint64_t owner = std::uint64_t{location.rank} << 16 | location.device;
    // Both parts spread over all bits: tables use the low ones, and those of addresses are zeros.
    const std::uint64_t mixed =
        (location.offset ^ owner * 0xc2b2ae3d27d4eb4fULL) * 0x9e3779b97f4a7c15ULL;
    return static_cast<std::size_t>(mixed ^ mixed >> 32);
  }
};
