// SPDX-License-Identifier: BSD-3-Clause
//
// IMAGE_STATUS, STOPPED_IMAGES and FAILED_IMAGES. An image that fails ends the job, so no image
// ever sees a failed one.
#pragma once

#include <front/coarray/gfortran.hpp>
#include <front/coarray/process.hpp>

namespace atl::coarray {

/// A null team is the current one.
int image_status(int image, const team_state* team) noexcept;

/// Makes `list` an array, which the program frees, of default integers or of the kind.
void list_stopped_images(gfortran::descriptor& list, const team_state* team, int kind) noexcept;
void list_failed_images(gfortran::descriptor& list, int kind) noexcept;

}  // namespace atl::coarray
