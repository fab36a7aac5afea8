// SPDX-License-Identifier: BSD-3-Clause
//
// The hosts that a job may use, parsed from what the user wrote, and the number of ranks that each
// gets. No name is looked up. Names go to a remote shell as one word of its command line, so they
// may hold nothing that a shell or an option parser would take for its own.
#pragma once

#include <atoll/base/rank.hpp>

#include <string>
#include <string_view>
#include <vector>

namespace atl::tools {

struct host_slots {
  std::string name;
  rank_id slots = 1;
};

/// "a:2,b:2,c" (--hosts). Throws `launch_refusal` that says what is wrong with which entry.
std::vector<host_slots> parse_hosts(std::string_view list);

/// A host file's text: a host per line, "a slots=2", "a:2" or "a"; # begins a comment. `name` is
/// the file's, for messages.
std::vector<host_slots> parse_hostfile(std::string_view text, const std::string& name);

/// The same from the file.
std::vector<host_slots> read_hostfile(const std::string& name);

/// The number of ranks of each host, in `slots`: hosts are filled in order, and those that get none
/// are left out. `ranks` 0 fills all slots. Throws `launch_refusal` when there are not enough.
std::vector<host_slots> fill(const std::vector<host_slots>& hosts, rank_id ranks);

}  // namespace atl::tools
