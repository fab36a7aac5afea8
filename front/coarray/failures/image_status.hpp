// SPDX-License-Identifier: BSD-3-Clause
//
// IMAGE_STATUS, STOPPED_IMAGES and FAILED_IMAGES. Images of a program that calls IMAGE_STATUS or
// FAILED_IMAGES go on when one fails (failed_images.hpp), so they see its state.
#pragma once

#include <front/coarray/data/gfortran.hpp>
#include <front/coarray/process_state.hpp>

#include <vector>

namespace atl::coarray {

enum class image_state : unsigned char { active, stopped, failed };

/// A null team is the current one. An image that does not exist counts as stopped.
image_state state_of_image(int image, const image_team* team) noexcept;

/// The images of a team that are in a state, in order.
std::vector<int> images_in(image_state state, const image_team* team);

/// Makes `list` an array of integers of this kind, or of default integers; the program frees it.
void list_images(gfortran::array_descriptor& list, image_state state, const image_team* team,
                 int kind) noexcept;

}  // namespace atl::coarray
