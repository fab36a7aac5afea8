// SPDX-License-Identifier: BSD-3-Clause
//
// A build without libsodium: no connection could prove itself, so none is opened.
#include <tools/hosts/hosts.hpp>
#include <tools/run/program.hpp>

namespace atl::tools {
namespace {

constexpr const char* cause =
    "this atoll command was built without libsodium, so it starts jobs on one machine only; "
    "install libsodium-dev and build it again";

}  // namespace

bool can_run_on_hosts() noexcept { return false; }

int run_on_hosts(run_options /*options*/) { throw launch_refusal{125, cause}; }

int daemon_command(const std::vector<std::string>& /*words*/, std::string_view /*version*/) {
  throw launch_refusal{125, cause};
}

}  // namespace atl::tools
