// SPDX-License-Identifier: BSD-3-Clause
//
// IS of the NAS Parallel Benchmarks: the ranks of integer keys, ten times, with two keys changed each
// time. Each thread counts its keys; then it sums the counts of all threads for its own range of
// keys, and the running sums are the ranks. `elegant` reads the counts of others one by one, `tuned`
// copies each thread's counts of the range first. At the end all keys are sorted by their ranks.
#include "kernel.uph"

const char* const kernel_name = "upc_is";
const char* const kernel_variants[] = {"elegant", "tuned", NULL};
const char* const kernel_sizes = "a class of the NAS Parallel Benchmarks: S, W or A";
const char* const kernel_smallest = "S";

enum { iterations = 10, tests = 5 };

// The problem of each class. NPB publishes the ranks of five keys; with each iteration those of the first `rising`
// keys grow by one and those of the others fall by one.
static const struct problem {
  int log2_keys, log2_values, rising, rises_from, falls_from;
  int places[tests], ranks[tests];
} problems[] = {
    {16, 11, 3, 0, 0, {48427, 17148, 23627, 62548, 4431}, {0, 18, 346, 64917, 65463}},
    {20, 16, 2, 2, 0, {357773, 934767, 875723, 898999, 404505}, {1249, 11698, 1039987, 1043896, 1048018}},
    {23, 19, 3, 1, 1, {2112377, 662041, 5336171, 3642833, 4250760}, {104, 17523, 123928, 8288932, 8388264}}};

static const struct problem* chosen;
static int key_count, value_count;  // of all threads
static int first_key, last_key;     // of this thread: keys [first, last) of the sequence
static int first_value, last_value;  // the values whose ranks this thread finds
static int* keys;

static shared [] int* shared counts[THREADS];  // of each value among the thread's keys
static shared [] int* shared ranks[THREADS];   // of the thread's values: how many keys are smaller
static shared int totals[THREADS];
static shared [] int tested[tests];
static shared int* sorted;

static int begin_of(int thread, int count) { return (int)((long long)count * thread / THREADS); }

static void make_keys(void) {
  uint64_t seed = kernel_jump(KERNEL_SEED, 4ull * first_key);
  for (int i = first_key; i < last_key; ++i) {
    double sum = 0;
    for (int k = 0; k < 4; ++k) sum += kernel_random(&seed);
    keys[i - first_key] = (int)(value_count / 4 * sum);
  }
}

static void set_key(int place, int value) {
  if (place >= first_key && place < last_key) keys[place - first_key] = value;
}

static void count_keys(void) {
  int* own = (int*)counts[MYTHREAD];
  memset(own, 0, value_count * sizeof(int));
  for (int i = 0; i < last_key - first_key; ++i) ++own[keys[i]];
}

// The counts of all threads for the values of this one.
static void sum_elegantly(int* sums) {
  for (int thread = 0; thread < THREADS; ++thread) {
    shared [] int* others = counts[thread];
    for (int value = first_value; value < last_value; ++value) sums[value - first_value] += others[value];
  }
}

static void sum_tuned(int* sums, int* copied) {
  const int count = last_value - first_value;
  for (int i = 0; i < THREADS; ++i) {
    upc_memget(copied, counts[(MYTHREAD + i) % THREADS] + first_value, count * sizeof(int));
    for (int k = 0; k < count; ++k) sums[k] += copied[k];
  }
}

static void rank_keys(int variant, int* copied) {
  int *own = (int*)ranks[MYTHREAD], total = 0, smaller = 0;
  const int count = last_value - first_value;
  count_keys();
  memset(own, 0, count * sizeof(int));
  upc_barrier;
  if (variant == 0) sum_elegantly(own);
  else sum_tuned(own, copied);
  for (int i = 0; i < count; ++i) total += own[i];
  totals[MYTHREAD] = total;
  upc_barrier;
  for (int thread = 0; thread < MYTHREAD; ++thread) smaller += totals[thread];
  for (int i = 0; i < count; ++i) {
    const int equal = own[i];
    own[i] = smaller;
    smaller += equal;
  }
}

static int rank_of(int value) {
  int thread = (int)((long long)value * THREADS / value_count);
  while (value < begin_of(thread, value_count)) --thread;
  while (value >= begin_of(thread + 1, value_count)) ++thread;
  return ranks[thread][value - begin_of(thread, value_count)];
}

// Runs one iteration; returns whether the ranks of the tested keys are those that NPB publishes.
static int iterate(int iteration, int variant, int* copied) {
  int wrong = 0;
  set_key(iteration, iteration);
  set_key(iteration + iterations, value_count - iteration);
  for (int i = 0; i < tests; ++i) {
    const int place = chosen->places[i];
    if (place >= first_key && place < last_key) tested[i] = keys[place - first_key];
  }
  rank_keys(variant, copied);
  upc_barrier;
  for (int i = MYTHREAD; i < tests; i += THREADS) {
    const int moved = i < chosen->rising ? iteration - chosen->rises_from : chosen->falls_from - iteration;
    wrong += rank_of(tested[i]) != chosen->ranks[i] + moved;
  }
  return wrong == 0;
}

// Puts each key at the place of its rank, after the equal keys of lower threads; checks the order.
static int is_sorted(void) {
  int* next = kernel_memory(value_count, sizeof(int));
  int wrong = 0;
  upc_barrier;
  for (int value = 0; value < value_count; ++value) {
    next[value] = rank_of(value);
    for (int thread = 0; thread < MYTHREAD; ++thread) next[value] += counts[thread][value];
  }
  upc_forall (int i = 0; i < key_count; ++i; &sorted[i]) sorted[i] = -1;
  upc_barrier;
  for (int i = 0; i < last_key - first_key; ++i) sorted[next[keys[i]]++] = keys[i];
  upc_barrier;
  upc_forall (int i = 0; i < key_count; ++i; &sorted[i]) wrong += sorted[i] < (i > 0 ? sorted[i - 1] : 0);
  free(next);
  return kernel_sum(wrong) == 0;
}

static void prepare(void) {
  if (keys != NULL) return;
  key_count = 1 << chosen->log2_keys;
  value_count = 1 << chosen->log2_values;
  first_key = begin_of(MYTHREAD, key_count), last_key = begin_of(MYTHREAD + 1, key_count);
  first_value = begin_of(MYTHREAD, value_count), last_value = begin_of(MYTHREAD + 1, value_count);
  keys = kernel_memory(last_key - first_key, sizeof(int));
  counts[MYTHREAD] = upc_alloc(value_count * sizeof(int));
  ranks[MYTHREAD] = upc_alloc((last_value - first_value + 1) * sizeof(int));
  sorted = upc_all_alloc(key_count, sizeof(int));
  upc_barrier;
}

int kernel_has_size(const char* size) { return kernel_class(size) >= 0; }

struct kernel_result kernel_run(const char* size, int variant) {
  chosen = &problems[kernel_class(size)];
  prepare();
  make_keys();
  int* copied = kernel_memory(last_value - first_value, sizeof(int));
  int is_right = iterate(1, variant, copied);
  upc_barrier;
  const double begin = kernel_seconds();
  for (int iteration = 1; iteration <= iterations; ++iteration) {
    is_right = iterate(iteration, variant, copied) && is_right;
    upc_barrier;
  }
  const double seconds = kernel_seconds() - begin;
  if (!is_right) fprintf(stderr, "upc_is: thread %d found wrong ranks\n", MYTHREAD);
  is_right = is_sorted() && is_right;
  free(copied);
  return (struct kernel_result){seconds, is_right};
}
