// SPDX-License-Identifier: BSD-3-Clause
//
// Which machine a table was made on, and where tables lie. Figures of one machine say little of
// another, so a table is taken only where its text of the machine is this machine's.
#pragma once

#include <string>
#include <vector>

namespace atl::coll {

/// Processor, packages, cores and processors of this machine, in one line.
std::string machine_text();

/// The table in the user's configuration folder, whether it exists or not; empty when there is no
/// such folder: atoll/collectives.json below XDG_CONFIG_HOME, or else below HOME/.config.
std::string user_table_path();

/// The places of a table, whether it exists or not, in the order in which jobs look: the user's;
/// the folders of XDG_CONFIG_DIRS (/etc/xdg without it), which a site fills; and etc/ and share/ of
/// the installation. Each ends with atoll/collectives.json.
std::vector<std::string> table_places();

/// The first of these that exists; empty when none does.
std::string found_table_path();

}  // namespace atl::coll
