// SPDX-License-Identifier: BSD-3-Clause
//
// Tests every kernel against the plain sum, with weights without any symmetry, at all special radii
// and a general one, and in regions of every width around that of a register.
#include <apps/stencil2d/kernel.hpp>

#include <gtest/gtest.h>

#include <cmath>
#include <random>
#include <vector>

namespace stencil2d {
namespace {

constexpr int side = 48;
constexpr int halo = 6;
constexpr int pitch = side + 2 * halo;

struct fields {
  std::vector<double> in = std::vector<double>(pitch * pitch);
  std::vector<double> out = std::vector<double>(pitch * pitch, -1);
  std::vector<double> weights;

  explicit fields(int radius) : weights((2 * radius + 1) * (2 * radius + 1)) {
    std::mt19937 random(static_cast<unsigned>(radius));
    std::uniform_real_distribution<double> number(-1, 1);
    for (double& each : in) each = number(random);
    for (double& each : weights) each = number(random);
  }
};

int place(int x, int y) { return (y + halo) * pitch + x + halo; }

double expected(const fields& sample, int radius, bool fused, int x, int y) {
  double sum = 0;
  const double* weight = sample.weights.data();
  for (int dy = -radius; dy <= radius; ++dy) {
    for (int dx = -radius; dx <= radius; ++dx, ++weight) {
      const double value = sample.in[place(x + dx, y + dy)];
      const volatile double product = *weight * value;
      sum = fused ? std::fma(*weight, value, sum) : sum + product;
    }
  }
  return sum;
}

// Computes a region with one kernel; returns how many points of the field are wrong.
int wrong_points(const kernel& tested, int radius, int width, int height) {
  fields sample(radius);
  tested.apply({&sample.in[place(0, 0)], &sample.out[place(0, 0)], pitch, width, height},
               {sample.weights.data(), radius});
  int wrong = 0;
  for (int y = -halo; y < side + halo; ++y) {
    for (int x = -halo; x < side + halo; ++x) {
      const bool inside = x >= 0 && x < width && y >= 0 && y < height;
      wrong +=
          sample.out[place(x, y)] != (inside ? expected(sample, radius, tested.fused, x, y) : -1);
    }
  }
  return wrong;
}

TEST(kernel, makes_the_bits_of_the_plain_sum_in_regions_of_any_size) {
  const kernel_list kernels = usable_kernels();
  for (std::size_t i = 0; i < kernels.count; ++i) {
    for (int radius = 1; radius <= halo; ++radius) {
      for (const int width : {1, 2, 3, 4, 5, 7, 8, 9, 15, 16, 17, 31, side})
        EXPECT_EQ(wrong_points(*kernels.entries[i], radius, width, 6), 0)
            << kernels.entries[i]->name << ", radius " << radius << ", width " << width;
      for (const int height : {1, 2, 3, 4, 5, 8, side})
        EXPECT_EQ(wrong_points(*kernels.entries[i], radius, 19, height), 0)
            << kernels.entries[i]->name << ", radius " << radius << ", height " << height;
    }
  }
}

TEST(kernel, that_is_chosen_is_the_last_that_can_run) {
  const kernel_list kernels = usable_kernels();
  EXPECT_EQ(&best_kernel(), kernels.entries[kernels.count - 1]);
  EXPECT_EQ(kernels.entries[0]->name, "baseline");
}

}  // namespace
}  // namespace stencil2d
