// SPDX-License-Identifier: BSD-3-Clause
//
// RandomAccess of the HPC Challenge: four times as many updates as a table of 2^m words has, each an
// exclusive or into a random word of any thread. `elegant` is the plain statement; it may lose updates
// that collide, and the rules allow 1 % of the words to be wrong. Two threads lose up to some hundred
// updates, whatever the table's size, since a core's last stores are seen late by the other; tables
// of less than 2^18 words are refused for that. `atomic` loses none. `boxes` sorts 1024 updates, the
// most that the rules allow, by owner, and sends each owner its own; two halves of each box are
// filled in turn, so that one barrier for each 1024 updates is enough.
//
// The updates are the powers of x modulo x^64 + x^2 + x + 1, as bits of a word.
#include "kernel.uph"

#include <upc_atomic.h>

const char* const kernel_name = "upc_random_access";
const char* const kernel_variants[] = {"elegant", "atomic", "boxes", NULL};
const char* const kernel_sizes = "the logarithm of the words of the table, 18 to 40";
const char* const kernel_smallest = "18";

enum { look_ahead = 1024 };

static shared uint64_t* table;  // word i lies on thread i % THREADS
static uint64_t mask, updates;  // of all threads
static shared [] uint64_t* shared boxes[THREADS];  // [half][sender][count, updates ...]

static inline uint64_t next(uint64_t a) { return a << 1 ^ ((int64_t)a < 0 ? 7 : 0); }

// The number at this place of the sequence.
static uint64_t element(uint64_t place) {
  uint64_t result = 1, square = 2;
  for (; place > 0; place >>= 1) {
    uint64_t factors[2] = {result, square}, products[2] = {0, 0};
    for (int which = 0; which < 2; ++which) {
      uint64_t shifted = factors[which];
      for (uint64_t bits = square; bits != 0; bits >>= 1, shifted = next(shifted))
        products[which] ^= bits & 1 ? shifted : 0;
    }
    if (place & 1) result = products[0];
    square = products[1];
  }
  return result;
}

static void update_elegantly(uint64_t value, uint64_t count) {
  while (count-- > 0) {
    table[value & mask] ^= value;
    value = next(value);
  }
}

static void update_atomically(uint64_t value, uint64_t count) {
  upc_atomicdomain_t* domain = upc_all_atomicdomain_alloc(UPC_UINT64, UPC_XOR, 0);
  while (count-- > 0) {
    upc_atomic_relaxed(domain, NULL, UPC_XOR, &table[value & mask], &value, NULL);
    value = next(value);
  }
  upc_barrier;
  upc_all_atomicdomain_free(domain);
}

static void apply_box(const uint64_t* box, uint64_t* words) {
  for (uint64_t i = 1; i <= box[0]; ++i) words[(box[i] & mask) / THREADS] ^= box[i];
}

static void update_by_boxes(uint64_t value, uint64_t count) {
  const size_t box_words = look_ahead + 1, half_words = box_words * THREADS;
  uint64_t* sorted = kernel_memory(half_words, sizeof(uint64_t));
  uint64_t* words = (uint64_t*)&table[MYTHREAD];
  int half = 0;
  boxes[MYTHREAD] = upc_alloc(2 * half_words * sizeof(uint64_t));
  const uint64_t* own_boxes = (uint64_t*)boxes[MYTHREAD];
  upc_barrier;
  for (uint64_t turn = 0; turn < (updates / THREADS + THREADS) / look_ahead + 1; ++turn, half ^= 1) {
    for (int owner = 0; owner < THREADS; ++owner) sorted[owner * box_words] = 0;
    for (int i = 0; i < look_ahead && count > 0; ++i, --count, value = next(value)) {
      uint64_t* box = &sorted[(value & mask) % THREADS * box_words];
      box[++box[0]] = value;
    }
    for (int i = 0; i < THREADS; ++i) {
      const int owner = (MYTHREAD + i) % THREADS;
      const uint64_t* box = &sorted[owner * box_words];
      upc_memput(boxes[owner] + half * half_words + MYTHREAD * box_words, box, (box[0] + 1) * sizeof(uint64_t));
    }
    upc_barrier;
    for (int sender = 0; sender < THREADS; ++sender)
      apply_box(&own_boxes[half * half_words + sender * box_words], words);
  }
  upc_barrier;
  upc_free(boxes[MYTHREAD]);
  free(sorted);
}

// Each thread walks through the whole sequence and does the updates of its own words again, which
// restores word i to i.
static uint64_t wrong_words(void) {
  uint64_t* words = (uint64_t*)&table[MYTHREAD];
  uint64_t wrong = 0, value = 1;
  for (uint64_t i = 0; i < updates; ++i, value = next(value)) {
    if ((value & mask) % THREADS == MYTHREAD) words[(value & mask) / THREADS] ^= value;
  }
  for (uint64_t i = MYTHREAD; i <= mask; i += THREADS) wrong += words[i / THREADS] != i;
  return (uint64_t)kernel_sum((double)wrong);
}

int kernel_has_size(const char* size) { return atoi(size) >= 18 && atoi(size) <= 40; }

struct kernel_result kernel_run(const char* size, int variant) {
  mask = (1ull << atoi(size)) - 1;
  updates = 4 * (mask + 1);
  const uint64_t first = updates / THREADS * MYTHREAD;
  const uint64_t last = MYTHREAD == THREADS - 1 ? updates : first + updates / THREADS;
  const uint64_t start = element(first);
  table = upc_all_alloc(mask + 1, sizeof(uint64_t));
  upc_forall (uint64_t i = 0; i <= mask; ++i; &table[i]) table[i] = i;
  upc_barrier;
  const double begin = kernel_seconds();
  if (variant == 0) update_elegantly(start, last - first);
  if (variant == 1) update_atomically(start, last - first);
  if (variant == 2) update_by_boxes(start, last - first);
  upc_barrier;
  const double seconds = kernel_seconds() - begin;
  const uint64_t wrong = wrong_words();
  upc_all_free(table);
  return (struct kernel_result){seconds, wrong <= (variant == 0 ? (mask + 1) / 100 : 0)};
}
