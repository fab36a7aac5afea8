// SPDX-License-Identifier: BSD-3-Clause
//
// The size of the transform and how FFTW plans, for the program on Atoll and for its twin for MPI,
// which differ in their variants.
#pragma once

#include <apps/trial/trial.hpp>

#include <cstddef>

namespace fft3d {

/// Points in each dimension; the last is contiguous in memory.
struct extent {
  std::size_t n0 = 128;
  std::size_t n1 = 128;
  std::size_t n2 = 128;

  std::size_t points() const { return n0 * n1 * n2; }
};

struct setting {
  extent size;
  unsigned planning = 0;  // FFTW's flag
};

class program final : public trial::program {
 public:
  explicit program(std::vector<std::string> variants) : variants_(std::move(variants)) {}

  std::string_view app() const override { return "fft3d"; }
  std::string_view about() const override;
  std::vector<std::string> variants() const override { return variants_; }
  /// Without pencils where the ranks make none.
  std::vector<std::string> usual(unsigned ranks) const override;
  void add_options(CLI::App& app) override;
  trial::work plan(unsigned ranks, const std::vector<std::string>& names) const override;
  const setting& chosen() const { return chosen_; }

 private:
  std::vector<std::string> variants_;
  setting chosen_;
};

}  // namespace fft3d
