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

upcxx::future<int> sum_of(upcxx::global_ptr<node> pointer) {
  int sum = 0;
  while (pointer) {
    const node current = co_await upcxx::rget(pointer);
    sum += current.value;
    pointer = current.next;
  }
  co_return sum;
}

/// A list of this many nodes, each on the rank after that of the node before.
upcxx::future<upcxx::global_ptr<node>> make_list(int rank, int nodes) {
  if (nodes == 0) co_return nullptr;
  const auto tail = co_await make_list((rank + 1) % upcxx::rank_n(), nodes - 1);
  co_return co_await upcxx::rpc(
      rank, [=](int value) { return upcxx::new_<node>(node{value, tail}); }, nodes);
}

/// Frees it from its end.
upcxx::future<> free_list(upcxx::global_ptr<node> pointer) {
  if (!pointer) co_return;
  const node current = co_await upcxx::rget(pointer);
  co_await free_list(current.next);
  co_await upcxx::rpc(
      pointer.where(), [](upcxx::global_ptr<node> local) { upcxx::delete_(local); }, pointer);
}

}  // namespace

int main() {
  upcxx::init();
  constexpr int nodes = 20;
  const auto list = make_list(upcxx::rank_me(), nodes).wait();

  const upcxx::future<int> once = sum_of(list);
  const upcxx::future<int> again = sum_of(list);
  const auto [a, b] = upcxx::when_all(once, again).wait_tuple();
  const bool good = a == nodes * (nodes + 1) / 2 && a == b;
  if (upcxx::rank_me() == 0) std::printf("the walks found %d and %d\n", a, b);

  free_list(list).wait();
  upcxx::finalize();
  return good ? 0 : 1;
}
