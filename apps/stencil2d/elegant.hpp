// SPDX-License-Identifier: BSD-3-Clause
//
// The variant that is written to be read.
#pragma once

#include <apps/stencil2d/comparison.hpp>
#include <apps/stencil2d/halo_array.hpp>

namespace stencil2d {

class elegant final : public variant {
 public:
  static std::size_t bytes_needed(const setting& given) {
    return 2 * halo_block::bytes_needed(given.domain);
  }

  elegant(arena& from, const setting& given)
      : w(given), u(from, given.domain, given.rank), v(from, given.domain, given.rank) {}

  std::string_view name() const override { return "elegant"; }
  double* field() override { return u.data(); }
  void run(unsigned steps) override;

 private:
  const setting& w;  // the weights, as an operator on arrays
  halo_array u;
  halo_array v;
};

}  // namespace stencil2d
