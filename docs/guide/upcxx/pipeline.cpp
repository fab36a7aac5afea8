// SPDX-License-Identifier: BSD-3-Clause
//
// Asynchronous work: a chain of steps for each item, many items under way at once, and three ways
// to wait for all of them: conjoined futures, a promise that counts, and when_all with values.
#include <upcxx/upcxx.hpp>

#include <cstdio>
#include <numeric>
#include <vector>

namespace {

constexpr int items = 200;

/// Some work on data of the rank that it runs on.
long weigh(int item) { return upcxx::rank_me() + long{item} * item; }

}  // namespace

int main() {
  upcxx::init();
  const int me = upcxx::rank_me();
  const int n = upcxx::rank_n();
  const int right = (me + 1) % n;

  // A place for results on every rank, and the one on our right.
  upcxx::dist_object<upcxx::global_ptr<long>> results(upcxx::new_array<long>(items));
  const upcxx::global_ptr<long> target = results.fetch(right).wait();

  // For each item: ask the rank on the right, double the answer, put that into its memory. No step
  // waits; each begins when the one before it is done.
  upcxx::future<> all_stored = upcxx::make_future();
  for (int i = 0; i < items; ++i) {
    const upcxx::future<> stored =
        upcxx::rpc(right, weigh, i)
            .then([](long weight) { return 2 * weight; })
            .then([=](long twice) { return upcxx::rput(twice, target + i); });
    all_stored = upcxx::when_all(all_stored, stored);
  }
  all_stored.wait();
  upcxx::barrier();

  // A promise counts operations where nobody needs a future for each of them.
  std::vector<long> copy(items);
  upcxx::promise<> copied;
  for (int i = 0; i < items; ++i) {
    upcxx::rget(target + i, &copy[static_cast<std::size_t>(i)], 1,
                upcxx::operation_cx::as_promise(copied));
  }
  copied.finalize().wait();

  // Values of several futures, and what follows from them.
  const upcxx::future<long> total =
      upcxx::when_all(upcxx::rpc(0, weigh, 1), upcxx::rpc(n - 1, weigh, 2),
                      std::accumulate(copy.begin(), copy.end(), 0L))
          .then([](long a, long b, long c) { return a + b + c; });

  const long squares = long{items - 1} * items * (2 * items - 1) / 6;
  const bool good = total.wait() == 1 + (n - 1 + 4) + 2 * (items * long{right} + squares);
  if (me == 0)
    std::printf("%d items went through, the total is %s\n", items, good ? "right" : "wrong");

  upcxx::barrier();
  upcxx::delete_array(*results);
  upcxx::finalize();
  return good ? 0 : 1;
}
