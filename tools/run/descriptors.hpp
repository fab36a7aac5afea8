// SPDX-License-Identifier: BSD-3-Clause
//
// Making pipes, and closing descriptors that a process has inherited and does not want.
#pragma once

#include <atoll/base/system/descriptor.hpp>

#include <string>

namespace atl::tools {

struct pipe_ends {
  descriptor read;
  descriptor write;
};

/// Both ends are closed on exec. Throws `atl::error` about `object`.
pipe_ends make_pipe(const std::string& object);

/// Closes all descriptors from this number on, whatever their numbers are.
void close_descriptors_from(int first) noexcept;

}  // namespace atl::tools
