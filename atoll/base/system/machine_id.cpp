// SPDX-License-Identifier: BSD-3-Clause
//
// Reads the identifier that the kernel makes when it boots.
#include <atoll/base/system/machine_id.hpp>

#include <atoll/base/hash.hpp>

#include <fstream>

namespace atl {

std::uint64_t machine_id(const std::string& root) {
  std::string boot;
  if (!(std::ifstream(root + "/proc/sys/kernel/random/boot_id") >> boot)) return 0;
  stable_hash hash;
  hash.add(boot);
  return hash.value();
}

}  // namespace atl
