// SPDX-License-Identifier: BSD-3-Clause
//
// Which machine a table was made on, and where a user's table lies. Figures of one machine say
// little of another, so a table is taken only where its text of the machine is this machine's.
#pragma once

#include <string>

namespace atl::coll {

/// Processor, packages, cores and processors of this machine, in one line.
std::string machine_text();

/// The table in the user's configuration folder, whether it exists or not; empty when there is no
/// such folder: atoll/collectives.json below XDG_CONFIG_HOME, or else below HOME/.config.
std::string user_table_path();

}  // namespace atl::coll
