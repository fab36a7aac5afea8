// SPDX-License-Identifier: BSD-3-Clause
//
// Each rank writes its number into its right neighbour's memory, and checks what the left one
// wrote. The program of the README, as a stranger would have it: outside of Atoll's tree.

#include <atoll/core/rma.hpp>
#include <atoll/core/runtime.hpp>

#include <cstdio>

int main() {
  atl::runtime job;  // joins the job here, leaves it at the end of main
  atl::endpoint& here = job.primordial();

  auto* inbox = static_cast<int*>(job.heap().allocate(sizeof(int)));
  here.bind({reinterpret_cast<std::byte*>(inbox), sizeof *inbox});  // collective

  const atl::rank_id right = (job.rank() + 1) % job.size();
  const atl::rank_id left = (job.rank() + job.size() - 1) % job.size();
  auto* theirs = reinterpret_cast<int*>(here.bound_at(right).base);

  atl::put_value(here, right, theirs, static_cast<int>(job.rank()));  // a store on this host
  job.world().barrier();

  std::printf("rank %u of %u: %d wrote here\n", job.rank(), job.size(), *inbox);
  return *inbox == static_cast<int>(left) ? 0 : 1;
}
