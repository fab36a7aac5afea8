// SPDX-License-Identifier: BSD-3-Clause
//
// Access to the memory of an image that may fail meanwhile. It is apart from failed_images.hpp
// because it uses exceptions, which libcaf is compiled without: Fortran programs link no C++
// library.
#pragma once

#include <front/coarray/failures/failed_images.hpp>

namespace atl::coarray {

/// Thrown to leave an access to an image that fails meanwhile.
struct lost_image {};

/// Runs `access`, which reads or writes memory of an image, by the general way. `access` throws
/// lost_image, or ends, if the image is lost meanwhile.
template <class Access>
bool access_image(process_state& us, rank_id rank, const char* call, const status_variables& status,
                  Access access) {
  note_status(us, status);
  if (status.stat != nullptr) us.answer_others();
  if (!has_failed(us, rank)) {
    try {
      access();
    } catch (const lost_image&) {
    }
  }
  if (!has_failed(us, rank)) [[likely]] {
    status.succeed();
    return true;
  }
  tell_failed_rank(us, status, call, rank);
  return false;
}

}  // namespace atl::coarray
