// SPDX-License-Identifier: BSD-3-Clause
//
// Energies of single basis states. Simple rather than fast: the kernel tabulates what it needs of
// them (local_operator.hpp), so this runs a few thousand times per job and in tests.
#include <apps/spin/chain.hpp>

namespace spin {

double bond_energy(const chain& model, state_id state, unsigned first, unsigned last) noexcept {
  int sum = 0;
  for (unsigned bond = first; bond < last; ++bond) {
    const unsigned next = bond + 1 == model.sites ? 0 : bond + 1;
    sum += ((state >> bond ^ state >> next) & 1) == 0 ? 1 : -1;
  }
  return model.coupling / 4 * sum;
}

}  // namespace spin
