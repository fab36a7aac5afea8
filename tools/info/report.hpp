// SPDX-License-Identifier: BSD-3-Clause
//
// Everything that `atoll info` reports, gathered once as JSON; the text for people is printed from
// the same object, so the two cannot disagree. Sections: version, build, transports, machine,
// memory, collectives, devices, settings, problems.
#pragma once

#include <nlohmann/json.hpp>

namespace atl::tools {

/// Reads the machine and the environment. Never throws for what it finds there: a setting that
/// would be refused becomes a line under "problems", and the defaults are shown.
nlohmann::ordered_json gather_report();

}  // namespace atl::tools
