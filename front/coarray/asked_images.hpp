// SPDX-License-Identifier: BSD-3-Clause
//
// Images of a program that was started without a launcher: as many as ATOLL_IMAGES says, or the
// variable of another compiler's library. Nothing happens without such a variable or with a
// launcher.
#pragma once

#include <atoll/base/rank.hpp>
#include <atoll/base/settings.hpp>

#include <string>

namespace atl::coarray {

struct asked_images {
  rank_id count = 1;
  std::string variable;  // the one that asks; empty: none does

  /// Throws `atl::error` for an invalid number of images.
  static asked_images read(const settings& configuration);
};

/// Replaces this process by a job of so many images, unless it is an image of one already. Throws
/// `atl::error`.
void start_images_if_asked(const settings& configuration);

}  // namespace atl::coarray
