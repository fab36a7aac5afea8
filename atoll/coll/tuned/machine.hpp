// SPDX-License-Identifier: BSD-3-Clause
//
// Which machine and which algorithms a table was made with, and where tables lie. Figures of one
// machine say little of another, so a table is taken only where its text of the machine is this
// machine's. Algorithms change with the library; a table of earlier ones is used, and said to be
// one.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace atl::coll {

/// Processor, packages, cores and processors of this machine, in one line.
std::string machine_text();

/// The version of Atoll with a digest of the sources of its collective algorithms: the same where
/// these are. "0.1.0-f4590af4ce3f"
std::string algorithms_version();

/// A sentence about a table that was made with other ones; empty where it was made with these.
std::string other_algorithms_text(std::string_view algorithms);

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
