// SPDX-License-Identifier: BSD-3-Clause
//
// Every rank says who it is. The barrier holds everybody until all have spoken.
#include <upcxx/upcxx.hpp>

#include <iostream>

int main() {
  upcxx::init();
  upcxx::experimental::say() << "one of " << upcxx::rank_n() << " ranks";
  upcxx::barrier();
  if (upcxx::rank_me() == 0) std::cout << "that was everybody" << std::endl;
  upcxx::finalize();
}
