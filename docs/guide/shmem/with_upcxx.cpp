// SPDX-License-Identifier: BSD-3-Clause
//
// OpenSHMEM and UPC++ in one program: the same ranks and one memory. UPC++ writes to memory of the
// symmetric heap, and OpenSHMEM sends an object of UPC++.
#include <shmem.h>

#include <cstdio>
#include <upcxx/upcxx.hpp>

int main() {
  shmem_init_thread(SHMEM_THREAD_MULTIPLE, nullptr);
  upcxx::init();
  const int me = shmem_my_pe();
  const int pes = shmem_n_pes();
  const int next = (me + 1) % pes;
  const int previous = (me + pes - 1) % pes;

  auto* const inbox = static_cast<long*>(shmem_calloc(2, sizeof(long)));
  const upcxx::dist_object<upcxx::global_ptr<long>> inboxes(upcxx::to_global_ptr(inbox));
  upcxx::rput(10L + me, inboxes.fetch(next).wait()).wait();

  const upcxx::global_ptr<long> object = upcxx::new_<long>(20L + me);
  shmem_putmem(inbox + 1, object.local(), sizeof(long), next);
  shmem_quiet();
  upcxx::barrier();
  std::printf("PE %d has %ld by UPC++ and %ld by OpenSHMEM\n", me, inbox[0], inbox[1]);
  const bool right = inbox[0] == 10 + previous && inbox[1] == 20 + previous;

  upcxx::delete_(object);
  shmem_free(inbox);
  upcxx::finalize();
  shmem_finalize();
  return right ? 0 : 1;
}
