// SPDX-License-Identifier: BSD-3-Clause
//
// The physics: n spins 1/2 on a line or ring,
//
//     H = J sum Sz_i Sz_(i+1) + Gamma sum Sx_i,        S = sigma / 2.
//
// A basis state is an integer whose bit i is 1 where spin i points down. Sz Sz is diagonal in it:
// a bond of equal bits has energy +J/4, of different bits -J/4. Sx_i flips bit i, with weight
// Gamma/2. Everything here is a pure function of the parameters; nothing knows about ranks.
#pragma once

#include <cstdint>

namespace spin {

/// Bits of a basis state, site 0 lowest.
using state_id = std::uint64_t;

struct chain {
  unsigned sites = 20;
  double coupling = 1.0;  // J; positive is antiferromagnetic
  double field = 0.5;     // Gamma
  bool periodic = true;   // a bond joins the last site to the first

  state_id states() const noexcept { return state_id{1} << sites; }
  unsigned bonds() const noexcept { return periodic ? sites : sites - 1; }
  /// The matrix element of one flip.
  double flip() const noexcept { return field / 2; }
};

/// The energy of bonds first, first + 1, ..., last - 1; bond b joins sites b and (b + 1) mod n.
double bond_energy(const chain& model, state_id state, unsigned first, unsigned last) noexcept;

/// The diagonal element of H at `state`.
inline double diagonal_energy(const chain& model, state_id state) noexcept {
  return bond_energy(model, state, 0, model.bonds());
}

}  // namespace spin
