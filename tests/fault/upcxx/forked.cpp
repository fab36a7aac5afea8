// SPDX-License-Identifier: BSD-3-Clause
//
// A forked child of a rank finalizes UPC++: it leaves without the others, and the job goes on.
#include <upcxx/upcxx.hpp>

#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>

namespace {

constexpr int barriers = 100;

bool finalize_in_a_child() {
  const pid_t child = fork();
  if (child == 0) {
    upcxx::finalize();
    std::exit(upcxx::initialized() ? 1 : 0);
  }
  for (int i = 0; i < barriers; ++i) upcxx::barrier();
  int status = 0;
  return waitpid(child, &status, 0) == child && WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

}  // namespace

int main() {
  upcxx::init();
  const bool good = finalize_in_a_child();
  const int sum = upcxx::reduce_all(upcxx::rank_me() + 1, upcxx::op_fast_add).wait();
  const bool right = sum == upcxx::rank_n() * (upcxx::rank_n() + 1) / 2;
  upcxx::finalize();
  if (!good || !right) std::fputs("a child's finalize() disturbed the job\n", stderr);
  return good && right ? 0 : 1;
}
