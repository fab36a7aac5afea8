// SPDX-License-Identifier: BSD-3-Clause
//
// The exact ground-state energy, for any finite number of sites, to check the iteration against.
// The transverse-field Ising chain is free fermions in disguise (Jordan and Wigner 1928; Lieb,
// Schultz and Mattis 1961; Pfeuty 1970), so its lowest energy is a sum over n modes.
#pragma once

#include <apps/spin/chain.hpp>

namespace spin {

/// The lowest eigenvalue of H, right to a few units in the last place. Any sign of J and Gamma,
/// even and odd n, both boundaries; n >= 3 where periodic, n >= 2 where open.
double exact_ground_energy(const chain& model);

}  // namespace spin
