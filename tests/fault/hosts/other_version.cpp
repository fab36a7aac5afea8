// SPDX-License-Identifier: BSD-3-Clause
//
// A daemon of another version, as an old installation on one host would be.
#include <atoll/base/error.hpp>
#include <tools/hosts/hosts.hpp>
#include <tools/run/program.hpp>

#include <cstdio>

int main() {
  try {
    return atl::tools::daemon_command({}, "0.0.other");
  } catch (const atl::tools::launch_refusal& refused) {
    std::fprintf(stderr, "%s\n", refused.message.c_str());
    return refused.code;
  } catch (const atl::error& refused) {
    std::fprintf(stderr, "%s\n", refused.what());
    return 125;
  }
}
