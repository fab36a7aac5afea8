// SPDX-License-Identifier: BSD-3-Clause
//
// FT of the NAS Parallel Benchmarks: a diffusion equation in three dimensions by Fourier transforms.
// A thread has a slab of planes in z while it transforms along x and y, and a slab in y while it
// transforms along z; between them all threads exchange all of their data. `elegant` reads the
// elements of others where it needs them; `tuned` copies whole rows first and transposes them in
// private memory.
//
// The field in z slabs is [z][y][x], in y slabs [y][x][z], so that a line along z is contiguous.
#include "kernel.uph"

#include <complex.h>

typedef double complex number;

const char* const kernel_name = "upc_ft";
const char* const kernel_variants[] = {"elegant", "tuned", NULL};
const char* const kernel_sizes = "a class of the NAS Parallel Benchmarks: S, W or A";
const char* const kernel_smallest = "S";

enum { steps = 6, samples = 1024, longest = 512 };

static const struct problem {
  int nx, ny, nz;
  double sums[steps][2];
} problems[] = {{64, 64, 64,
                 {{5.546087004964e+02, 4.845363331978e+02}, {5.546385409189e+02, 4.865304269511e+02},
                  {5.546148406171e+02, 4.883910722336e+02}, {5.545423607415e+02, 4.901273169046e+02},
                  {5.544255039624e+02, 4.917475857993e+02}, {5.542683411902e+02, 4.932597244941e+02}}},
                {128, 128, 32,
                 {{5.673612178944e+02, 5.293246849175e+02}, {5.631436885271e+02, 5.282149986629e+02},
                  {5.594024089970e+02, 5.270996558037e+02}, {5.560698047020e+02, 5.260027904925e+02},
                  {5.530898991250e+02, 5.249400845633e+02}, {5.504159734538e+02, 5.239212247086e+02}}},
                {256, 256, 128,
                 {{5.046735008193e+02, 5.114047905510e+02}, {5.059412319734e+02, 5.098809666433e+02},
                  {5.069376896287e+02, 5.098144042213e+02}, {5.077892868474e+02, 5.101336130759e+02},
                  {5.085233095391e+02, 5.104914655194e+02}, {5.091487099959e+02, 5.107917842803e+02}}}};

typedef shared [] number* slab;

static const struct problem* chosen;
static int nx, ny, nz, planes, rows;  // planes of z and rows of y that a thread has
static slab shared z_slabs[THREADS], y_slabs[THREADS];
static number *z_own, *y_own, *spectrum, *copied;
static double* decay;  // of each element of the spectrum in one step
static number roots[longest];

// --- Transforms of lines -----------------------------------------------------------------------

static void set_roots(int length) {
  for (int i = 0; i < length / 2; ++i) roots[i] = cexp(-2 * M_PI * I * i / length);
}

// Transforms a line of `length` numbers, a power of two, without scaling; the roots must be set for
// this length. Each pass halves the number of blocks, and goes from one of two arrays to the other.
static void transform(number* line, int length, int is_inverse) {
  number other[longest], *from = line, *to = other;
  for (int blocks = length / 2, width = 1; blocks >= 1; blocks /= 2, width *= 2) {
    for (int block = 0; block < blocks; ++block) {
      const number root = is_inverse ? conj(roots[block * width]) : roots[block * width];
      const number *a = from + block * width, *b = a + length / 2;
      number* result = to + 2 * block * width;
      for (int i = 0; i < width; ++i) {
        const number difference = a[i] - b[i];
        result[i] = a[i] + b[i];
        result[i + width] = difference * root;
      }
    }
    number* const turned = from;
    from = to;
    to = turned;
  }
  if (from != line) memcpy(line, from, length * sizeof(number));
}

static void transform_along_x(int is_inverse) {
  set_roots(nx);
  for (int line = 0; line < planes * ny; ++line) transform(z_own + (size_t)line * nx, nx, is_inverse);
}

static void transform_along_y(int is_inverse) {
  number lines[8][longest];
  set_roots(ny);
  for (int z = 0; z < planes; ++z) {
    for (int x = 0; x < nx; x += 8) {
      number* plane = z_own + (size_t)z * ny * nx + x;
      for (int y = 0; y < ny; ++y)
        for (int i = 0; i < 8; ++i) lines[i][y] = plane[(size_t)y * nx + i];
      for (int i = 0; i < 8; ++i) transform(lines[i], ny, is_inverse);
      for (int y = 0; y < ny; ++y)
        for (int i = 0; i < 8; ++i) plane[(size_t)y * nx + i] = lines[i][y];
    }
  }
}

static void transform_along_z(number* slab_of_rows, int is_inverse) {
  set_roots(nz);
  for (int line = 0; line < rows * nx; ++line) transform(slab_of_rows + (size_t)line * nz, nz, is_inverse);
}

// --- The exchange ------------------------------------------------------------------------------

static void to_y_slabs_elegantly(void) {
  for (int y = 0; y < rows; ++y)
    for (int x = 0; x < nx; ++x)
      for (int z = 0; z < nz; ++z)
        y_own[((size_t)y * nx + x) * nz + z] =
            z_slabs[z / planes][((size_t)(z % planes) * ny + MYTHREAD * rows + y) * nx + x];
}

static void to_z_slabs_elegantly(void) {
  for (int z = 0; z < planes; ++z)
    for (int y = 0; y < ny; ++y)
      for (int x = 0; x < nx; ++x)
        z_own[((size_t)z * ny + y) * nx + x] =
            y_slabs[y / rows][((size_t)(y % rows) * nx + x) * nz + MYTHREAD * planes + z];
}

