// SPDX-License-Identifier: BSD-3-Clause
//
// Coroutines: a linked list whose nodes lie on all ranks is walked with a plain loop. At every
// co_await the walk lets go of the thread, so many walks go on at once.
#include <upcxx/upcxx.hpp>

#include <cstdio>

namespace {

struct node {
  int value = 0;
  upcxx::global_ptr<node> next;
};

upcxx::future<int> sum_of(upcxx::global_ptr<node> at) {
  int sum = 0;
  while (at) {
    const node here = co_await upcxx::rget(at);
    sum += here.value;
    at = here.next;
  }
  co_return sum;
}

/// A list of this many nodes, each on the rank after that of the node before.
upcxx::future<upcxx::global_ptr<node>> make_list(int rank, int nodes) {
  if (nodes == 0) co_return nullptr;
  const auto rest = co_await make_list((rank + 1) % upcxx::rank_n(), nodes - 1);
  co_return co_await upcxx::rpc(
      rank, [=](int value) { return upcxx::new_<node>(node{value, rest}); }, nodes);
}

/// Frees it from its end.
upcxx::future<> free_list(upcxx::global_ptr<node> at) {
  if (!at) co_return;
  const node here = co_await upcxx::rget(at);
  co_await free_list(here.next);
  co_await upcxx::rpc(at.where(), [](upcxx::global_ptr<node> mine) { upcxx::delete_(mine); }, at);
}

}  // namespace

int main() {
  upcxx::init();
  constexpr int nodes = 20;
  const auto mine = make_list(upcxx::rank_me(), nodes).wait();

  const upcxx::future<int> once = sum_of(mine);
  const upcxx::future<int> again = sum_of(mine);
  const auto [a, b] = upcxx::when_all(once, again).wait_tuple();
  const bool good = a == nodes * (nodes + 1) / 2 && a == b;
  if (upcxx::rank_me() == 0) std::printf("the walks found %d and %d\n", a, b);

  free_list(mine).wait();
  upcxx::finalize();
  return good ? 0 : 1;
}
