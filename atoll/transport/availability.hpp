// SPDX-License-Identifier: BSD-3-Clause
//
// Whether a transport can be used on this machine, as `atoll info` and `atoll doctor` report it.
#pragma once

#include <string>

namespace atl::transport {

/// One line of `atoll info`.
struct availability {
  std::string name;
  bool usable;
  std::string reason;  // what it is for, or why it cannot be used here
};

}  // namespace atl::transport
