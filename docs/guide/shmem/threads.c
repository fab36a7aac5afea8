/* SPDX-License-Identifier: BSD-3-Clause

   Threads that communicate by themselves: each has a context of its own, so that its quiet waits
   for its own transfers only. */
#include <pthread.h>
#include <shmem.h>
#include <stdio.h>

enum { threads = 4, count = 1000 };
static long target[threads][count];
static long source[threads][count];

static void* send(void* argument) {
  const int thread = (int)(long)argument;
  shmem_ctx_t ctx;
  if (shmem_ctx_create(SHMEM_CTX_PRIVATE, &ctx) != 0) return NULL;
  const int next = (shmem_my_pe() + 1) % shmem_n_pes();
  for (int i = 0; i < count; ++i) source[thread][i] = i * (thread + 1L);
  shmem_put_nbi(ctx, target[thread], source[thread], count, next);
  shmem_ctx_quiet(ctx);
  shmem_ctx_destroy(ctx);
  return NULL;
}

int main(void) {
  int level;
  if (shmem_init_thread(SHMEM_THREAD_MULTIPLE, &level) != 0) return 1;
  pthread_t senders[threads];
  for (long i = 0; i < threads; ++i) pthread_create(&senders[i], NULL, send, (void*)i);
  for (int i = 0; i < threads; ++i) pthread_join(senders[i], NULL);
  shmem_barrier_all();
  long wrong = 0;
  for (int t = 0; t < threads; ++t) {
    for (int i = 0; i < count; ++i) wrong += target[t][i] != i * (t + 1L);
  }
  if (shmem_my_pe() == 0) printf("%d threads, %ld wrong\n", threads, wrong);
  shmem_finalize();
  return wrong == 0 ? 0 : 1;
}
