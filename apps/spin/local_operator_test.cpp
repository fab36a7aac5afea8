// SPDX-License-Identifier: BSD-3-Clause
//
// Tests every kernel that this processor can run against the definition of H, element by element:
// vectors smaller than a block, of one block and of several, on the first rank and on others, where
// bonds to the bits above matter.
#include <apps/spin/local_operator.hpp>

#include <gtest/gtest.h>

#include <cmath>
#include <cstdlib>
#include <memory>
#include <random>
#include <string>
#include <vector>

namespace spin {
namespace {

struct free_memory {
  void operator()(double* p) const { std::free(p); }
};
using aligned = std::unique_ptr<double[], free_memory>;

aligned random_vector(std::size_t count, unsigned seed) {
  aligned values(static_cast<double*>(std::aligned_alloc(64, (count * 8 + 63) / 64 * 64)));
  std::mt19937 random(seed);
  std::uniform_real_distribution<double> spread(-1, 1);
  for (std::size_t i = 0; i < count; ++i) values[i] = spread(random);
  return values;
}

std::vector<double> by_definition(const chain& model, const local_states& states, const double* out,
                                  const double* in, apply_factors factors) {
  std::vector<double> expected(states.count());
  for (std::size_t i = 0; i < states.count(); ++i) {
    double sum = diagonal_energy(model, states.first + i) * in[i];
    for (unsigned bit = 0; bit < states.local_bits; ++bit)
      sum += model.flip() * in[i ^ std::size_t{1} << bit];
    expected[i] = factors.scale * sum - factors.previous * out[i];
  }
  return expected;
}

void expect_apply(const chain& model, const local_states& states, const kernels& use) {
  SCOPED_TRACE(std::string(use.name) + ", n = " + std::to_string(model.sites) + ", local bits " +
               std::to_string(states.local_bits) + ", first " + std::to_string(states.first));
  const local_operator h(model, states, use);
  const aligned in = random_vector(states.count(), 1);
  const aligned out = random_vector(states.count(), 2);
  constexpr apply_factors factors{.scale = 0.7, .previous = 0.3};
  const auto expected = by_definition(model, states, out.get(), in.get(), factors);
  for (std::size_t block = 0; block < h.blocks(); ++block)
    h.apply(out.get(), in.get(), block, factors);
  for (std::size_t i = 0; i < states.count(); ++i) ASSERT_NEAR(out[i], expected[i], 1e-13) << i;
}

TEST(local_operator, applies_the_definition_of_the_model) {
  const kernel_list usable = usable_kernels();
  for (std::size_t k = 0; k < usable.count; ++k) {
    for (const unsigned bits : {2U, 5U, 6U, 7U, 11U, 12U, 13U, 15U}) {
      for (const unsigned ranks_bits : {0U, 1U, 3U}) {
        for (const bool periodic : {true, false}) {
          const chain model{bits + ranks_bits, 1.3, -0.45, periodic};
          for (state_id rank = 0; rank < state_id{1} << ranks_bits; ++rank)
            expect_apply(model, {rank << bits, bits}, *usable.entries[k]);
        }
      }
    }
  }
}

TEST(local_operator, adds_streams_and_returns_the_dot_product) {
  const kernel_list usable = usable_kernels();
  for (std::size_t k = 0; k < usable.count; ++k) {
    for (const unsigned bits : {3U, 6U, 9U}) {
      const local_operator h({.sites = bits}, {0, bits}, *usable.entries[k]);
      const std::size_t count = std::size_t{1} << bits;
      const aligned in = random_vector(count, 1), out = random_vector(count, 2);
      const aligned first = random_vector(count, 3), second = random_vector(count, 4);
      const double* streams[] = {first.get(), second.get()};
      double expected = 0;
      std::vector<double> sums(count);
      for (std::size_t i = 0; i < count; ++i) {
        sums[i] = out[i] + 0.25 * (first[i] + second[i]);
        expected += sums[i] * in[i];
      }
      EXPECT_NEAR(h.add_and_dot(out.get(), in.get(), 0, {streams, 2}, 0.25), expected, 1e-13);
      for (std::size_t i = 0; i < count; ++i) ASSERT_NEAR(out[i], sums[i], 1e-15);
    }
  }
}

TEST(local_operator, subtracts_and_returns_the_sum_of_squares) {
  const kernel_list usable = usable_kernels();
  for (std::size_t k = 0; k < usable.count; ++k) {
    for (const unsigned bits : {4U, 6U, 8U}) {
      const local_operator h({.sites = bits}, {0, bits}, *usable.entries[k]);
      const std::size_t count = std::size_t{1} << bits;
      const aligned in = random_vector(count, 1), out = random_vector(count, 2);
      double expected = 0;
      for (std::size_t i = 0; i < count; ++i) expected += std::pow(out[i] - 0.6 * in[i], 2);
      EXPECT_NEAR(h.subtract(out.get(), in.get(), 0, 0.6), expected, 1e-12);
    }
  }
}

}  // namespace
}  // namespace spin
