// SPDX-License-Identifier: BSD-3-Clause
//
// The area under 4 / (1 + x^2) from 0 to 1 is pi. The interval is cut into slices; each rank adds
// up every rank_n()-th of them, and one reduction adds up the ranks.
#include <upcxx/upcxx.hpp>

#include <cmath>
#include <cstdio>

namespace {

constexpr long slices = 1'000'000;

double my_share() {
  double sum = 0;
  for (long i = upcxx::rank_me(); i < slices; i += upcxx::rank_n()) {
    const double x = (static_cast<double>(i) + 0.5) / slices;
    sum += 4 / (1 + x * x);
  }
  return sum / slices;
}

}  // namespace

int main() {
  upcxx::init();
  const double pi = upcxx::reduce_all(my_share(), upcxx::op_fast_add).wait();
  if (upcxx::rank_me() == 0) std::printf("pi is %.10f\n", pi);
  upcxx::finalize();
  return std::abs(pi - std::acos(-1.0)) < 1e-10 ? 0 : 1;
}
