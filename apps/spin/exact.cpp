// SPDX-License-Identifier: BSD-3-Clause
//
// With the spins rotated so that the field lies along z, H = -h sum (1 - 2 c^ c) - t sum (c^ - c)
// (c^ + c), where h = |Gamma|/2 (its sign is a rotation) and t = -J/4. On a ring the last hop takes
// a sign that depends on the parity of the number of fermions, so each parity has wave numbers of
// its own, and within it only states of that parity count: k = (2m+1) pi/n for even numbers of
// fermions, 2m pi/n for odd ones. Pairs (k, -k) have an even ground state. The modes k = 0 and
// k = pi stand alone; their energies are signed and decide the parity of the lowest filling, and
// where that is the wrong one the cheapest mode is filled or emptied. The lower of both sectors
// wins. This covers the frustrated ring (J > 0, odd n), where the cheapest mode costs about J/2.
//
// An open chain has no such sign: all fillings count, and the mode energies are twice the singular
// values of the bidiagonal matrix with h on its diagonal and -t above it, that is, the positive
// eigenvalues of a tridiagonal matrix of size 2n with a diagonal of zeros.
#include <apps/spin/exact.hpp>
#include <apps/spin/tridiagonal.hpp>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>
#include <vector>

namespace spin {
namespace {

// The lowest energy on the ring among fillings of one parity.
double sector_energy(const chain& model, bool even) {
  const double h = std::abs(model.field) / 2;
  const double t = -model.coupling / 4;
  const unsigned n = model.sites;
  double sum = 0;
  double cheapest = std::numeric_limits<double>::max();
  bool filled_evenly = true;
  for (unsigned mode = 0; mode < n; ++mode) {
    const unsigned steps = 2 * mode + (even ? 1 : 0);  // k = steps pi / n, from 0 to below 2 pi
    const double k = std::numbers::pi * steps / n;
    double energy = 2 * std::hypot(h - t * std::cos(k), t * std::sin(k));
    if (steps == 0 || steps == n) {
      const double alone = 2 * (steps == 0 ? h - t : h + t);
      if (alone < 0) filled_evenly = !filled_evenly;
      energy = std::abs(alone);
    }
    sum += energy;
    cheapest = std::min(cheapest, energy);
  }
  return -sum / 2 + (filled_evenly == even ? 0 : cheapest);
}

double open_energy(const chain& model) {
  std::vector<double> off_diagonal;
  for (unsigned site = 0; site < model.sites; ++site) {
    if (site != 0) off_diagonal.push_back(model.coupling / 4);
    off_diagonal.push_back(model.field / 2);
  }
  const std::vector<double> diagonal(2 * model.sites, 0.0);
  double sum = 0;
  for (std::size_t index = 0; index < model.sites; ++index) {
    sum += tridiagonal_eigenvalue({diagonal, off_diagonal}, index);  // the negative ones
  }
  return sum;
}

}  // namespace

double exact_ground_energy(const chain& model) {
  if (!model.periodic) return open_energy(model);
  return std::min(sector_energy(model, true), sector_energy(model, false));
}

}  // namespace spin
