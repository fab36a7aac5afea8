// SPDX-License-Identifier: BSD-3-Clause
//
// LOCK, UNLOCK and CRITICAL. A lock is one word in the memory of the image that is named, which
// says who holds it and whether somebody waits; a critical section is a lock of image 1 of the
// team. Image 0 is this one.
#pragma once

#include <front/coarray/coarray.hpp>
#include <front/coarray/status.hpp>

#include <cstddef>

namespace atl::coarray {

struct word_object {
  const coarray* object;
  std::size_t index;
  int image;
};

/// With `acquired` it does not wait, and says there whether the lock was free.
void lock(const word_object& named, int* acquired, const status_variables& told) noexcept;
void unlock(const word_object& named, const status_variables& told) noexcept;

}  // namespace atl::coarray
