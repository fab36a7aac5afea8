// SPDX-License-Identifier: BSD-3-Clause
//
// CG of the NAS Parallel Benchmarks: the smallest eigenvalue of a random sparse matrix by inverse
// iteration, each step of which solves a system by 25 conjugate gradients. Rows and elements of
// vectors are distributed cyclically: row i lies on thread i % THREADS, so that all threads have the
// same work. `elegant` reads p[column] of the shared vector for each nonzero; `tuned` copies all of p
// into private memory, once from each thread, and numbers columns by their places in that copy.
//
// The matrix is the sum of outer products of random sparse vectors, as NPB's report defines it. Each
// thread generates all the vectors and keeps its own rows.
#include "kernel.uph"

const char* const kernel_name = "upc_cg";
const char* const kernel_variants[] = {"elegant", "tuned", NULL};
const char* const kernel_sizes = "a class of the NAS Parallel Benchmarks: S, W or A";
const char* const kernel_smallest = "S";

enum { inner_steps = 25, outer_steps = 15 };
static const double condition = 0.1;

static const struct problem {
  int size, nonzeros;  // of a random vector
  double shift, zeta;
} problems[] = {{1400, 7, 10, 8.5971775078648},
                {7000, 8, 12, 10.362595087124},
                {14000, 11, 20, 17.130235054029}};

static const struct problem* chosen;
static int own_rows;

// Row r of this thread is row r * THREADS + MYTHREAD of the matrix; its elements are those from
// begins[r] on. A column has two numbers: in the vector, and in the private copy (see gathered).
static size_t* begins;
static int *columns, *gathered_columns;
static double* values;

typedef shared double* vector;
static vector x, z, p, q, r;
static double* gathered;  // p: the elements of thread 0, then those of thread 1, ...
static int* gathered_from;

// --- The matrix --------------------------------------------------------------------------------

struct sparse {
  int count, places[16];
  double values[16];
};

static int holds(const struct sparse* vector_of_outer, int place) {
  for (int i = 0; i < vector_of_outer->count; ++i)
    if (vector_of_outer->places[i] == place) return 1;
  return 0;
}

static void make_vectors(struct sparse* made) {
  uint64_t seed = KERNEL_SEED;
  int power = 1;
  while (power < chosen->size) power *= 2;
  (void)kernel_random(&seed);  // NPB draws one number first
  for (int i = 0; i < chosen->size; ++i) {
    struct sparse* each = &made[i];
    each->count = 0;
    while (each->count < chosen->nonzeros) {
      const double value = kernel_random(&seed);
      const int place = (int)(power * kernel_random(&seed));
      if (place >= chosen->size || holds(each, place)) continue;
      each->places[each->count] = place;
      each->values[each->count++] = value;
    }
    int own = 0;
    while (own < each->count && each->places[own] != i) ++own;
    each->places[own] = i;
    each->values[own] = 0.5;
    if (own == each->count) ++each->count;
  }
}

// The vectors that have an element in row `row` of this thread: users[first[row]] on.
static int* find_users(const struct sparse* made, int* first) {
  for (int pass = 0; pass < 2; ++pass) {
    static int* users;
    if (pass == 1) {
      for (int row = 0, sum = 0; row <= own_rows; ++row) {
        const int count = first[row];
        first[row] = sum;
        sum += count;
      }
      users = kernel_memory(first[own_rows], sizeof(int));
    }
    for (int i = 0; i < chosen->size; ++i) {
      for (int k = 0; k < made[i].count; ++k) {
        const int row = made[i].places[k];
        if (row % THREADS != MYTHREAD) continue;
        if (pass == 0) ++first[row / THREADS];
        else users[first[row / THREADS]++] = i;
      }
    }
    if (pass == 1) {
      memmove(first + 1, first, own_rows * sizeof(int));
      first[0] = 0;
      return users;
    }
  }
  return NULL;
}

// Adds row `row` of the outer products of its vectors to `sums`; returns the number of its columns,
// and puts their numbers into `found`.
static int add_row(const struct sparse* made, const int* users, int count, int row, double* sums, int* found) {
  const double ratio = pow(condition, 1.0 / chosen->size);
  int columns_of_row = 0;
  for (int user = 0; user < count; ++user) {
    const struct sparse* each = &made[users[user]];
    double factor = pow(ratio, users[user]);
    for (int k = 0; k < each->count; ++k)
      if (each->places[k] == row) factor *= each->values[k];
    for (int k = 0; k < each->count; ++k) {
      const int column = each->places[k];
      if (sums[column] == 0) found[columns_of_row++] = column;
      sums[column] += each->values[k] * factor;
      if (column == row && users[user] == row) sums[column] += condition - chosen->shift;
    }
  }
  return columns_of_row;
}

static int by_number(const void* a, const void* b) { return *(const int*)a - *(const int*)b; }

static void make_matrix(void) {
  struct sparse* made = kernel_memory(chosen->size, sizeof *made);
  int* first = kernel_memory(own_rows + 1, sizeof(int));
  double* sums = kernel_memory(chosen->size, sizeof(double));
  int* found = kernel_memory(chosen->size * 16, sizeof(int));
  make_vectors(made);
  int* users = find_users(made, first);
  const size_t most = (size_t)first[own_rows] * 16;
  begins = kernel_memory(own_rows + 1, sizeof(size_t));
  columns = kernel_memory(most, sizeof(int));
  gathered_columns = kernel_memory(most, sizeof(int));
  values = kernel_memory(most, sizeof(double));
  size_t total = 0;
  for (int row = 0; row < own_rows; ++row) {
    const int users_of_row = first[row + 1] - first[row];
    const int count = add_row(made, users + first[row], users_of_row, row * THREADS + MYTHREAD, sums, found);
    qsort(found, count, sizeof(int), by_number);
    for (int k = 0; k < count; ++k) {
      columns[total] = found[k];
      gathered_columns[total] = gathered_from[found[k] % THREADS] + found[k] / THREADS;
      values[total++] = sums[found[k]];
      sums[found[k]] = 0;
    }
    begins[row + 1] = total;
  }
  free(made), free(first), free(sums), free(found), free(users);
}

