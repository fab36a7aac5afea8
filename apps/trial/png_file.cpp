// SPDX-License-Identifier: BSD-3-Clause
//
// Writes pictures by the simple interface of libpng, which opens, writes and closes in one call.
#include <apps/trial/png_file.hpp>

#include <png.h>

namespace trial {

bool can_write_png() noexcept { return true; }

std::string write_png(const std::string& path, const image& picture) {
  png_image head = {};
  head.version = PNG_IMAGE_VERSION;
  head.width = static_cast<png_uint_32>(picture.width);
  head.height = static_cast<png_uint_32>(picture.height);
  head.format = PNG_FORMAT_RGB;
  const int written =
      png_image_write_to_file(&head, path.c_str(), 0, picture.bytes.data(), 0, nullptr);
  return written != 0 ? "" : head.message;
}

}  // namespace trial
