// SPDX-License-Identifier: BSD-3-Clause
//
// The product of H with a vector. In the elegant variant it is one loop over all states, each run by
// the thread that has it, which reads the flipped states on any thread. In all others a thread
// goes through its blocks: flips within the block, then the partners' blocks (exchange.upc), then
// its own other blocks. All variants add up the flips of a state in the order of bits, so all give
// the same bits.
#include "state.uph"

#include <upc_tick.h>

#include <stdlib.h>
#include <string.h>

struct spin_state spin_local;

const char* const spin_upc_variants[] = {"elegant", "hoisted", "inelegant1", "inelegant2", "inelegant3",
                                         "fence", "fence_each", "fence_nbi", "direct", 0};
enum { elegant_variant };

/* A number of each thread, in two places that are used in turn. */
static shared double numbers[2][THREADS];

static unsigned logarithm(uint64_t power) {
  unsigned bits = 0;
  while (power >>= 1) ++bits;
  return bits;
}

static double diagonal_energy(const struct spin_upc_chain* model, uint64_t state) {
  const unsigned bonds = model->periodic ? model->sites : model->sites - 1;
  unsigned different = 0;
  for (unsigned bond = 0; bond < bonds; ++bond) {
    const unsigned next = bond + 1 == model->sites ? 0 : bond + 1;
    different += (state >> bond ^ state >> next) & 1;
  }
  return model->coupling / 4 * ((double)bonds - 2.0 * different);
}

void spin_barrier(void) {
  const upc_tick_t start = upc_ticks_now();
  upc_barrier;
  spin_local.waited_ns += upc_ticks_to_ns(upc_ticks_now() - start);
}

static int allocate_vectors(void) {
  const size_t elements = spin_local.blocks * SPIN_UPC_BLOCK;
  spin_local.energies = malloc(elements * sizeof(double));
  spin_local.flips = malloc(SPIN_UPC_BLOCK * sizeof(double));
  int found = spin_local.energies != NULL && spin_local.flips != NULL;
  for (unsigned which = 0; which < 2; ++which) {
    spin_vector made = upc_all_alloc(spin_local.blocks * THREADS, SPIN_UPC_BLOCK * sizeof(double));
    spin_local.vectors[which] = made;
    if (made == NULL) {
      found = 0;
      continue;
    }
    spin_local.parts[which] = (double*)&made[MYTHREAD * SPIN_UPC_BLOCK];
    memset(spin_local.parts[which], 0, elements * sizeof(double));
  }
  return found;
}

int spin_upc_open(const struct spin_upc_chain* model, unsigned variant) {
  memset(&spin_local, 0, sizeof spin_local);
  spin_local.model = *model;
  spin_local.variant = variant;
  spin_local.states = (uint64_t)1 << model->sites;
  spin_local.blocks = spin_local.states / SPIN_UPC_BLOCK / THREADS;
  spin_local.block_bits = logarithm(SPIN_UPC_BLOCK);
  spin_local.thread_bits = logarithm(THREADS);
  const int found = allocate_vectors() && spin_exchange_open();
  if (spin_upc_sum(found) != THREADS) {
    spin_upc_close();
    return 0;
  }
  for (size_t place = 0; place < spin_upc_count(); ++place)
    spin_local.energies[place] =
        diagonal_energy(model, spin_upc_first_state(place / SPIN_UPC_BLOCK) + place % SPIN_UPC_BLOCK);
  upc_barrier;
  return 1;
}

void spin_upc_close(void) {
  upc_barrier;
  spin_exchange_close();
  for (unsigned which = 0; which < 2; ++which)
    if (spin_local.vectors[which] != NULL) upc_all_free(spin_local.vectors[which]);
  free(spin_local.energies);
  free(spin_local.flips);
}

double* spin_upc_part(unsigned which) { return spin_local.parts[which]; }

size_t spin_upc_count(void) { return spin_local.blocks * SPIN_UPC_BLOCK; }

uint64_t spin_upc_first_state(size_t block) {
  return ((uint64_t)block * THREADS + MYTHREAD) * SPIN_UPC_BLOCK;
}

void spin_upc_offer(unsigned which, size_t block) { spin_exchange_offer(which, block); }

/* As in textbooks: the thread that has a state adds up all its flips. */
static void apply_elegantly(spin_vector out, spin_vector in, double scale, double previous) {
  const double flip = scale * spin_local.model.flip;
  const unsigned sites = spin_local.model.sites;
  const double* energy = spin_local.energies;
  uint64_t state;
  upc_forall (state = 0; state < spin_local.states; ++state; &out[state]) {
    double flips = 0;
    for (unsigned bit = 0; bit < sites; ++bit) flips += in[state ^ (uint64_t)1 << bit];
    out[state] = scale * *energy++ * in[state] + flip * flips - previous * out[state];
  }
}

static void add_block(double* flips, const double* block) {
  for (size_t place = 0; place < SPIN_UPC_BLOCK; ++place) flips[place] += block[place];
}

static void add_flips_within(double* flips, const double* block) {
  memset(flips, 0, SPIN_UPC_BLOCK * sizeof(double));
  for (size_t bit = 1; bit < SPIN_UPC_BLOCK; bit *= 2)
    for (size_t first = 0; first < SPIN_UPC_BLOCK; first += 2 * bit)
      for (size_t place = first; place < first + bit; ++place) {
        flips[place] += block[place + bit];
        flips[place + bit] += block[place];
      }
}

static void apply_by_blocks(unsigned out, unsigned in, double scale, double previous) {
  const double flip = scale * spin_local.model.flip;
  double* const flips = spin_local.flips;
  for (size_t block = 0; block < spin_local.blocks; ++block) {
    const double* const old = spin_local.parts[in] + block * SPIN_UPC_BLOCK;
    const double* const energies = spin_local.energies + block * SPIN_UPC_BLOCK;
    double* const made = spin_local.parts[out] + block * SPIN_UPC_BLOCK;
    add_flips_within(flips, old);
    for (unsigned bit = 0; bit < spin_local.thread_bits; ++bit) spin_exchange_add(in, block, bit, flips);
    for (size_t other = 1; other < spin_local.blocks; other *= 2)
      add_block(flips, spin_local.parts[in] + (block ^ other) * SPIN_UPC_BLOCK);
    for (size_t place = 0; place < SPIN_UPC_BLOCK; ++place)
      made[place] = scale * energies[place] * old[place] + flip * flips[place] - previous * made[place];
  }
}

void spin_upc_apply(unsigned out, unsigned in, double scale, double previous) {
  spin_exchange_begin();
  if (spin_local.variant == elegant_variant) {
    apply_elegantly(spin_local.vectors[out], spin_local.vectors[in], scale, previous);
  } else {
    apply_by_blocks(out, in, scale, previous);
  }
  spin_exchange_end();
}

double spin_upc_sum(double value) {
  static unsigned turn;
  turn ^= 1;
  numbers[turn][MYTHREAD] = value;
  spin_barrier();
  double total = 0;
  for (int thread = 0; thread < THREADS; ++thread) total += numbers[turn][thread];
  return total;
}

int64_t spin_upc_waited_ns(void) { return spin_local.waited_ns; }
uint64_t spin_upc_moved_bytes(void) { return spin_local.moved_bytes; }
