// SPDX-License-Identifier: BSD-3-Clause
//
// Writes a whole file at once: a program that opens it meanwhile finds the old content or the new
// one, never a part. The content is written beside the file and renamed. A link is followed. A
// device, a pipe or a folder is refused: to rename over it would take it away from everyone.
#pragma once

#include <atoll/base/system/descriptor.hpp>

#include <string>
#include <string_view>

namespace atl {

/// Gives the file this content, and makes it where there is none. Throws `atl::error` that names
/// the path; then the old content is still there, and nothing is left beside it.
void replace_file(const std::string& path, std::string_view content);

/// Throws what replace_file() would throw, as far as that can be known before: nothing is written.
void check_replaceable(const std::string& path);

/// Makes all processes that ask for the same wait, until the descriptor is closed: for one that
/// reads the file and then replaces it. The lock is that of the folder, since the file itself is
/// exchanged. Waits ten seconds at most, then throws `atl::error`; a file system without locks is
/// taken for locked.
[[nodiscard]] descriptor lock_folder_of(const std::string& path);

}  // namespace atl
