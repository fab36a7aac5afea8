/* SPDX-License-Identifier: BSD-3-Clause

   A program in C, over atoll/abi.h, that asks to be told of lost ranks. The last rank is stopped
   and then killed while the others have operations under way to it. Each of them gets the status of
   every operation and of the barrier, goes on, and ends as ever. With the argument `default` the
   program does not ask, and the job ends. A wrong result becomes code 9. */
#include <atoll/abi.h>
#include <shmem.h>

#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { words = 1 << 16, wrong_code = 9 };

static const atoll_segment* heaps;
static uint64_t* own; /* words of this rank */
static uint64_t data[words];
static int losses = 0;
static uint32_t last_lost = UINT32_MAX;

#define REQUIRE(condition) require(condition, #condition, __LINE__)
static void require(int holds, const char* condition, int line) {
  if (holds) return;
  fprintf(stderr, "rank %u, line %d: wrong: %s\n", atoll_library_rank(), line, condition);
  shmem_global_exit(wrong_code);
}

static void note_loss(void* context, uint32_t rank, const char* cause) {
  last_lost = rank;
  if (strlen(cause) != 0) __atomic_fetch_add((int*)context, 1, __ATOMIC_RELEASE);
}

/* The same words of another rank, by its addresses. */
static uint64_t* words_of(uint32_t rank) {
  const uintptr_t offset =
      (uintptr_t)own - atoll_route_remote(&heaps->routes[atoll_library_rank()]);
  return (uint64_t*)(atoll_route_remote(&heaps->routes[rank]) + offset);
}

/* A stopped process answers no message, in no thread of it. Before, the others get the last
   messages of the barrier. */
static void stop_and_be_killed(void) {
  const pid_t self = getpid();
  int i;
  for (i = 0; i < 50; ++i) {
    atoll_library_progress();
    usleep(2000);
  }
  if (fork() == 0) {
    usleep(900000);
    kill(self, SIGKILL);
    _exit(0);
  }
  raise(SIGSTOP);
}

/* Waits until the kernel says that this process is stopped, or is no more. */
static void wait_until_stopped(uint64_t process) {
  char name[64], state = ' ';
  FILE* file;
  snprintf(name, sizeof name, "/proc/%u/stat", (unsigned)process);
  while (state != 'T') {
    file = fopen(name, "r");
    if (file == NULL) return;
    if (fscanf(file, "%*d (%*[^)]) %c", &state) != 1 || state == 'Z') state = 'T';
    fclose(file);
    atoll_library_progress();
    usleep(1000);
  }
}

/* Whether an operation that was under way may have ended so: loads and stores do it at once, unless
   the rank is lost already. */
static int is_right(int status, int expected, uint32_t victim) {
  return status == expected || (status == ATOLL_PEER_LOST && atoll_library_is_lost(victim));
}

/* Operations that are under way when the rank is killed, unless loads and stores do them. */
static void be_told_in_waits(uint32_t victim) {
  static uint64_t got[words];
  const atoll_group group = atoll_library_group_begin();
  const int expected =
      atoll_segment_find(heaps, victim, words_of(victim), 8) != NULL ? ATOLL_DONE : ATOLL_PEER_LOST;
  atoll_event put, get, tested;
  int status, tested_group;
  put = atoll_put_nb(heaps, victim, words_of(victim), data, sizeof data);
  get = atoll_get_nb(heaps, got, victim, words_of(victim), sizeof got);
  tested = atoll_get_nb(heaps, got, victim, words_of(victim), 8);
  atoll_library_put_in(group, heaps, victim, words_of(victim), data, sizeof data);
  atoll_library_get_in(group, heaps, got, victim, words_of(victim), 8);
  tested_group = atoll_library_group_test(group);
  REQUIRE(is_right(tested_group, expected == ATOLL_DONE ? ATOLL_DONE : ATOLL_UNDER_WAY, victim));
  REQUIRE(is_right(atoll_wait_status(&get), expected, victim));
  REQUIRE(is_right(atoll_wait_status(&put), expected, victim));
  while ((status = atoll_test_status(&tested)) == ATOLL_UNDER_WAY) continue;
  REQUIRE(is_right(status, expected, victim));
  REQUIRE(put == NULL && get == NULL && tested == NULL);
  if (tested_group == ATOLL_UNDER_WAY)
    REQUIRE(is_right(atoll_library_group_wait(group), expected, victim));
  REQUIRE(atoll_library_group_wait(group) == ATOLL_DONE); /* told once */
  atoll_library_group_end(group);
}

