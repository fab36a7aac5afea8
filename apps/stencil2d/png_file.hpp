// SPDX-License-Identifier: BSD-3-Clause
//
// Writing pictures, by libpng where the build has found it; otherwise the build takes a file that
// can only say so.
#pragma once

#include <apps/stencil2d/image.hpp>

#include <string>

namespace stencil2d {

/// False when this program was built without libpng.
bool can_write_png() noexcept;

/// Why the file was not written; empty when it was.
std::string write_png(const std::string& path, const image& picture);

}  // namespace stencil2d
