// SPDX-License-Identifier: BSD-3-Clause
//
// Shared memory of this rank: objects made and destroyed in it, and plain storage. All fronts
// allocate from the same heap. Arrays of a type with a destructor keep their length before the
// first element. Freeing twice, or freeing an address that is not a block of this rank, ends the
// job with the address. Threads: any. Spec: chapter 4.
//
// The heap ends with finalize(). Memory that is given back later, as by destructors of objects that
// outlive the job, is gone already: nothing happens, a warning says so once, and destructors do
// not run in memory that is gone. Where UPCXX_ASSERT_ENABLED is 1 it ends the job.
#pragma once

#include <upcxx/global_ptr.hpp>

#include <algorithm>
#include <cstddef>
#include <limits>
#include <memory>
#include <new>
#include <type_traits>
#include <utility>

namespace upcxx {

/// Shared memory of this rank is full. Says how much there was and how much was asked for.
class bad_shared_alloc : public std::bad_alloc {
 public:
  explicit bad_shared_alloc(std::size_t wanted_bytes = 0) noexcept;
  const char* what() const noexcept override { return message_; }

 private:
  char message_[320];
};

/// `size` bytes; null when there are none. Uninitialized. An alignment that is no power of two ends
/// the job.
void* allocate(std::size_t size, std::size_t alignment = alignof(std::max_align_t)) noexcept;
/// Gives back what allocate() gave on this rank; nothing for null.
inline void deallocate(void* block) noexcept;

/// Bytes of this rank's shared memory in use, and how many there may ever be.
std::size_t shared_segment_used() noexcept;
std::size_t shared_segment_size() noexcept;

}  // namespace upcxx

namespace atl::upcxx_front {

/// Ends the job unless the pointer is to this rank's shared memory.
void need_own(const place& location, const char* call) noexcept;
/// Ends the job unless this is the start of a block that is in use; before a destructor runs there.
void need_block(const void* block, const char* call) noexcept;
/// As deallocate(), on behalf of the named call.
void give_block_back(void* block, const char* call) noexcept;
/// Something is given back to a heap that has ended: an error, or else one warning per process.
[[gnu::cold]] void give_back_too_late(const char* call, bool is_error) noexcept;
/// Whether the heap has ended, so that nothing can be given back; reports that.
inline bool heap_has_ended(const char* call) noexcept {
  if (job.runtime != nullptr) [[likely]]
    return false;
  give_back_too_late(call, UPCXX_ASSERT_ENABLED != 0);
  return true;
}
[[noreturn, gnu::cold]] void refuse_alignment(const char* call, std::size_t alignment) noexcept;

/// Space before the elements of an array, for their number.
template <class T>
inline constexpr std::size_t array_head =
    std::is_trivially_destructible_v<T> ? 0 : std::max(alignof(T), sizeof(std::size_t));

/// The bytes that an array takes, or the largest number where they are too many to be counted.
template <class T>
constexpr std::size_t array_bytes(std::size_t count) noexcept {
  constexpr std::size_t most = std::numeric_limits<std::size_t>::max();
  return count > (most - array_head<T>) / sizeof(T) ? most : array_head<T> + count * sizeof(T);
}

/// Runs `make` on fresh memory, which is given back when that throws.
template <class T, class Make>
upcxx::global_ptr<T> make_shared_block(std::size_t bytes, Make make) {
  void* const block = upcxx::allocate(bytes, std::max(alignof(T), alignof(std::size_t)));
  if (block == nullptr) return nullptr;
  struct guard {
    void* held;
    ~guard() { upcxx::deallocate(held); }
  } unless_made{block};
  T* const made = make(block);
  unless_made.held = nullptr;
  return upcxx::to_global_ptr(made);
}

/// Where a constructor throws, those before are destroyed in reverse order.
template <class T>
void default_construct(T* first, std::size_t count) {
  struct guard {
    T* first;
    std::size_t made = 0;
    bool complete = false;
    ~guard() {
      while (!complete && made != 0) std::destroy_at(first + --made);
    }
  } cleanup{first};
  for (; cleanup.made != count; ++cleanup.made) ::new (static_cast<void*>(first + cleanup.made)) T;
  cleanup.complete = true;
}

template <class T>
upcxx::global_ptr<T> make_array(std::size_t count) {
  static_assert(std::is_default_constructible_v<T>,
                "upcxx::new_array: the elements need a constructor without arguments");
  constexpr std::size_t head = array_head<T>;
  const std::size_t bytes = array_bytes<T>(count);
  if (bytes == std::numeric_limits<std::size_t>::max()) return nullptr;
  return make_shared_block<T>(bytes, [count](void* block) {
    if constexpr (head != 0) ::new (block) std::size_t(count);
    auto* const first = reinterpret_cast<T*>(static_cast<std::byte*>(block) + head);
    default_construct(first, count);
    return first;
  });
}

}  // namespace atl::upcxx_front

