// SPDX-License-Identifier: BSD-3-Clause
//
// OpenSHMEM and UPC++ in one program: one job, one memory, the same rank numbers. A pointer into
// memory of one is valid in the other, and either may start first.
#include <gtest/gtest.h>
#include <shmem.h>
#include <upcxx/upcxx.hpp>

#include <vector>

namespace {

long variable;

void pass_pointers() {
  const int next = (shmem_my_pe() + 1) % shmem_n_pes();
  const int previous = (shmem_my_pe() + shmem_n_pes() - 1) % shmem_n_pes();
  ASSERT_EQ(shmem_my_pe(), upcxx::rank_me());
  ASSERT_EQ(shmem_n_pes(), upcxx::rank_n());
  // UPC++ first allocates different sizes on every rank, which does not affect the symmetric heap.
  std::vector<upcxx::global_ptr<char>> uneven;
  for (int i = 0; i < 3 * shmem_my_pe(); ++i) uneven.push_back(upcxx::new_array<char>(1000));
  auto* const block = static_cast<long*>(shmem_malloc(sizeof(long)));
  shmem_p(block, 10L + shmem_my_pe(), next);
  shmem_p(&variable, 20L + shmem_my_pe(), next);
  shmem_barrier_all();
  EXPECT_EQ(variable, 20 + previous);
  upcxx::dist_object<upcxx::global_ptr<long>> blocks(upcxx::to_global_ptr(block));
  const auto remote = blocks.fetch(next).wait();
  EXPECT_EQ(upcxx::rget(remote).wait(), 10 + shmem_my_pe());
  upcxx::barrier();
  for (auto& each : uneven) upcxx::delete_array(each);
  shmem_free(block);
}

TEST(together, upcxx_first) {
  upcxx::init();
  shmem_init();
  pass_pointers();
  shmem_finalize();
  upcxx::finalize();
}

TEST(together, shmem_first_and_last) {
  ASSERT_EQ(shmem_init_thread(SHMEM_THREAD_MULTIPLE, nullptr), 0);
  upcxx::init();
  pass_pointers();
  upcxx::finalize();
  shmem_barrier_all();
  shmem_finalize();
}

}  // namespace

int main(int argc, char** argv) {
  ::testing::InitGoogleTest(&argc, argv);
  return RUN_ALL_TESTS();
}
