// SPDX-License-Identifier: BSD-3-Clause
//
// Writes a whole file at once: a program that opens it meanwhile finds the old content or the new
// one, never a part. The content is written beside the file and renamed. A link is followed. A
// device, a pipe or a folder is refused: to rename over it would take it away from everyone.
#pragma once

#include <string>
#include <string_view>

namespace atl {

/// Gives the file this content, and makes it where there is none. Throws `atl::error` that names
/// the path; then the old content is still there, and nothing is left beside it.
void replace_file(const std::string& path, std::string_view content);

/// Throws what replace_file() would throw, as far as that can be known before: nothing is written.
void check_replaceable(const std::string& path);

}  // namespace atl
