// SPDX-License-Identifier: BSD-3-Clause
//
// Memory for what is made and forgotten millions of times a second: cells of futures, calls between
// personas, frames of coroutines. Each thread keeps a short list of free blocks per size, so that a
// steady program asks the system for none. A block may be given back by another thread than took
// it; lists are bounded, so a thread that only gives back keeps few.
//
// Threads: any; no lock.
#pragma once

#include <cstddef>
#include <new>
#include <utility>

namespace atl::upcxx_front {

inline constexpr std::size_t block_alignment = 64;

/// `bytes` bytes in cache lines of their own. Throws std::bad_alloc.
void* take_block(std::size_t bytes);
void give_block(void* block, std::size_t bytes) noexcept;

/// An object in a block of its own.
template <class Kind, class... Args>
Kind* make_in_block(Args&&... args) {
  if constexpr (alignof(Kind) > block_alignment) {
    return new Kind(std::forward<Args>(args)...);
  } else {
    return ::new (take_block(sizeof(Kind))) Kind(std::forward<Args>(args)...);
  }
}

template <class Kind>
void end_in_block(Kind* object) noexcept {
  if constexpr (alignof(Kind) > block_alignment) {
    delete object;
  } else {
    object->~Kind();
    give_block(object, sizeof(Kind));
  }
}

}  // namespace atl::upcxx_front
