// SPDX-License-Identifier: BSD-3-Clause
//
// The size of the product, for the program on Atoll and for its twins for MPI, which differ in
// their variants.
#pragma once

#include <apps/trial/trial.hpp>

#include <algorithm>
#include <cstddef>

namespace matmul {

struct setting {
  std::size_t n = 1024;      // rows and columns of the matrices
  std::size_t panel = 256;   // columns of A and rows of B that travel at a time
  std::string picture_path;  // empty: no picture
};

inline constexpr const char* layers_name = "layers";
inline constexpr const char* library_name = "library";

/// Columns of A in a panel: no more than there are.
inline std::size_t panel_width(const setting& chosen) { return std::min(chosen.panel, chosen.n); }

class program final : public trial::program {
 public:
  /// For MPI.
  explicit program(std::vector<std::string> variants) : variants_(std::move(variants)) {}
  /// On Atoll, where a schedule can be drawn.
  program(std::vector<std::string> variants, std::vector<std::string> measures)
      : variants_(std::move(variants)), measures_(std::move(measures)), draws_(true) {}

  std::string_view app() const override { return "matmul"; }
  std::string_view about() const override;
  std::vector<std::string> variants() const override { return variants_; }
  std::vector<std::string> measures() const override { return measures_; }
  void add_options(CLI::App& app) override;
  std::vector<trial::output_file> files() const override {
    return {{"--png", chosen_.picture_path}};
  }
  trial::work plan(unsigned ranks, const std::vector<std::string>& names) const override;
  const setting& chosen() const { return chosen_; }

 private:
  std::vector<std::string> variants_;
  std::vector<std::string> measures_;
  bool draws_ = false;
  setting chosen_;
};

}  // namespace matmul
