/* SPDX-License-Identifier: BSD-3-Clause

   The memory model (UPC language specification 1.3, appendix B) by the usual small programs, run
   many times: outcomes that strict accesses forbid must not occur. The words lie on different
   threads, so that between hosts the accesses use the network; a fence between relaxed accesses
   must have the effect of a strict access. Threads spin on flags, also on relaxed ones, which must
   end. */
#include <tests/multi/upc/unit.h>

#include <stdlib.h>

int failures;

SHARED_OBJECT(words)

static const struct atoll_upc_object objects[] = {SHARED_ROW(words, 0, 4 * 64, 64, 1)};

REGISTER_UNIT(objects, NULL)

/* Word i: on another thread, and in another line of the cache, than word i + 1. */
static atoll_upc_pointer word(int i) {
  return atoll_upc_index(ATOLL_UPC_OBJECT(words), i + i / ATOLL_UPC_THREADS, 64, 1);
}

static void clear(void) {
  int i;
  atoll_upc_barrier(0, 0);
  if (atoll_upc_mythread == 0) {
    for (i = 0; i < 4; ++i) ATOLL_UPC_PUT(int, word(i), 0);
  }
  atoll_upc_barrier(0, 0);
}

static int rounds = 150; /* fewer by the first argument, where threads share cores over a network */

/* Data, then a flag: a thread that sees the flag sees the data. */
static void message_passing(int by_fence) {
  int round;
  for (round = 1; round <= rounds; ++round) {
    if (atoll_upc_mythread == 0) {
      ATOLL_UPC_PUT(int, word(1), round);
      if (by_fence) {
        atoll_upc_fence();
        ATOLL_UPC_PUT(int, word(0), round);
      } else {
        ATOLL_UPC_PUT_STRICT(int, word(0), round);
      }
    } else {
      if (by_fence) {
        while (ATOLL_UPC_GET(int, word(0)) < round) {
        }
        atoll_upc_fence();
      } else {
        while (ATOLL_UPC_GET_STRICT(int, word(0)) < round) {
        }
      }
      EXPECT(ATOLL_UPC_GET(int, word(1)) >= round);
    }
    atoll_upc_barrier(0, 0);
  }
  clear();
}

/* Each of two threads stores its word and loads the other's: one must see the other's store. `kind`
   0: all strict; 1: relaxed stores, strict loads; 2: relaxed, with a fence. */
static int buffered_load(int kind, int own) {
  if (kind == 0) {
    ATOLL_UPC_PUT_STRICT(int, word(own), 1);
  } else {
    ATOLL_UPC_PUT(int, word(own), 1);
  }
  if (kind == 2) {
    atoll_upc_fence();
    return ATOLL_UPC_GET(int, word(1 - own));
  }
  return ATOLL_UPC_GET_STRICT(int, word(1 - own));
}

static void store_buffering(int kind) {
  int round;
  for (round = 0; round < rounds; ++round) {
    clear();
    if (atoll_upc_mythread < 2) {
      const int seen = buffered_load(kind, atoll_upc_mythread);
      ATOLL_UPC_PUT(int, word(2 + atoll_upc_mythread), seen + 10);
    }
    atoll_upc_barrier(0, 0);
    if (ATOLL_UPC_THREADS > 1) {
      EXPECT(ATOLL_UPC_GET(int, word(2)) == 11 || ATOLL_UPC_GET(int, word(3)) == 11);
    }
  }
  clear();
}

/* Two threads store different words, two others load both in opposite orders: they must not see the
   stores in different orders. Needs four threads. */
static void independent_reads(void) {
  int round;
  if (ATOLL_UPC_THREADS < 4) return;
  for (round = 0; round < rounds; ++round) {
    int first = 0, second = 0;
    clear();
    if (atoll_upc_mythread < 2) ATOLL_UPC_PUT_STRICT(int, word(atoll_upc_mythread), 1);
    if (atoll_upc_mythread == 2 || atoll_upc_mythread == 3) {
      first = ATOLL_UPC_GET_STRICT(int, word(atoll_upc_mythread - 2));
      second = ATOLL_UPC_GET_STRICT(int, word(3 - atoll_upc_mythread));
      ATOLL_UPC_PUT(int, word(atoll_upc_mythread), first == 1 && second == 0);
    }
    atoll_upc_barrier(0, 0);
    EXPECT(!(ATOLL_UPC_GET(int, word(2)) == 1 && ATOLL_UPC_GET(int, word(3)) == 1));
  }
  clear();
}

/* A thread reads its own stores, whatever way each access takes. */
static void own_order(void) {
  int round;
  for (round = 1; round <= rounds && atoll_upc_mythread == 0; ++round) {
    const atoll_upc_pointer first_word = word(1);
    ATOLL_UPC_PUT(int, first_word, round);
    EXPECT(ATOLL_UPC_GET(int, first_word) == round);
    EXPECT(ATOLL_UPC_POST_UPDATE(int, first_word, +, 1) == round);
    EXPECT(ATOLL_UPC_GET_STRICT(int, first_word) == round + 1);
  }
  clear();
}

/* A token goes round by relaxed flags alone. */
static void ring(void) {
  const int me = atoll_upc_mythread;
  const int next = (me + 1) % ATOLL_UPC_THREADS;
  const atoll_upc_pointer own = atoll_upc_index(ATOLL_UPC_OBJECT(words), me, 64, 1);
  const atoll_upc_pointer next_word = atoll_upc_index(ATOLL_UPC_OBJECT(words), next, 64, 1);
  int round;
  for (round = 1; round <= 20; ++round) {
    if (me == 0) ATOLL_UPC_PUT(int, next_word, round);
    while (ATOLL_UPC_GET(int, own) < round) {
    }
    if (me != 0) ATOLL_UPC_PUT(int, next_word, round);
  }
  clear();
}

int atoll_upc_program(int count, char** words) {
  if (count > 1 && atoi(words[1]) > 0) rounds = atoi(words[1]);
  clear();
  message_passing(0);
  message_passing(1);
  store_buffering(0);
  store_buffering(1);
  store_buffering(2);
  independent_reads();
  own_order();
  ring();
  return failures != 0;
}