static void be_told_of_later_ones(uint32_t victim) {
  const atoll_group group = atoll_library_group_begin();
  atoll_atomic addition = {ATOLL_U64, ATOLL_ATOMIC_FETCH_ADD, 1, 0, 77};
  uint64_t seen = 77;
  atoll_event done;
  REQUIRE(atoll_library_is_lost(victim) && !atoll_library_is_lost(atoll_library_rank()));
  REQUIRE(atoll_put_status(heaps, victim, words_of(victim), data, 8) == ATOLL_PEER_LOST);
  REQUIRE(atoll_get_status(heaps, &seen, victim, words_of(victim), 8) == ATOLL_PEER_LOST);
  REQUIRE(atoll_put_status(heaps, victim, words_of(victim), data, sizeof data) == ATOLL_PEER_LOST);
  REQUIRE(atoll_library_atomic_status(heaps, victim, words_of(victim), &addition) ==
          ATOLL_PEER_LOST);
  REQUIRE(addition.old_value == 77);
  done = atoll_put_nb(heaps, victim, words_of(victim), data, sizeof data);
  REQUIRE(atoll_wait_status(&done) == ATOLL_PEER_LOST);
  atoll_library_get_in(group, heaps, &seen, victim, words_of(victim), 8);
  REQUIRE(atoll_library_group_test(group) == ATOLL_PEER_LOST);
  atoll_library_group_end(group);
  REQUIRE(atoll_library_barrier_status() == ATOLL_PEER_LOST);
  atoll_put(heaps, victim, words_of(victim), data, 8); /* forms without a status return, too */
  atoll_library_barrier();
}

/* Operations among the others, or at this rank itself when there is no other. */
static void use_the_others(uint32_t victim) {
  const uint32_t next = (atoll_library_rank() + 1) % victim;
  atoll_atomic addition = {ATOLL_U64, ATOLL_ATOMIC_FETCH_INC, 0, 0, 77};
  uint64_t sent = 5, seen = 0;
  REQUIRE(atoll_put_status(heaps, next, words_of(next) + 1, &sent, 8) == ATOLL_DONE);
  REQUIRE(atoll_get_status(heaps, &seen, next, words_of(next) + 1, 8) == ATOLL_DONE);
  REQUIRE(seen == 5);
  REQUIRE(atoll_library_atomic_status(heaps, next, words_of(next) + 2, &addition) == ATOLL_DONE);
  REQUIRE(addition.old_value == 0);
}

int main(int argc, char** argv) {
  const int asks = argc < 2 || strcmp(argv[1], "default") != 0;
  uint32_t victim;
  uint64_t process = 0;
  shmem_init();
  heaps = atoll_library_heaps(ATOLL_ABI);
  own = (uint64_t*)atoll_library_allocate(sizeof data);
  REQUIRE(own != NULL);
  memset(own, 0, sizeof data);
  own[0] = (uint64_t)getpid();
  if (asks) atoll_library_on_peer_lost(note_loss, &losses);
  REQUIRE(atoll_library_barrier_status() == ATOLL_DONE);
  victim = atoll_library_ranks() - 1;
  REQUIRE(atoll_get_status(heaps, &process, victim, words_of(victim), 8) == ATOLL_DONE);
  atoll_library_barrier();
  if (atoll_library_rank() == victim) stop_and_be_killed();
  wait_until_stopped(process);
  if (asks) be_told_in_waits(victim);
  while (__atomic_load_n(&losses, __ATOMIC_ACQUIRE) == 0) atoll_library_progress();
  REQUIRE(losses == 1 && last_lost == victim);
  be_told_of_later_ones(victim);
  use_the_others(victim);
  printf("rank %u: told\n", atoll_library_rank());
  shmem_finalize();
  return 0;
}
