// SPDX-License-Identifier: BSD-3-Clause
//
// Fortran images, UPC++ ranks and OpenSHMEM PEs in one program: process i is image i + 1, rank i
// and PE i. Each model writes one element of the right neighbour's coarray.
#include <shmem.h>
#include <upcxx/upcxx.hpp>

#include <cstdio>
#include <cstdlib>

extern "C" {
int ring_image();
long* ring_box();
void ring_send(long number);
long ring_sum();
}

int main() {
  upcxx::init();
  shmem_init();
  const int me = shmem_my_pe();
  const int size = shmem_n_pes();
  const int right = (me + 1) % size;
  const long left = (me + size - 1) % size;
  if (ring_image() != me + 1 || upcxx::rank_me() != me) std::abort();

  long* const box = ring_box();
  ring_send(10 + me);
  // A coarray is symmetric: its address here names the part of another PE.
  shmem_long_p(box + 1, 20L + me, right);
  shmem_barrier_all();
  // It lies in shared memory: it has a global pointer.
  const upcxx::dist_object<upcxx::global_ptr<long>> boxes(upcxx::to_global_ptr(box));
  upcxx::rput(30L + me, boxes.fetch(right).wait() + 2).wait();
  upcxx::barrier();

  if (box[0] != 10 + left || box[1] != 20 + left || box[2] != 30 + left) std::abort();
  const long sum = ring_sum();
  if (me == 0) std::printf("three models wrote %ld\n", sum);
  upcxx::barrier();
  shmem_finalize();
  upcxx::finalize();
}
