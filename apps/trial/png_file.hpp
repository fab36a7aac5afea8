// SPDX-License-Identifier: BSD-3-Clause
//
// Writes pictures by libpng where the build has found it; otherwise the build uses no_png_file.cpp,
// which only reports that.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace trial {

struct image {
  int width = 0;
  int height = 0;
  std::vector<std::uint8_t> bytes;  // rows from the top, red green blue
};

/// False when this program was built without libpng.
bool can_write_png() noexcept;

/// Why the file was not written; empty when it was.
std::string write_png(const std::string& path, const image& picture);

}  // namespace trial
