// SPDX-License-Identifier: BSD-3-Clause
//
// Each rank writes its number into its right neighbour's memory, and checks the number that the
// left one wrote. The program of the README, outside of Atoll's tree, as a user would have it.

#include <atoll/core/job/runtime.hpp>
#include <atoll/core/rma/rma.hpp>

#include <cstdio>

int main() {
  atl::runtime job;  // joins the job here, leaves it at the end of main
  atl::segment& heaps = job.heaps();
  const atl::rank_id right = (job.rank() + 1) % job.size();
  const atl::rank_id left = (job.rank() + job.size() - 1) % job.size();

  auto* inbox = static_cast<atl::rank_id*>(job.heap().allocate(sizeof(atl::rank_id)));
  const auto offset = reinterpret_cast<std::byte*>(inbox) - heaps.own_part().base;
  auto* target = reinterpret_cast<atl::rank_id*>(heaps.part(right).base + offset);

  job.world().barrier();                             // everybody has allocated
  atl::put_value(heaps, right, target, job.rank());  // to a rank on this host: a store
  job.world().barrier();                             // everybody has written

  std::printf("rank %u of %u: %u wrote here\n", job.rank(), job.size(), *inbox);
  return *inbox == left ? 0 : 1;
}
