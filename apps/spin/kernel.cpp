// SPDX-License-Identifier: BSD-3-Clause
//
// The kernels, compiled once per instruction set, with ATOLL_SPIN_LANES doubles per register and
// ATOLL_SPIN_KERNELS naming the table that the file defines. Four registers of amplitudes are held
// at a time. A flip of a bit inside a register is a shuffle, a flip of the next two bits picks
// another register, and a flip of a higher bit takes one address and four loads from the
// first-level cache. So the arithmetic is one addition per flip and register, at the limit of two
// vector adders.
//
// No function here may be shared with code compiled for another instruction set: everything but
// the table has internal linkage, and nothing from the standard library is called.
#include <apps/spin/kernel.hpp>

#include <utility>

namespace spin {
namespace {

constexpr unsigned lane_count = ATOLL_SPIN_LANES;
constexpr unsigned lane_bits = lane_count == 8 ? 3 : lane_count == 4 ? 2 : 1;
constexpr unsigned group_bits = lane_bits + 2;  // four registers
constexpr unsigned group = 1U << group_bits;
constexpr unsigned run = 32;  // amplitudes that share one entry of block_diagonal::mid

using lanes [[gnu::vector_size(lane_count * sizeof(double)), gnu::may_alias]] = double;

// Inlining is forced because a vector that is passed by value would depend on the instruction set.
#define ATOLL_SPIN_INLINE [[gnu::always_inline]] static inline

ATOLL_SPIN_INLINE const lanes& as_lanes(const double* from) {
  return *reinterpret_cast<const lanes*>(from);
}
ATOLL_SPIN_INLINE lanes& as_lanes(double* to) { return *reinterpret_cast<lanes*>(to); }

template <int Bit, int... Lane>
ATOLL_SPIN_INLINE lanes flipped(const lanes& x, std::integer_sequence<int, Lane...>) {
  return __builtin_shufflevector(x, x, (Lane ^ Bit)...);
}

// The sum of the flips of all bits inside a register.
ATOLL_SPIN_INLINE lanes flips_inside(const lanes& x) {
  constexpr auto indices = std::make_integer_sequence<int, static_cast<int>(lane_count)>();
  lanes sum = flipped<1>(x, indices);
  if constexpr (lane_bits > 1) sum += flipped<2>(x, indices);
  if constexpr (lane_bits > 2) sum += flipped<4>(x, indices);
  return sum;
}

struct registers {
  lanes a, b, c, d;
};

ATOLL_SPIN_INLINE void add(registers& sum, const double* from) {
  sum.a += as_lanes(from);
  sum.b += as_lanes(from + lane_count);
  sum.c += as_lanes(from + 2 * lane_count);
  sum.d += as_lanes(from + 3 * lane_count);
}

// Copies of the values that the loops read often. Through a reference the compiler would have to
// read them again after each store to `out`.
struct group_work {
  block_work block;
  block_factors factors;
};

// One group of amplitudes from place j; `low` are its entries of the diagonal's low table.
ATOLL_SPIN_INLINE void apply_group(const group_work& work, std::size_t j, const double* low,
                                   double level) {
  const double* const block = work.block.in;
  const double* const in = block + j;
  const registers x{as_lanes(in), as_lanes(in + lane_count), as_lanes(in + 2 * lane_count),
                    as_lanes(in + 3 * lane_count)};
  registers sum{flips_inside(x.a) + (x.b + x.c), flips_inside(x.b) + (x.a + x.d),
                flips_inside(x.c) + (x.a + x.d), flips_inside(x.d) + (x.b + x.c)};
  for (std::size_t flip = group; flip < std::size_t{1} << work.block.bits; flip *= 2)
    add(sum, block + (j ^ flip));
  for (std::size_t stream = 0; stream < work.block.more.count; ++stream)
    add(sum, work.block.more.blocks[stream] + j);
  const lanes energies[] = {as_lanes(low) + level, as_lanes(low + lane_count) + level,
                            as_lanes(low + 2 * lane_count) + level,
                            as_lanes(low + 3 * lane_count) + level};
  const block_factors factors = work.factors;
  lanes* const out = &as_lanes(work.block.out + j);
  out[0] = factors.scale * energies[0] * x.a + factors.flip * sum.a - factors.previous * out[0];
  out[1] = factors.scale * energies[1] * x.b + factors.flip * sum.b - factors.previous * out[1];
  out[2] = factors.scale * energies[2] * x.c + factors.flip * sum.c - factors.previous * out[2];
  out[3] = factors.scale * energies[3] * x.d + factors.flip * sum.d - factors.previous * out[3];
}

void apply(const block_work& given, const block_diagonal& diagonal, const block_factors& factors) {
  const group_work work{given, factors};
  const std::size_t runs = (std::size_t{1} << work.block.bits) / run;
  for (std::size_t half = 0; half < 2; ++half) {
    for (std::size_t r = half * runs / 2; r < (half + 1) * runs / 2; ++r) {
      const double level = diagonal.mid[r] + diagonal.base[half];
      const double* const low = diagonal.low[half] + (r & 1) * run;
      for (std::size_t part = 0; part < run; part += group)
        apply_group(work, r * run + part, low + part, level);
    }
  }
}

ATOLL_SPIN_INLINE double total(const registers& sum) {
  const lanes sums = (sum.a + sum.b) + (sum.c + sum.d);
  double result = 0;
  for (unsigned lane = 0; lane < lane_count; ++lane) result += sums[lane];
  return result;
}

double add_and_dot(const block_work& given, double factor) {
  const block_work work = given;
  registers dot{};
  for (std::size_t j = 0; j < std::size_t{1} << work.bits; j += group) {
    registers sum{};
    for (std::size_t stream = 0; stream < work.more.count; ++stream)
      add(sum, work.more.blocks[stream] + j);
    lanes* const result = &as_lanes(work.out + j);
    const lanes* const x = &as_lanes(work.in + j);
    dot.a += x[0] * (result[0] += factor * sum.a);
    dot.b += x[1] * (result[1] += factor * sum.b);
    dot.c += x[2] * (result[2] += factor * sum.c);
    dot.d += x[3] * (result[3] += factor * sum.d);
  }
  return total(dot);
}

double subtract(const block_work& given, double factor) {
  const block_work work = given;
  registers squares{};
  for (std::size_t j = 0; j < std::size_t{1} << work.bits; j += group) {
    lanes* const result = &as_lanes(work.out + j);
    const lanes* const x = &as_lanes(work.in + j);
    for (unsigned place = 0; place < 4; ++place) result[place] -= factor * x[place];
    squares.a += result[0] * result[0];
    squares.b += result[1] * result[1];
    squares.c += result[2] * result[2];
    squares.d += result[3] * result[3];
  }
  return total(squares);
}

}  // namespace

#define ATOLL_SPIN_TEXT(name) #name
#define ATOLL_SPIN_NAME(name) ATOLL_SPIN_TEXT(name)

extern const kernels ATOLL_SPIN_KERNELS;
const kernels ATOLL_SPIN_KERNELS{ATOLL_SPIN_NAME(ATOLL_SPIN_KERNELS), apply, add_and_dot, subtract};

}  // namespace spin
