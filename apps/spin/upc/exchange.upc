// SPDX-License-Identifier: BSD-3-Clause
//
// Moves the blocks of partners to this thread, in the ways that the variants are named after:
//
//   elegant, hoisted    not at all: elements are read in place, with a pointer that is computed for
//                       each element, or once per block
//   inelegant1          the partner's block is fetched, used, then the next one
//   inelegant2          the same, fetched while the block before is being used
//   inelegant3          every thread puts its whole part into its partners' inboxes; a barrier
//   fence               each block is put as soon as it is final; a fence and a counter follow
//                       the puts to all partners
//   fence_each          the same with a fence and a counter for each put
//   fence_nbi           the same by non-blocking puts, synchronized before the counters
//   direct              private pointers to the partners' memory where it is mapped (upc_cast)
//
// Inboxes hold a whole part for each partner, so a put never waits for room. The sum over all threads
// that follows a product is a barrier: after it the inboxes may be written again, and so may the
// vector that was read.
#include "state.uph"

#include <upc_castable.h>
#include <upc_nb.h>
#include <upc_tick.h>

#include <stdlib.h>

enum variant { elegant, hoisted, inelegant1, inelegant2, inelegant3, fence, fence_each, fence_nbi, direct };

enum { block_bytes = SPIN_UPC_BLOCK * sizeof(double) };
#define BITS_MAX 16 /* of the number of threads */

/* The inboxes of all threads, and how many blocks have come into each since the start. */
static shared [BITS_MAX] spin_block inboxes[THREADS][BITS_MAX];
static strict shared [BITS_MAX] uint64_t arrived[THREADS][BITS_MAX];

static uint64_t expected;   // blocks in each inbox when the current product began
static double* fetched[2];  // private buffers, used in turn

static int puts_into_inboxes(void) {
  return spin_local.variant >= inelegant3 && spin_local.variant <= fence_nbi;
}

static int fetches(void) {
  return spin_local.variant == inelegant1 || spin_local.variant == inelegant2 ||
         spin_local.variant == direct;
}

static int partner_of(unsigned bit) { return MYTHREAD ^ 1 << bit; }

int spin_exchange_open(void) {
  expected = 0;
  for (unsigned bit = 0; bit < spin_local.thread_bits; ++bit) {
    arrived[MYTHREAD][bit] = 0;
    inboxes[MYTHREAD][bit] = NULL;
    if (!puts_into_inboxes()) continue;
    inboxes[MYTHREAD][bit] = upc_alloc(spin_local.blocks * block_bytes);
    if (inboxes[MYTHREAD][bit] == NULL) return 0;
  }
  for (unsigned turn = 0; turn < 2 && fetches(); ++turn) {
    fetched[turn] = malloc(block_bytes);
    if (fetched[turn] == NULL) return 0;
  }
  return 1;
}

void spin_exchange_close(void) {
  for (unsigned bit = 0; bit < spin_local.thread_bits; ++bit) {
    if (inboxes[MYTHREAD][bit] != NULL) upc_free(inboxes[MYTHREAD][bit]);
    inboxes[MYTHREAD][bit] = NULL;
  }
  for (unsigned turn = 0; turn < 2; ++turn) {
    free(fetched[turn]);
    fetched[turn] = NULL;
  }
}

/* Puts a block into the inbox that the partner has for this thread. */
static void put_block(unsigned which, size_t block, unsigned bit) {
  const double* const source = spin_local.parts[which] + block * SPIN_UPC_BLOCK;
  spin_block target = inboxes[partner_of(bit)][bit] + block * SPIN_UPC_BLOCK;
  if (spin_local.variant == fence_nbi) {
    upc_memput_nbi(target, source, block_bytes);
  } else {
    upc_memput(target, source, block_bytes);
  }
  spin_local.moved_bytes += block_bytes;
}

void spin_exchange_offer(unsigned which, size_t block) {
  if (!puts_into_inboxes()) return;
  for (unsigned bit = 0; bit < spin_local.thread_bits; ++bit) {
    put_block(which, block, bit);
    if (spin_local.variant == fence_each) {
      upc_fence;
      arrived[partner_of(bit)][bit] = expected + block + 1;
    }
  }
  if (spin_local.variant != fence && spin_local.variant != fence_nbi) return;
  upc_synci();
  upc_fence;
  for (unsigned bit = 0; bit < spin_local.thread_bits; ++bit)
    arrived[partner_of(bit)][bit] = expected + block + 1;
}

void spin_exchange_begin(void) {
  if (spin_local.variant < fence || spin_local.variant > fence_nbi) spin_barrier();
}

static void add(double* flips, const double* block) {
  for (size_t place = 0; place < SPIN_UPC_BLOCK; ++place) flips[place] += block[place];
}

static void add_elements(double* flips, spin_block there) {
  for (size_t place = 0; place < SPIN_UPC_BLOCK; ++place) flips[place] += there[place];
}

static spin_block block_of(unsigned which, size_t block, unsigned bit) {
  const uint64_t first = ((uint64_t)block * THREADS + partner_of(bit)) * SPIN_UPC_BLOCK;
  return (spin_block)&spin_local.vectors[which][first];
}

/* Advances to the next block in the order in which they are fetched; false after the last one. */
static int following(size_t* block, unsigned* bit) {
  *bit = (*bit + 1) % spin_local.thread_bits;
  if (*bit == 0) ++*block;
  return *block < spin_local.blocks;
}

/* Starts to fetch the following block, then waits for this one. */
static const double* fetch_ahead(unsigned which, size_t block, unsigned bit) {
  static upc_handle_t under_way[2];
  static unsigned turn;
  if (block == 0 && bit == 0)
    under_way[turn] = upc_memget_nb(fetched[turn], block_of(which, block, bit), block_bytes);
  const unsigned now = turn;
  turn ^= 1;
  if (following(&block, &bit))
    under_way[turn] = upc_memget_nb(fetched[turn], block_of(which, block, bit), block_bytes);
  upc_sync(under_way[now]);
  return fetched[now];
}

static const double* wait_for(size_t block, unsigned bit) {
  const upc_tick_t start = upc_ticks_now();
  while (arrived[MYTHREAD][bit] < expected + block + 1) continue;
  spin_local.waited_ns += upc_ticks_to_ns(upc_ticks_now() - start);
  return (const double*)(inboxes[MYTHREAD][bit] + block * SPIN_UPC_BLOCK);
}

void spin_exchange_add(unsigned which, size_t block, unsigned bit, double* flips) {
  spin_block there = block_of(which, block, bit);
  const double* mapped;
  switch (spin_local.variant) {
    case hoisted: add_elements(flips, there); return;
    case inelegant2: add(flips, fetch_ahead(which, block, bit)); break;
    case inelegant3: add(flips, (const double*)(inboxes[MYTHREAD][bit] + block * SPIN_UPC_BLOCK)); return;
    case fence:
    case fence_each:
    case fence_nbi: add(flips, wait_for(block, bit)); return;
    case direct:
      mapped = upc_cast(there);
      if (mapped != NULL) {
        add(flips, mapped);
        return;
      }
      // fall through
    default:
      upc_memget(fetched[0], there, block_bytes);
      add(flips, fetched[0]);
  }
  spin_local.moved_bytes += block_bytes;
}

void spin_exchange_end(void) {
  if (puts_into_inboxes()) expected += spin_local.blocks;
}
