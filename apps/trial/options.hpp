// SPDX-License-Identifier: BSD-3-Clause
//
// The command line: the options that all programs have, and those that one adds.
#pragma once

#include <apps/trial/trial.hpp>

#include <optional>

namespace trial {

/// Parses the command line. Where the program must end at once (--help, a mistake), returns its
/// exit code; then prints help or the mistake if `speak` is true.
std::optional<int> parse(int argc, char** argv, program& program, bool speak, options& into);

}  // namespace trial