// Tiles of 8 by 8 keep the cache lines that a column touches in the cache.
static void to_y_slabs_tuned(void) {
  for (int i = 0; i < THREADS; ++i) {
    const int owner = (MYTHREAD + i) % THREADS, width = rows * nx;
    for (int z = 0; z < planes; ++z) {
      upc_memget(copied + (size_t)z * width, z_slabs[owner] + ((size_t)z * ny + MYTHREAD * rows) * nx,
                 width * sizeof(number));
    }
    for (int place = 0; place < width; place += 8)
      for (int z = 0; z < planes; ++z)
        for (int k = place; k < place + 8; ++k) y_own[(size_t)k * nz + owner * planes + z] = copied[(size_t)z * width + k];
  }
}

static void to_z_slabs_tuned(void) {
  for (int i = 0; i < THREADS; ++i) {
    const int owner = (MYTHREAD + i) % THREADS, width = rows * nx;
    slab other = y_slabs[owner];
    for (int line = 0; line < width; ++line) {
      upc_memget(copied + (size_t)line * planes, other + (size_t)line * nz + MYTHREAD * planes, planes * sizeof(number));
    }
    for (int place = 0; place < width; place += 8)
      for (int z = 0; z < planes; ++z)
        for (int k = place; k < place + 8; ++k)
          z_own[((size_t)z * ny + owner * rows) * nx + k] = copied[(size_t)k * planes + z];
  }
}

// --- The equation ------------------------------------------------------------------------------

static int folded(int i, int n) { return i < n / 2 ? i : i - n; }

static void set_decay(void) {
  for (int y = 0; y < rows; ++y) {
    for (int x = 0; x < nx; ++x) {
      for (int z = 0; z < nz; ++z) {
        const double a = folded(x, nx), b = folded(MYTHREAD * rows + y, ny), c = folded(z, nz);
        decay[((size_t)y * nx + x) * nz + z] = exp(-4e-6 * M_PI * M_PI * (a * a + b * b + c * c));
      }
    }
  }
}

static void set_field(void) {
  const uint64_t first = 2ull * nx * ny * planes * MYTHREAD;
  uint64_t seed = kernel_jump(KERNEL_SEED, first);
  for (size_t i = 0; i < (size_t)planes * ny * nx; ++i) {
    const double real = kernel_random(&seed);
    z_own[i] = real + I * kernel_random(&seed);
  }
}

static int is_sum_right(int step) {
  double real = 0, imaginary = 0;
  for (int j = 1; j <= samples; ++j) {
    const int x = j % nx, y = 3 * j % ny, z = 5 * j % nz;
    if (z / planes != MYTHREAD) continue;
    const number sample = z_own[((size_t)(z % planes) * ny + y) * nx + x];
    real += creal(sample), imaginary += cimag(sample);
  }
  const double total = (double)nx * ny * nz;
  real = kernel_sum(real) / total, imaginary = kernel_sum(imaginary) / total;
  const double* expected = chosen->sums[step];
  const int is_right = fabs((real - expected[0]) / expected[0]) < 1e-12 && fabs((imaginary - expected[1]) / expected[1]) < 1e-12;
  if (!is_right && MYTHREAD == 0)
    fprintf(stderr, "upc_ft: sum %d is %.12e %.12e, not %.12e %.12e\n", step, real, imaginary, expected[0], expected[1]);
  return is_right;
}

static int solve(int variant) {
  int is_right = 1;
  set_field();
  transform_along_x(0);
  transform_along_y(0);
  upc_barrier;
  if (variant == 0) to_y_slabs_elegantly();
  else to_y_slabs_tuned();
  transform_along_z(y_own, 0);
  memcpy(spectrum, y_own, (size_t)rows * nx * nz * sizeof(number));
  for (int step = 0; step < steps; ++step) {
    upc_barrier;
    for (size_t i = 0; i < (size_t)rows * nx * nz; ++i) y_own[i] = spectrum[i] *= decay[i];
    transform_along_z(y_own, 1);
    upc_barrier;
    if (variant == 0) to_z_slabs_elegantly();
    else to_z_slabs_tuned();
    transform_along_y(1);
    transform_along_x(1);
    is_right = is_sum_right(step) && is_right;
  }
  return is_right;
}

static void prepare(void) {
  if (spectrum != NULL) return;
  nx = chosen->nx, ny = chosen->ny, nz = chosen->nz;
  if (ny % THREADS != 0 || nz % THREADS != 0) {
    if (MYTHREAD == 0)
      fprintf(stderr, "upc_ft: %d threads do not divide %d rows and %d planes; use a power of two\n", THREADS, ny, nz);
    exit(2);
  }
  planes = nz / THREADS, rows = ny / THREADS;
  const size_t count = (size_t)planes * ny * nx;
  z_slabs[MYTHREAD] = upc_alloc(count * sizeof(number));
  y_slabs[MYTHREAD] = upc_alloc(count * sizeof(number));
  z_own = (number*)z_slabs[MYTHREAD], y_own = (number*)y_slabs[MYTHREAD];
  spectrum = kernel_memory(count, sizeof(number));
  copied = kernel_memory(count / THREADS, sizeof(number));
  decay = kernel_memory(count, sizeof(double));
  set_decay();
  upc_barrier;
}

int kernel_has_size(const char* size) { return kernel_class(size) >= 0; }

struct kernel_result kernel_run(const char* size, int variant) {
  chosen = &problems[kernel_class(size)];
  prepare();
  upc_barrier;
  const double begin = kernel_seconds();
  const int is_right = solve(variant);
  return (struct kernel_result){kernel_seconds() - begin, is_right};
}
