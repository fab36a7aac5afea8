// SPDX-License-Identifier: BSD-3-Clause
//
// Help for ThreadSanitizer, which sees one process. When a thread of this rank fills a buffer,
// another rank consumes and frees it, and a second thread of this rank takes it again, the order
// between the two threads goes through the other process (and through its own mapping of the
// memory), where the sanitizer cannot follow. These two calls tell it of that order; in every other
// build they are nothing. They must stand only where the protocol really orders the two.
#pragma once

#if defined(__SANITIZE_THREAD__)
#define ATOLL_THREAD_SANITIZER 1
#elif defined(__has_feature)
#if __has_feature(thread_sanitizer)
#define ATOLL_THREAD_SANITIZER 1
#endif
#endif

#ifdef ATOLL_THREAD_SANITIZER
#include <sanitizer/tsan_interface.h>
#endif

namespace atl {

/// All this thread did so far happens before what another thread does after `ordered_after` of the
/// same address.
inline void ordered_before([[maybe_unused]] void* address) noexcept {
#ifdef ATOLL_THREAD_SANITIZER
  __tsan_release(address);
#endif
}

inline void ordered_after([[maybe_unused]] void* address) noexcept {
#ifdef ATOLL_THREAD_SANITIZER
  __tsan_acquire(address);
#endif
}

/// Stands for the other ranks in the two calls below.
inline char other_ranks;

/// All this thread did so far comes before what other ranks do once they have heard of it from this
/// rank: call it before a message is published or a barrier is entered. Any thread of this rank
/// that has heard from them in turn calls `ordered_after_other_ranks`.
inline void ordered_before_other_ranks() noexcept { ordered_before(&other_ranks); }
inline void ordered_after_other_ranks() noexcept { ordered_after(&other_ranks); }

}  // namespace atl