// --- Elegant: shared vectors -------------------------------------------------------------------

static double product(vector a, vector b) {
  double sum = 0;
  upc_forall (int i = 0; i < chosen->size; ++i; &a[i]) sum += a[i] * b[i];
  return kernel_sum(sum);
}

static void multiply(vector result, vector by) {
  upc_barrier;
  upc_forall (int i = 0; i < chosen->size; ++i; &result[i]) {
    double sum = 0;
    for (size_t k = begins[i / THREADS]; k < begins[i / THREADS + 1]; ++k) sum += values[k] * by[columns[k]];
    result[i] = sum;
  }
}

static void solve_elegantly(void) {
  upc_forall (int i = 0; i < chosen->size; ++i; &x[i]) {
    z[i] = 0;
    p[i] = r[i] = x[i];
  }
  double rho = product(r, r);
  for (int step = 0; step < inner_steps; ++step) {
    multiply(q, p);
    const double alpha = rho / product(p, q), before = rho;
    upc_forall (int i = 0; i < chosen->size; ++i; &z[i]) {
      z[i] += alpha * p[i];
      r[i] -= alpha * q[i];
    }
    rho = product(r, r);
    upc_forall (int i = 0; i < chosen->size; ++i; &p[i]) p[i] = r[i] + rho / before * p[i];
  }
}

// --- Tuned: private pointers, and one copy of p for each step ----------------------------------

static double* own(vector of) { return (double*)&of[MYTHREAD]; }

static double own_product(const double* a, const double* b) {
  double sum = 0;
  for (int i = 0; i < own_rows; ++i) sum += a[i] * b[i];
  return kernel_sum(sum);
}

static void multiply_gathered(double* result, vector by) {
  upc_barrier;
  for (int i = 0; i < THREADS; ++i) {
    const int owner = (MYTHREAD + i) % THREADS;
    const size_t count = gathered_from[owner + 1] - gathered_from[owner];
    upc_memget(gathered + gathered_from[owner], &by[owner], count * sizeof(double));
  }
  for (int row = 0; row < own_rows; ++row) {
    double sum = 0;
    for (size_t k = begins[row]; k < begins[row + 1]; ++k) sum += values[k] * gathered[gathered_columns[k]];
    result[row] = sum;
  }
}

static void solve_tuned(void) {
  double *own_x = own(x), *own_z = own(z), *own_p = own(p), *own_q = own(q), *own_r = own(r);
  for (int i = 0; i < own_rows; ++i) {
    own_z[i] = 0;
    own_p[i] = own_r[i] = own_x[i];
  }
  double rho = own_product(own_r, own_r);
  for (int step = 0; step < inner_steps; ++step) {
    multiply_gathered(own_q, p);
    const double alpha = rho / own_product(own_p, own_q), before = rho;
    for (int i = 0; i < own_rows; ++i) {
      own_z[i] += alpha * own_p[i];
      own_r[i] -= alpha * own_q[i];
    }
    rho = own_product(own_r, own_r);
    for (int i = 0; i < own_rows; ++i) own_p[i] = own_r[i] + rho / before * own_p[i];
  }
}

// --- The inverse iteration ---------------------------------------------------------------------

static double iterate(int steps, int variant) {
  double zeta = 0;
  upc_forall (int i = 0; i < chosen->size; ++i; &x[i]) x[i] = 1;
  for (int step = 0; step < steps; ++step) {
    if (variant == 0) solve_elegantly();
    else solve_tuned();
    zeta = chosen->shift + 1 / product(x, z);
    const double length = sqrt(product(z, z));
    upc_forall (int i = 0; i < chosen->size; ++i; &x[i]) x[i] = z[i] / length;
  }
  return zeta;
}

static void prepare(void) {
  vector* const vectors[] = {&x, &z, &p, &q, &r};
  if (begins != NULL) return;
  for (int i = 0; i < 5; ++i) *vectors[i] = upc_all_alloc(chosen->size, sizeof(double));
  gathered = kernel_memory(chosen->size, sizeof(double));
  gathered_from = kernel_memory(THREADS + 1, sizeof(int));
  for (int i = 0; i < THREADS; ++i) gathered_from[i + 1] = gathered_from[i] + (chosen->size - i + THREADS - 1) / THREADS;
  own_rows = gathered_from[MYTHREAD + 1] - gathered_from[MYTHREAD];
  make_matrix();
}

int kernel_has_size(const char* size) { return kernel_class(size) >= 0; }

struct kernel_result kernel_run(const char* size, int variant) {
  chosen = &problems[kernel_class(size)];
  prepare();
  (void)iterate(1, variant);
  upc_barrier;
  const double begin = kernel_seconds();
  const double zeta = iterate(outer_steps, variant);
  const double seconds = kernel_seconds() - begin;
  const int is_right = fabs(zeta - chosen->zeta) <= 1e-10;
  if (!is_right && MYTHREAD == 0) fprintf(stderr, "upc_cg: zeta is %.13f, not %.13f\n", zeta, chosen->zeta);
  return (struct kernel_result){seconds, is_right};
}
