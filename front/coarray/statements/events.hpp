// SPDX-License-Identifier: BSD-3-Clause
//
// Events: counters of posts. A post adds one, from any image and without waiting; a wait takes as
// many as it asks for, on the image that has the event. Where there is room for it, the posts taken
// are counted in another word, in another cache line, which only that image writes: a wait that
// changed the word of the posts would take its line from the images that post.
//
// In an image that answers a post, the time from the look that finds the post to its own post is
// what other images wait for. The usual case of each statement is therefore inline in the functions
// that the compiler calls: no STAT=, a mapped image, no writes under way.
#pragma once

#include <atoll_coarray/table.h>
#include <atoll/base/copy.hpp>
#include <front/coarray/memory/coarray.hpp>
#include <front/coarray/process_state.hpp>
#include <front/coarray/status.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>

namespace atl::coarray {

using event_count = std::int64_t;

/// The word of an image that counts the posts of an event, as this process addresses it; null where
/// EVENT POST has more to do than to count one.
inline event_count* find_posts(const coarray& object, std::size_t index, int image) noexcept {
  const auto member = static_cast<std::uint32_t>(image) - 1;
  if (member >= atoll_coarray_direct.images || !the_process->writes.is_empty()) return nullptr;
  const auto& way = *reinterpret_cast<const atoll_route*>(
      atoll_coarray_direct.first_route + member * atoll_coarray_direct.route_stride);
  const auto offset = static_cast<std::uintptr_t>(
      reinterpret_cast<char*>(object.memory + index * word_bytes) - atoll_coarray_direct.heap_base);
  if (!atoll_route_reaches(&way, offset, sizeof(event_count))) return nullptr;
  return reinterpret_cast<event_count*>(way.local + offset);
}

/// Counts a post; everything that this image has done before is ordered before it.
inline void count_post(event_count& posts) noexcept {
  fence_all_beside_atomic();
  __atomic_fetch_add(&posts, 1, __ATOMIC_ACQ_REL);  // pairs with the loads of a wait
}

/// Wakes an image of the current team that may sleep in a wait for a post that was just counted.
void wake_image(int image) noexcept;

/// Takes the posts that an EVENT WAIT asks for if they are there or come at this moment. Otherwise
/// returns false and takes none, also when it is time to look for messages or there is more to do.
inline bool take_prompt_posts(const coarray& object, std::size_t index, int until_count) noexcept {
  constexpr int looks_max = 128;
  process_state* const us = the_process;
  if (us == nullptr || object.to_taken == 0 || !us->writes.is_empty() || us->must_serve_others())
    return false;
  std::byte* const place = object.memory + index * word_bytes;
  const auto& posts = *reinterpret_cast<event_count*>(place);
  auto& taken = *reinterpret_cast<event_count*>(place + object.to_taken);
  const event_count wanted = taken + std::max(until_count, 1);
  for (int looks = 0; looks < looks_max; ++looks) {
    // Acquire: pairs with the atomic add of a post.
    if (__atomic_load_n(&posts, __ATOMIC_ACQUIRE) < wanted) continue;
    __atomic_store_n(&taken, wanted, __ATOMIC_RELAXED);  // for EVENT_QUERY, which compares numbers
    fence_all_beside_atomic();
    return true;
  }
  return false;
}

void post_event(const remote_place& place, const status_variables& status) noexcept;

/// `own_place` is in this image. The word of the posts taken is `to_taken` bytes behind it; 0:
/// there is none.
void wait_for_event(std::byte* own_place, std::size_t to_taken, std::int64_t until_count,
                    const status_variables& status) noexcept;

/// The number of posts that no wait has taken.
std::int64_t query_event(const remote_place& place, std::size_t to_taken,
                         const status_variables& status) noexcept;

}  // namespace atl::coarray
