// SPDX-License-Identifier: BSD-3-Clause
//
// A distributed array of two dimensions, to be used in a program as in mathematics:
//
//     u.exchange();   sends the border of u to the neighbours
//     v = w * u;      v(x) = sum over d of w(d) u(x + d)
//     swap(u, v);
//
// A product is computed when it is needed, which is in its exchange in the next turn: then the
// border is computed first and travels while the rest is computed. So communication and computing
// overlap without any statement in the program. halo_block.hpp does the work and states the one
// rule.
#pragma once

#include <apps/stencil2d/halo_block.hpp>

#include <concepts>
#include <memory>

namespace stencil2d {

/// Computes the points of `region` in `out` from `in` and its halo; both are starts of a block's
/// memory.
template <class Operator>
concept region_operator = requires(const Operator& stencil, const double* in, double* out,
                                   rect region) { stencil.apply(in, out, region); };

class halo_array {
 public:
  /// An array over `from`'s team; it takes halo_block::bytes_needed(domain) bytes of the arena.
  halo_array(arena& from, const layout& domain, unsigned rank)
      : block_(std::make_unique<halo_block>(from, domain, rank)) {}

  /// The start of this rank's block in memory, all values computed.
  double* data() { return block_->data(); }
  void exchange() { block_->exchange(); }
  /// Call it before the array ends: completes all computing and all sending.
  void finish() { block_->finish(); }

  template <region_operator Operator>
  struct product {
    const Operator& stencil;
    halo_array& array;
  };

  template <region_operator Operator>
  halo_array& operator=(product<Operator> the) {
    const auto apply = [](const void* stencil, const double* in, double* out, const rect& region) {
      static_cast<const Operator*>(stencil)->apply(in, out, region);
    };
    block_->assign({&the.stencil, apply}, *the.array.block_);
    return *this;
  }

  friend void swap(halo_array& a, halo_array& b) noexcept { a.block_.swap(b.block_); }

 private:
  std::unique_ptr<halo_block> block_;
};

/// The operator must live until the product is computed, so it must not be a temporary.
template <region_operator Operator>
halo_array::product<Operator> operator*(const Operator& stencil, halo_array& array) noexcept {
  return {stencil, array};
}
template <region_operator Operator>
halo_array::product<Operator> operator*(const Operator&& stencil, halo_array& array) = delete;

}  // namespace stencil2d
