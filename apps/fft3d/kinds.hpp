// SPDX-License-Identifier: BSD-3-Clause
//
// The variants on Atoll by name: how planes travel, when, and over which grid of ranks.
#pragma once

#include <apps/trial/ranges.hpp>

#include <array>
#include <cstdint>
#include <string_view>

namespace fft3d {

/// How planes travel: in one blocking all-to-all, in several non-blocking ones, or by puts.
enum class transport : std::uint8_t { blocking, slabs, puts };

/// When numbers travel: while planes are computed, or after all of them have been.
enum class overlap : std::uint8_t { early, late };

struct kind {
  const char* name;
  transport by;
  overlap timing;
  bool has_pencils;
};

inline constexpr std::array kinds{kind{"alltoall", transport::blocking, overlap::late, false},
                                  kind{"slabs", transport::slabs, overlap::early, false},
                                  kind{"slabs_late", transport::slabs, overlap::late, false},
                                  kind{"puts", transport::puts, overlap::early, false},
                                  kind{"puts_late", transport::puts, overlap::late, false},
                                  kind{"pencil_alltoall", transport::blocking, overlap::late, true},
                                  kind{"pencil_slabs", transport::slabs, overlap::early, true},
                                  kind{"pencil_slabs_late", transport::slabs, overlap::late, true},
                                  kind{"pencil_puts", transport::puts, overlap::early, true},
                                  kind{"pencil_puts_late", transport::puts, overlap::late, true}};

/// The kind of this name; null for other names: `elegant`, and those of MPI's variants.
constexpr const kind* find_kind(std::string_view name) {
  for (const kind& each : kinds)
    if (name == each.name) return &each;
  return nullptr;
}

inline constexpr const char* elegant_name = "elegant";

/// The grid of a kind of variant. Its columns are at most as many as its rows, and one for slabs.
constexpr trial::grid grid_of(unsigned ranks, bool has_pencils) {
  if (!has_pencils) return {ranks, 1};
  const trial::grid wide = trial::square_grid(ranks);
  return {wide.columns, wide.rows};
}

/// False when the only grid is one of slabs: for one rank and prime numbers of ranks.
constexpr bool makes_pencils(unsigned ranks) { return grid_of(ranks, true).columns > 1; }

}  // namespace fft3d
