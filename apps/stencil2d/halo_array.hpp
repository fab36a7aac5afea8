// SPDX-License-Identifier: BSD-3-Clause
//
// A distributed array of two dimensions, to be used in a program as in mathematics:
//
//     u.exchange();   neighbours get what they need of u
//     v = w * u;      v(x) = sum over d of w(d) u(x + d)
//     swap(u, v);
//
// A product waits for the halo only where it needs it: when the halo is not there yet, all points
// that do without are computed first, so that computing and the exchange overlap without a word
// about it in the program. The rule of halo_block.hpp holds: arrays take turns.
#pragma once

#include <apps/stencil2d/halo_block.hpp>

#include <memory>
#include <utility>

namespace stencil2d {

/// Computes the points `where` of `out` from `in` and its halo; both are starts of a block's
/// memory.
template <class Operator>
concept region_operator = requires(const Operator& by, const double* in, double* out, rect where) {
  by.apply(in, out, where);
};

class halo_array {
 public:
  /// One of the arrays of `from`'s team; it takes halo_block::bytes_needed(domain) of it.
  halo_array(arena& from, const layout& domain, unsigned rank)
      : mine_(std::make_unique<halo_block>(from, domain, rank)) {}

  double* data() noexcept { return mine_->data(); }
  void exchange() noexcept { mine_->exchange(); }
  void finish() noexcept { mine_->finish(); }

  template <region_operator Operator>
  struct product {
    const Operator& by;
    halo_array& of;
  };

  template <region_operator Operator>
  halo_array& operator=(product<Operator> the) {
    halo_block& u = *the.of.mine_;
    const cut_block& cuts = u.cuts();
    if (u.here() || cuts.inner.points() < worth_cutting) {
      u.wait();
      the.by.apply(u.data(), data(), u.shape().whole());
    } else {
      the.by.apply(u.data(), data(), cuts.inner);
      u.wait();
      for (const rect& side : cuts.sides) the.by.apply(u.data(), data(), side);
    }
    return *this;
  }

  friend void swap(halo_array& a, halo_array& b) noexcept { a.mine_.swap(b.mine_); }

 private:
  static constexpr std::size_t worth_cutting = 4096;  // points; fewer are done while one would look

  std::unique_ptr<halo_block> mine_;
};

template <region_operator Operator>
halo_array::product<Operator> operator*(const Operator& by, halo_array& of) noexcept {
  return {by, of};
}

}  // namespace stencil2d
