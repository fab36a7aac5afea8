// SPDX-License-Identifier: BSD-3-Clause
//
// Replaces png_file.cpp where libpng is not installed; writes nothing and says so.
#include <apps/trial/png_file.hpp>

namespace trial {

bool can_write_png() noexcept { return false; }

std::string write_png(const std::string&, const image&) { return "there is no libpng"; }

}  // namespace trial
