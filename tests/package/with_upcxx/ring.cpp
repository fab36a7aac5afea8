// SPDX-License-Identifier: BSD-3-Clause
//
// Each rank writes its number into its right neighbour's memory, then asks its left neighbour which
// number has arrived there.
#include <upcxx/upcxx.hpp>

#include <iostream>

int main() {
  upcxx::init();
  const int me = upcxx::rank_me();
  const int right = (me + 1) % upcxx::rank_n();
  const int left = (me + upcxx::rank_n() - 1) % upcxx::rank_n();

  // A word of shared memory on each rank, which the others find by this object.
  upcxx::dist_object<upcxx::global_ptr<int>> inbox(upcxx::new_<int>(-1));
  upcxx::global_ptr<int> target = inbox.fetch(right).wait();
  upcxx::rput(me, target).wait();  // to a rank on this host: a store
  upcxx::barrier();                // everybody has written

  const auto look = [](upcxx::dist_object<upcxx::global_ptr<int>>& word) { return *word->local(); };
  const int writer_at_left = upcxx::rpc(left, look, inbox).wait();  // runs on the left rank
  const int writer = *inbox->local();
  std::cout << "rank " << me << " of " << upcxx::rank_n() << ": " << writer << " wrote here, "
            << writer_at_left << " wrote to the left" << std::endl;
  upcxx::finalize();
  return writer == left ? 0 : 1;
}