namespace upcxx {

inline void deallocate(void* block) noexcept {
  if (block == nullptr || atl::upcxx_front::heap_has_ended("upcxx::deallocate")) return;
  atl::upcxx_front::give_block_back(block, "upcxx::deallocate");
}

/// An object in this rank's shared memory. Throws bad_shared_alloc, and what its constructor
/// throws.
template <class T, class... Args>
global_ptr<T> new_(const std::nothrow_t&, Args&&... args) {
  static_assert(!std::is_array_v<T>, "upcxx::new_: arrays are made by upcxx::new_array");
  static_assert(std::is_constructible_v<T, Args&&...>,
                "upcxx::new_: the type cannot be constructed from these arguments");
  using object = std::remove_const_t<T>;  // made as such, and pointed to as const
  return atl::upcxx_front::make_shared_block<object>(
      sizeof(T), [&](void* block) { return ::new (block) object(std::forward<Args>(args)...); });
}
template <class T, class... Args>
global_ptr<T> new_(Args&&... args) {
  const global_ptr<T> made = new_<T>(std::nothrow, std::forward<Args>(args)...);
  if (made.is_null()) throw bad_shared_alloc(sizeof(T));
  return made;
}

/// `count` objects, default-initialized.
template <class T>
global_ptr<T> new_array(std::size_t count, const std::nothrow_t&) {
  static_assert(!std::is_array_v<T>, "upcxx::new_array: name the type of the elements");
  return atl::upcxx_front::make_array<std::remove_const_t<T>>(count);
}
template <class T>
global_ptr<T> new_array(std::size_t count) {
  const global_ptr<T> made = new_array<T>(count, std::nothrow);
  if (made.is_null()) throw bad_shared_alloc(atl::upcxx_front::array_bytes<T>(count));
  return made;
}

/// Destroys what new_ made on this rank; nothing for null.
template <class T>
void delete_(global_ptr<T> pointer) {
  static_assert(std::is_destructible_v<T>, "upcxx::delete_: the type has no usable destructor");
  if (pointer.is_null() || atl::upcxx_front::heap_has_ended("upcxx::delete_")) return;
  atl::upcxx_front::need_own(atl::upcxx_front::pointer_access::place_of(pointer), "upcxx::delete_");
  auto* const object = const_cast<std::remove_const_t<T>*>(pointer.local());
  if constexpr (!std::is_trivially_destructible_v<T>)
    atl::upcxx_front::need_block(object, "upcxx::delete_");
  std::destroy_at(object);
  atl::upcxx_front::give_block_back(object, "upcxx::delete_");
}

/// Destroys what new_array made on this rank, the last element first.
template <class T>
void delete_array(global_ptr<T> pointer) {
  static_assert(std::is_destructible_v<T>,
                "upcxx::delete_array: the type has no usable destructor");
  using element = std::remove_const_t<T>;
  if (pointer.is_null() || atl::upcxx_front::heap_has_ended("upcxx::delete_array")) return;
  atl::upcxx_front::need_own(atl::upcxx_front::pointer_access::place_of(pointer),
                             "upcxx::delete_array");
  auto* const first = const_cast<element*>(pointer.local());
  constexpr std::size_t head = atl::upcxx_front::array_head<element>;
  std::byte* const block = reinterpret_cast<std::byte*>(first) - head;
  if constexpr (head != 0) {
    atl::upcxx_front::need_block(block, "upcxx::delete_array");
    for (std::size_t left = *reinterpret_cast<std::size_t*>(block); left != 0; --left) {
      std::destroy_at(first + (left - 1));
    }
  }
  atl::upcxx_front::give_block_back(block, "upcxx::delete_array");
}

/// Storage for `count` objects, uninitialized; null when there is none.
template <class T>
global_ptr<T> allocate(std::size_t count = 1, std::size_t alignment = alignof(T)) noexcept {
  if (count > std::numeric_limits<std::size_t>::max() / sizeof(T)) return nullptr;
  return to_global_ptr(static_cast<T*>(allocate(count * sizeof(T), alignment)));
}
/// Gives back what allocate() gave on this rank; destroys nothing, and does nothing for null.
template <class T>
void deallocate(global_ptr<T> pointer) noexcept {
  if (pointer.is_null() || atl::upcxx_front::heap_has_ended("upcxx::deallocate")) return;
  atl::upcxx_front::need_own(atl::upcxx_front::pointer_access::place_of(pointer),
                             "upcxx::deallocate");
  deallocate(static_cast<void*>(const_cast<std::remove_const_t<T>*>(pointer.local())));
}

namespace experimental {

/// Between these two calls there is no shared heap: allocations find no memory. A block that was
/// not given back before stays as it is, since the heap is the runtime's. Both calls are collective
/// over world(), with a barrier, and are not part of the specification.
void destroy_heap() noexcept;
void restore_heap() noexcept;

}  // namespace experimental

}  // namespace upcxx
