// SPDX-License-Identifier: BSD-3-Clause
//
// Images of a program that was started by itself: as many as ATOLL_IMAGES says, or the variable by
// which the library of another compiler is asked. No such variable, or a launcher: no matter.
#pragma once

#include <atoll/base/rank.hpp>
#include <atoll/base/settings.hpp>

#include <string>

namespace atl::coarray {

struct asked_images {
  rank_id count = 1;
  std::string variable;  // that says so; empty: none does

  /// Throws `atl::error` for a value that is no number of images.
  static asked_images read(const settings& configuration);
};

/// Replaces this process by a job of so many images, unless it is an image of one already. Throws
/// `atl::error`.
void start_images_if_asked(const settings& configuration);

}  // namespace atl::coarray
