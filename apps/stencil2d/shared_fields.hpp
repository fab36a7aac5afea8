// SPDX-License-Identifier: BSD-3-Clause
//
// The common part of the explicit variants: two fields in memory that all ranks reach, the
// transfers between them, each a strided put or get directly between border and halo, and a
// handshake.
//
// The two fields alternate, so a field may always be overwritten: the values of step n replace
// those of step n - 2, and a rank only reaches step n after all its neighbours have reached step n
// - 1, which they do when they have finished reading the values of step n - 2.
#pragma once

#include <apps/stencil2d/comparison.hpp>
#include <apps/stencil2d/handshake.hpp>
#include <atoll/core/strided/strided.hpp>

#include <array>
#include <memory>
#include <utility>
#include <vector>

namespace stencil2d {

class shared_fields {
 public:
  static std::size_t bytes_needed(const setting& given) {
    return 2 * arena::bytes_of(given.local.elements, sizeof(double)) + handshake::bytes_needed;
  }

  shared_fields(arena& from, const setting& given);
  shared_fields(const shared_fields&) = delete;
  shared_fields& operator=(const shared_fields&) = delete;

  const setting& given() const noexcept { return given_; }
  const cut_block& cuts() const noexcept { return cuts_; }
  handshake& flags() noexcept { return flags_; }
  atl::team& team() noexcept { return from_.team(); }
  double* now() noexcept { return now_; }

  /// Puts the border into the neighbour's halo, or gets the halo from the neighbour's border.
  void put_border(std::size_t direction) noexcept;
  void get_halo(std::size_t direction) noexcept;
  void finish() noexcept { from_.job().wait_implicit(true, true); }
  /// A bit for each direction in which this rank is its own neighbour.
  unsigned own_directions() const noexcept;

  /// Computes the next values of these points.
  void compute(const rect& region) { given_.apply(now_, next_, region); }
  void compute_all() { compute(given_.local.bounds()); }
  void compute_sides() {
    for (const rect& side : cuts_.sides) compute(side);
  }
  void next_step() noexcept { std::swap(now_, next_); }

 private:
  // The transfer with the neighbour in one direction: rows of the own field and of the neighbour's.
  struct link {
    atl::rank_id rank;
    std::ptrdiff_t border;
    std::ptrdiff_t its_halo;
    extent sends;
    std::ptrdiff_t halo;
    std::ptrdiff_t its_border;
    extent gets;
  };

  const setting& given_;
  const arena& from_;
  cut_block cuts_;
  double* now_;
  double* next_;
  handshake flags_;
  std::array<link, 8> links_;
  std::ptrdiff_t pitch_bytes_;  // of all rows, everywhere
};

/// The variants *trivial*, *put*, *get*, *get0* and *get1* on the same fields.
std::vector<std::unique_ptr<variant>> explicit_variants(
    const std::shared_ptr<shared_fields>& fields);

}  // namespace stencil2d
