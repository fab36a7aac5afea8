// SPDX-License-Identifier: BSD-3-Clause
//
// Threads: workers compute and communicate for themselves; the main thread holds the master persona
// and with it everything that other ranks send here.
#include <upcxx/upcxx.hpp>

#include <cstdio>
#include <thread>
#include <vector>

namespace {

long answered = 0;  // only the holder of the master persona touches it

long square(long x) {
  ++answered;
  return x * x;
}

/// The work of one thread: it asks every rank, with all questions in flight at once.
long ask_everybody(long x) {
  upcxx::future<long> sum = upcxx::make_future(0L);
  for (int rank = 0; rank < upcxx::rank_n(); ++rank) {
    sum = upcxx::when_all(sum, upcxx::rpc(rank, square, x)).then([](long a, long b) {
      return a + b;
    });
  }
  return sum.wait();  // progress of this thread's own persona
}

}  // namespace

int main() {
  upcxx::init();
  constexpr int threads = 3;
  upcxx::persona& main_persona = upcxx::current_persona();
  long total = 0;
  upcxx::promise<> workers(threads);

  std::vector<std::jthread> pool;
  for (int t = 1; t <= threads; ++t) {
    pool.emplace_back([&, t] {
      const long sum = ask_everybody(t);
      main_persona.lpc_ff([&, sum] {  // runs in the main thread: no lock is needed
        total += sum;
        workers.fulfill_anonymous(1);
      });
    });
  }
  workers.get_future().wait();  // meanwhile this rank answers the others
  upcxx::barrier();             // and until all have their answers
  pool.clear();

  const int n = upcxx::rank_n();
  const bool good = total == n * (1 + 4 + 9) && answered == n * threads;
  if (upcxx::rank_me() == 0)
    std::printf("%d threads got %s\n", threads, good ? "their answers" : "lost");
  upcxx::finalize();
  return good ? 0 : 1;
}
