// SPDX-License-Identifier: BSD-3-Clause
//
// An array of complex numbers in three dimensions, its first dimension divided over the ranks of a
// team, and its transpose. Copy it into programs of your own. All calls but those for planes are
// collective.
#pragma once

#include <apps/fft3d/problem.hpp>
#include <apps/trial/arena.hpp>
#include <atoll/core/strided/strided.hpp>

#include <algorithm>

namespace fft3d {

class distributed_array {
 public:
  /// An array [n0][n1][n2], of which each rank has some planes [n1][n2].
  distributed_array(atl::team& ranks, const extent& size)
      : size_(size),
        own_(planes_of(ranks, ranks.rank())),
        memory_(std::make_unique<trial::arena>(ranks, bytes_of(own_.count * size.n1 * size.n2))),
        values_(memory_->take<complex>(own_.count * size.n1 * size.n2)) {}

  range planes() const { return own_; }
  complex* plane(std::size_t local) { return values_ + local * size_.n1 * size_.n2; }

  /// to[j][i] = from[i][j], rows of n2 numbers: plane by plane, to each rank the rows that it owns.
  friend void transpose(const distributed_array& from, distributed_array& to) {
    atl::team& ranks = from.memory_->team();
    ranks.barrier();  // no rank uses the old content of `to` any more
    for (std::size_t i = 0; i < from.own_.count; ++i)
      for (unsigned peer = 0; peer < ranks.size(); ++peer) from.put_rows(i, peer, to);
    ranks.owner().wait_implicit(true, false);
    ranks.barrier();
  }

 private:
  static constexpr std::size_t bytes = sizeof(complex);
  static std::size_t bytes_of(std::size_t count) {
    return std::max<std::size_t>(trial::arena::bytes_of(count, bytes), trial::arena::alignment);
  }

  range planes_of(const atl::team& ranks, unsigned rank) const {
    return trial::part_of(size_.n0, ranks.size(), rank);
  }

  void put_rows(std::size_t plane, unsigned peer, distributed_array& to) const {
    const range rows = to.planes_of(memory_->team(), peer);
    const auto near = static_cast<std::ptrdiff_t>(size_.n2 * bytes);
    const auto apart = static_cast<std::ptrdiff_t>(size_.n0 * size_.n2 * bytes);
    atl::put_nbi(memory_->job().primordial(), peer,
                 atl::strided_transfer{.to = to.memory_->peer_address(peer, to.values_) +
                                             (own_.first + plane) * size_.n2,
                                       .to_strides = {&apart, 1},
                                       .from = values_ + (plane * size_.n1 + rows.first) * size_.n2,
                                       .from_strides = {&near, 1},
                                       .element_bytes = size_.n2 * bytes,
                                       .counts = {&rows.count, 1}});
  }

  extent size_;
  range own_;
  std::unique_ptr<trial::arena> memory_;
  complex* values_;
};

}  // namespace fft3d
