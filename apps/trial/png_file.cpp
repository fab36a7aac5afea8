// SPDX-License-Identifier: BSD-3-Clause
//
// Compresses pictures in memory by the simple interface of libpng. Its function that writes a file
// removes what the path names when writing fails, which may be a device or somebody's file.
#include <apps/trial/png_file.hpp>
#include <atoll/base/error.hpp>

#include <png.h>

#include <cerrno>
#include <fstream>

namespace trial {

bool can_write_png() noexcept { return true; }

std::string write_png(const std::string& path, const image& picture) {
  png_image head = {};
  head.version = PNG_IMAGE_VERSION;
  head.width = static_cast<png_uint_32>(picture.width);
  head.height = static_cast<png_uint_32>(picture.height);
  head.format = PNG_FORMAT_RGB;
  const auto compress = [&](void* to, png_alloc_size_t* bytes) {
    return png_image_write_to_memory(&head, to, bytes, 0, picture.bytes.data(), 0, nullptr) != 0;
  };
  png_alloc_size_t bytes = PNG_IMAGE_PNG_SIZE_MAX(head);
  std::string compressed(bytes, '\0');
  if (!compress(compressed.data(), &bytes)) return head.message;
  errno = 0;
  std::ofstream file(path, std::ios::binary);
  file.write(compressed.data(), static_cast<std::streamsize>(bytes));
  file.close();
  if (file) return "";
  return errno != 0 ? atl::errno_text(errno) : "it cannot be written";
}

}  // namespace trial
