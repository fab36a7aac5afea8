// SPDX-License-Identifier: BSD-3-Clause
//
// The subcommand from end to end: parse, prepare, run. Before anything else it makes sure that
// descriptors 0, 1 and 2 are open, since the first sockets of a launcher that was started without
// them would become the ranks' standard streams.
#include <tools/hosts/hosts.hpp>
#include <tools/run/launch.hpp>
#include <tools/run/program.hpp>
#include <tools/run/run.hpp>
#include <tools/run/through.hpp>

#include <fcntl.h>

#include <utility>

namespace atl::tools {
namespace {

/// A standard stream that the caller has closed would give its number to one of our sockets.
void fill_standard_streams() {
  for (int number = 0; number < 3; ++number)
    if (fcntl(number, F_GETFD) < 0) open("/dev/null", number == 0 ? O_RDONLY : O_WRONLY);
}

}  // namespace

int run_command(std::vector<std::string> words) {
  fill_standard_streams();
  bool done = false;
  auto options = parse_run_options(std::move(words), done);
  if (done) return 0;
  try {
    if (!options.hosts.empty() || !options.hostfile.empty())
      return run_on_hosts(std::move(options));
    if (!options.launcher.empty()) options = through_launcher(std::move(options));
    auto prepared = prepare(std::move(options));
    if (!prepared.warning.empty()) say("warning: " + prepared.warning);
    return run_foreground(std::move(prepared), [](const launch& job, int control) {
      return run_on_this_host(job, control);
    });
  } catch (const launch_refusal& refused) {
    say(refused.message);
    return refused.code;
  }
}

}  // namespace atl::tools
