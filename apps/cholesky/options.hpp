// SPDX-License-Identifier: BSD-3-Clause
//
// The size of the matrix and of its tiles, for the program in UPC++ and for its twins for MPI,
// which differ in their variants.
#pragma once

#include <apps/trial/trial.hpp>

#include <algorithm>
#include <cstddef>

namespace cholesky {

struct setting {
  std::size_t n = 1024;      // rows and columns of the matrix
  std::size_t tile = 128;    // rows and columns of a tile
  std::string picture_path;  // empty: no picture
};

/// Rows and columns of a tile: no more than the matrix has.
inline std::size_t tile_size(const setting& chosen) { return std::min(chosen.tile, chosen.n); }

class program final : public trial::program {
 public:
  program(std::vector<std::string> variants, bool draws)
      : variants_(std::move(variants)), draws_(draws) {}

  std::string_view app() const override { return "cholesky"; }
  std::string_view about() const override;
  std::vector<std::string> variants() const override { return variants_; }
  void add_options(CLI::App& app) override;
  std::vector<trial::output_file> files() const override {
    return {{"--png", chosen_.picture_path}};
  }
  trial::work plan(unsigned ranks, const std::vector<std::string>& names) const override;
  const setting& chosen() const { return chosen_; }

 private:
  std::vector<std::string> variants_;
  bool draws_;
  setting chosen_;
};

}  // namespace cholesky
