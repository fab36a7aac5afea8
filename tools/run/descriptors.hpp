// SPDX-License-Identifier: BSD-3-Clause
//
// Closes descriptors that a process has inherited and does not want.
#pragma once

namespace atl::tools {

/// Closes all descriptors from this number on, whatever their numbers are.
void close_descriptors_from(int first) noexcept;

}  // namespace atl::tools
