// SPDX-License-Identifier: BSD-3-Clause
//
// Jobs on several hosts: the entry points for the command. They need libsodium, which proves who is
// at the other end of a connection; a build without it has without_sodium.cpp, which refuses.
#pragma once

#include <tools/run/options.hpp>

#include <string>
#include <string_view>
#include <vector>

namespace atl::tools {

/// Whether this build has libsodium.
bool can_run_on_hosts() noexcept;

/// `atoll run --hosts`: runs the job to its end; returns the exit status. Throws `launch_refusal`
/// or `atl::error`.
int run_on_hosts(run_options options);

/// `atoll daemon`: the launcher starts it on each host. It reads from its standard input where to
/// connect. `version` is the one it reports; all daemons of a job must be of one version.
int daemon_command(const std::vector<std::string>& words, std::string_view version);

}  // namespace atl::tools
