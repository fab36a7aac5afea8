// SPDX-License-Identifier: BSD-3-Clause
//
// Pinning by the affinity mask; a refusal (a machine of more cores than the mask has bits, a
// sandbox) only means an unpinned run.
#include <bench/harness/pin.hpp>

#include <sched.h>

namespace bench {

bool pin(unsigned rank, unsigned ranks) noexcept {
  cpu_set_t allowed;
  if (::sched_getaffinity(0, sizeof allowed, &allowed) != 0) return false;
  if (static_cast<unsigned>(CPU_COUNT(&allowed)) < ranks) return false;
  int core = 0;
  for (unsigned seen = 0; core < CPU_SETSIZE; ++core) {
    if (CPU_ISSET(core, &allowed) && seen++ == rank) break;
  }
  cpu_set_t own;
  CPU_ZERO(&own);
  CPU_SET(core, &own);
  return ::sched_setaffinity(0, sizeof own, &own) == 0;
}

}  // namespace bench
