// SPDX-License-Identifier: BSD-3-Clause
//
// The launcher for several hosts as built without libsodium: prints the exit codes and messages
// with which it refuses a job and a daemon, and the result of can_run_on_hosts().
#include <tools/hosts/hosts.hpp>
#include <tools/run/program.hpp>

#include <cstdio>

template <class Call>
void print_refusal(Call call) {
  try {
    call();
  } catch (const atl::tools::launch_refusal& refused) {
    std::printf("%d: %s\n", refused.code, refused.message.c_str());
  }
}

int main() {
  print_refusal([] { atl::tools::run_on_hosts({}); });
  print_refusal([] { atl::tools::daemon_command({}, "0.1.0"); });
  std::printf("can run on hosts: %d\n", atl::tools::can_run_on_hosts() ? 1 : 0);
}
