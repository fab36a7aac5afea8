// SPDX-License-Identifier: BSD-3-Clause
//
// The images of the current team as a group, and the variants that are written in Fortran
// (coarray_variants.f90). The functions declared here are its procedures.
#pragma once

#include <apps/stencil2d/comparison.hpp>

#include <cstdint>

namespace stencil2d {

/// Types of the Fortran module, of the same layout.
struct coarray_link {
  int place[2];
  int is_own;
  int border[4];
  int halo[4];
  int their_border[4];
  int their_halo[4];
};
struct coarray_plan {
  int columns;
  int lower[2];
  int upper[2];
  int is_odd;
  int needs[8];
  coarray_link to[8];
};

extern "C" {
int coarray_this_image();
int coarray_num_images();
void coarray_sync_all();
void coarray_sum_reals(double* numbers, int count);
void coarray_sum_integer(std::int64_t* number);
void coarray_run_on_first(int count, void (*run)(void* context), void* context);
void coarray_make_fields(const coarray_plan* given, double** first, double** second);
void coarray_end_fields();
int coarray_turn();
void coarray_run(int way, int steps, void (*compute)(void* context, int turn, int part),
                 void* context);
}

/// Names of the variants, in the order in which they run.
std::vector<std::string> coarray_variants();

/// Constructed and destroyed by all images of the team.
class coarray_group final : public rank_group {
 public:
  coarray_group() = default;
  coarray_group(const coarray_group&) = delete;
  coarray_group& operator=(const coarray_group&) = delete;
  ~coarray_group() override {
    if (has_fields_) coarray_end_fields();
  }

  unsigned rank() const override { return static_cast<unsigned>(coarray_this_image() - 1); }
  unsigned size() const override { return static_cast<unsigned>(coarray_num_images()); }
  void barrier() override { coarray_sync_all(); }
  void add(std::span<double> numbers) override;
  void add(std::uint64_t& number) override;
  std::vector<std::unique_ptr<variant>> variants(const setting& given,
                                                 const std::vector<std::string>& names) override;

 private:
  bool has_fields_ = false;
};

}  // namespace stencil2d
