// SPDX-License-Identifier: BSD-3-Clause
//
// Atomics: all ranks throw dice into one histogram whose bins lie on all ranks. Nobody's increment
// is lost, and no owner has to do anything.
#include <upcxx/upcxx.hpp>

#include <cstdint>
#include <cstdio>
#include <random>
#include <vector>

namespace {

using counter = std::uint64_t;
constexpr int bins_each = 4;
constexpr int throws_each = 5000;

}  // namespace

int main() {
  upcxx::init();
  const int me = upcxx::rank_me();
  const int n = upcxx::rank_n();

  upcxx::dist_object<upcxx::global_ptr<counter>> bins(upcxx::new_array<counter>(bins_each));
  for (int i = 0; i < bins_each; ++i) bins->local()[i] = 0;
  std::vector<upcxx::global_ptr<counter>> pointers;  // fetched once, used often
  for (int rank = 0; rank < n; ++rank) pointers.push_back(bins.fetch(rank).wait());
  upcxx::barrier();  // every bin is 0

  // A domain says which operations it is for; on some networks that decides how they are done.
  upcxx::atomic_domain<counter> tally({upcxx::atomic_op::inc, upcxx::atomic_op::load});
  std::mt19937 dice(static_cast<unsigned>(me));
  std::uniform_int_distribution<int> bin(0, n * bins_each - 1);
  upcxx::promise<> thrown;
  for (int i = 0; i < throws_each; ++i) {
    const int b = bin(dice);
    tally.inc(pointers[static_cast<std::size_t>(b / bins_each)] + b % bins_each,
              std::memory_order_relaxed, upcxx::operation_cx::as_promise(thrown));
  }
  thrown.finalize().wait();
  upcxx::barrier();  // everybody has thrown

  counter local_sum = 0;
  for (int i = 0; i < bins_each; ++i) {
    local_sum += tally.load(*bins + i, std::memory_order_relaxed).wait();
  }
  const counter sum = upcxx::reduce_all(local_sum, upcxx::op_fast_add).wait();
  const bool good = sum == static_cast<counter>(n) * throws_each;
  if (me == 0) {
    std::printf("%d bins hold %llu throws\n", n * bins_each, static_cast<unsigned long long>(sum));
  }

  tally.destroy();
  upcxx::delete_array(*bins);
  upcxx::finalize();
  return good ? 0 : 1;
}
