// SPDX-License-Identifier: BSD-3-Clause
//
// Tests that some operations allocate no memory (the specification leaves it open, Atoll promises
// it): operations on neighbours that are complete when they return; and small calls, on both sides,
// once a program has had as many under way before. This program's operator new counts all
// allocations.
#include <tests/multi/upcxx/job_main.hpp>
#include <upcxx/allocate.hpp>
#include <upcxx/atomic.hpp>
#include <upcxx/dist_object.hpp>
#include <upcxx/rget.hpp>
#include <upcxx/rpc.hpp>
#include <upcxx/rput.hpp>
#include <upcxx/when_all.hpp>

#include <atomic>
#include <cstdint>
#include <cstdlib>
#include <new>

namespace {

// Relaxed: a count by itself.
std::atomic<long> taken = 0;

void* take(std::size_t bytes, std::size_t alignment) {
  taken.fetch_add(1, std::memory_order_relaxed);
  const std::size_t rounded = (bytes + alignment - 1) / alignment * alignment;
  void* const memory = alignment <= alignof(std::max_align_t)
                           ? std::malloc(bytes != 0 ? bytes : 1)
                           : std::aligned_alloc(alignment, rounded);
  if (memory == nullptr) throw std::bad_alloc();
  return memory;
}

}  // namespace

void* operator new(std::size_t bytes) { return take(bytes, 1); }
void* operator new(std::size_t bytes, std::align_val_t alignment) {
  return take(bytes, static_cast<std::size_t>(alignment));
}
void operator delete(void* memory) noexcept { std::free(memory); }
void operator delete(void* memory, std::size_t) noexcept { std::free(memory); }
void operator delete(void* memory, std::align_val_t) noexcept { std::free(memory); }
void operator delete(void* memory, std::size_t, std::align_val_t) noexcept { std::free(memory); }

namespace {

using upcxx::operation_cx;
using upcxx::rank_me;
using upcxx::rank_n;

template <class Body>
long taken_by(Body body) {
  const long start_count = taken.load(std::memory_order_relaxed);
  body();
  return taken.load(std::memory_order_relaxed) - start_count;
}

TEST(a_complete_operation, takes_no_memory) {
  const auto number = upcxx::new_<std::uint64_t>(1);
  upcxx::atomic_domain<std::uint64_t> counters({upcxx::atomic_op::fetch_add});
  upcxx::promise<> notified;
  std::uint64_t sum = 0;
  const auto operate = [&] {
    upcxx::rput(std::uint64_t{2}, number).wait();
    sum += upcxx::rget(number).wait();
    upcxx::rput(std::uint64_t{3}, number, operation_cx::as_promise(notified));
    upcxx::rget(number).then([&](std::uint64_t value) { sum += value; }).wait();
    sum += counters.fetch_add(number, 1, std::memory_order_relaxed).wait();
    upcxx::when_all(upcxx::rput(std::uint64_t{1}, number), upcxx::make_future(1)).wait();
  };
  if (upcxx::rget(number, operation_cx::as_eager_future()).ready()) {
    operate();
    EXPECT_EQ(taken_by(operate), 0);
    EXPECT_EQ(sum, 2 * (2 + 3 + 3));
  }
  notified.finalize().wait();
  counters.destroy();
  upcxx::delete_(number);
}

std::uint64_t note(std::uint64_t value) { return value + 1; }

TEST(a_small_call, takes_no_memory_on_either_side) {
  constexpr int at_a_time = 16;
  const auto to_all = [] {
    for (int to = 0; to < rank_n(); ++to) {
      EXPECT_EQ(upcxx::rpc(to, note, std::uint64_t{1}).wait(), 2u);
      upcxx::rpc(to, [] {}).wait();
    }
  };
  // This many calls and results are under way at once here, whatever the others do, because none is
  // run before we make progress.
  upcxx::future<> some = upcxx::make_future();
  for (int i = 0; i < at_a_time * rank_n(); ++i) {
    some = upcxx::when_all(some, upcxx::rpc(rank_me(), note, std::uint64_t{1}).then([](auto) {}),
                           upcxx::rpc(rank_me(), [] {}));
  }
  some.wait();
  for (int i = 0; i < 2; ++i) {
    to_all();
    upcxx::barrier();
  }
  const long each = taken_by([&] {
    upcxx::barrier();  // from here on all count
    for (int i = 0; i < 50; ++i) to_all();
    upcxx::barrier();  // until all have been answered
  });
  upcxx::barrier();
  EXPECT_EQ(each, 0);
}

}  // namespace
