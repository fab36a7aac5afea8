// SPDX-License-Identifier: BSD-3-Clause
//
// Global pointers, shared storage, rput and rget, and their completions (spec, chapters 3, 4, 7, 8)
// between all ranks of a job.
#include <tests/multi/upcxx/job_main.hpp>
#include <upcxx/allocate.hpp>
#include <upcxx/global_ptr.hpp>
#include <upcxx/progress.hpp>
#include <upcxx/rget.hpp>
#include <upcxx/rput.hpp>
#include <upcxx/when_all.hpp>

#include <array>
#include <atomic>
#include <cstring>
#include <functional>
#include <numeric>
#include <set>
#include <sstream>
#include <thread>
#include <tuple>
#include <vector>

namespace {

using upcxx::global_ptr;
using upcxx::operation_cx;
using upcxx::rank_me;
using upcxx::rank_n;
using upcxx::rget;
using upcxx::rput;
using upcxx::source_cx;

// The pointers of all ranks. Each rank puts its own into the tables of all; it knows the tables'
// addresses, because the first allocations of all ranks have the same offsets.
template <class T>
std::vector<global_ptr<T>> pointers_of_all(global_ptr<T> own) {
  static global_ptr<global_ptr<T>> table =
      upcxx::new_array<global_ptr<T>>(static_cast<std::size_t>(rank_n()));
  const auto place = [](int rank) {
    auto location = atl::upcxx_front::pointer_access::place_of(table);
    location.rank = static_cast<std::uint32_t>(rank);
    return atl::upcxx_front::pointer_access::make<global_ptr<T>>(location);
  };
  upcxx::barrier();
  for (int rank = 0; rank < rank_n(); ++rank) rput(own, place(rank) + rank_me()).wait();
  upcxx::barrier();
  const global_ptr<T>* const local = table.local();
  const std::vector<global_ptr<T>> pointers(local, local + rank_n());
  upcxx::barrier();
  return pointers;
}

TEST(global_ptr, is_null_by_itself_and_counts_like_a_pointer) {
  const global_ptr<int> null;
  EXPECT_TRUE(null.is_null());
  EXPECT_FALSE(null);
  EXPECT_TRUE(null.is_local());
  EXPECT_EQ(null.local(), nullptr);
  EXPECT_EQ(null, nullptr);
  const global_ptr<int> array = upcxx::new_array<int>(10);
  global_ptr<int> p = array + 3;
  EXPECT_EQ(p - array, 3);
  EXPECT_EQ(p++ - array, 3);
  EXPECT_EQ(--p - array, 3);
  EXPECT_EQ(2 + p, array + 5);
  EXPECT_LT(array, p);
  EXPECT_GE(p, array);
  p -= 3;
  EXPECT_EQ(p, array);
  const global_ptr<const int> readable = p;
  EXPECT_EQ(readable, p);
  EXPECT_EQ(p.where(), rank_me());
  EXPECT_EQ(upcxx::to_global_ptr(p.local() + 2), p + 2);
  int on_stack = 0;
  EXPECT_TRUE(upcxx::try_global_ptr(&on_stack).is_null());
  EXPECT_TRUE(upcxx::to_global_ptr<int>(nullptr).is_null());
  std::ostringstream first;
  std::ostringstream second;
  first << p << ' ' << null;
  second << upcxx::to_global_ptr(p.local()) << ' ' << readable - 0;
  EXPECT_NE(first.str(), second.str());
  EXPECT_NE(std::hash<global_ptr<int>>()(p), std::hash<global_ptr<int>>()(p + 1));
  EXPECT_EQ(std::set<global_ptr<int>>({p, p + 1, p}).size(), 2u);
  upcxx::delete_array(array);
}

struct base {
  int b = 1;
};
struct other_base {
  int o = 2;
};
struct derived : base, other_base {
  int d = 3;
};

TEST(global_ptr, is_cast_like_a_pointer) {
  const global_ptr<derived> object = upcxx::new_<derived>();
  const auto second = upcxx::static_pointer_cast<other_base>(object);
  EXPECT_EQ(second.local()->o, 2);
  EXPECT_EQ(upcxx::static_pointer_cast<derived>(second), object);
  const auto bytes = upcxx::reinterpret_pointer_cast<std::byte>(object);
  EXPECT_EQ(upcxx::reinterpret_pointer_cast<derived>(bytes + 0), object);
  const global_ptr<const derived> readable = object;
  EXPECT_EQ(upcxx::const_pointer_cast<derived>(readable), object);
  const global_ptr<derived, upcxx::memory_kind::any> general = object;
  EXPECT_EQ(general.dynamic_kind(), upcxx::memory_kind::host);
  EXPECT_EQ(upcxx::static_kind_cast<upcxx::memory_kind::host>(general), object);
  EXPECT_TRUE(upcxx::dynamic_kind_cast<upcxx::memory_kind::cuda_device>(general).is_null());
  upcxx::delete_(object);
}

TEST(global_ptr, reaches_exactly_the_local_team) {
  const auto pointers = pointers_of_all(upcxx::new_<int>(rank_me() * 11));
  for (int rank = 0; rank < rank_n(); ++rank) {
    const global_ptr<int> remote = pointers[static_cast<std::size_t>(rank)];
    EXPECT_EQ(remote.where(), rank);
    EXPECT_EQ(remote.is_local(), upcxx::local_team_contains(rank));
    if (remote.is_local()) {
      EXPECT_EQ(*remote.local(), rank * 11);
      EXPECT_EQ(upcxx::to_global_ptr(remote.local()), remote);
    }
    EXPECT_EQ(rget(remote).wait(), rank * 11);
  }
  upcxx::barrier();
  upcxx::delete_(pointers[static_cast<std::size_t>(rank_me())]);
}

struct throwing {
  static inline int alive = 0;
  throwing() {
    if (alive == 3) throw 7;
    ++alive;
  }
  throwing(const throwing&) = delete;
  ~throwing() { --alive; }
};
struct alignas(64) wide {
  char text[3] = {};
  ~wide() {}
};

TEST(storage, makes_and_ends_objects) {
  const std::size_t used_bytes = upcxx::shared_segment_used();
  const auto number = upcxx::new_<double>(2.5);
  EXPECT_EQ(*number.local(), 2.5);
  upcxx::delete_(number);
  EXPECT_THROW(static_cast<void>(upcxx::new_array<throwing>(5)), int);
  EXPECT_EQ(throwing::alive, 0);
  const auto three = upcxx::new_array<throwing>(3);
  EXPECT_EQ(throwing::alive, 3);
  upcxx::delete_array(three);
  EXPECT_EQ(throwing::alive, 0);
  const auto aligned = upcxx::new_array<wide>(2);
  EXPECT_EQ(reinterpret_cast<std::uintptr_t>(aligned.local()) % 64, 0u);
  upcxx::delete_array(aligned);
  void* const raw = upcxx::allocate(100, 32);
  EXPECT_EQ(reinterpret_cast<std::uintptr_t>(raw) % 32, 0u);
  upcxx::deallocate(raw);
  upcxx::deallocate(upcxx::allocate<int>(5, 128));
  upcxx::deallocate(nullptr);
  upcxx::delete_(global_ptr<int>());
  EXPECT_EQ(upcxx::shared_segment_used(), used_bytes);
  EXPECT_GT(upcxx::shared_segment_size(), used_bytes);
}

TEST(storage, says_when_there_is_none) {
  constexpr std::size_t far_too_many = std::size_t{1} << 60;
  EXPECT_THROW(static_cast<void>(upcxx::new_array<int>(far_too_many)), upcxx::bad_shared_alloc);
  EXPECT_TRUE(upcxx::new_array<int>(far_too_many, std::nothrow).is_null());
  EXPECT_TRUE(upcxx::allocate<int>(far_too_many).is_null());
  EXPECT_EQ(upcxx::allocate(far_too_many), nullptr);
}

TEST(storage, is_given_up_and_taken_back_as_a_whole) {
  upcxx::experimental::destroy_heap();
  EXPECT_TRUE(upcxx::allocate<int>().is_null());
  EXPECT_THROW(static_cast<void>(upcxx::new_<int>()), upcxx::bad_shared_alloc);
  upcxx::experimental::restore_heap();
  upcxx::delete_(upcxx::new_<int>(1));
}

TEST(rput, and_rget_move_values_and_arrays_between_all_ranks) {
  constexpr std::size_t count = 40000;
  const auto array = upcxx::new_array<long>(count * static_cast<std::size_t>(rank_n()));
  const auto pointers = pointers_of_all(array);
  std::vector<long> source(count);
  std::iota(source.begin(), source.end(), 1000000L * rank_me());
  auto done = upcxx::make_future();
  for (const auto& remote : pointers) {
    const auto to = remote + static_cast<std::ptrdiff_t>(count) * rank_me();
    done = upcxx::when_all(done, rput(source.data(), to, count));
  }
  done.wait();
  upcxx::barrier();
  for (const auto& remote : pointers) {
    for (int from = 0; from < rank_n(); ++from) {
      std::vector<long> back(count);
      rget(remote + static_cast<std::ptrdiff_t>(count) * from, back.data(), count).wait();
      EXPECT_EQ(back.front(), 1000000L * from);
      EXPECT_EQ(back.back(), 1000000L * from + static_cast<long>(count) - 1);
    }
  }
  upcxx::barrier();
  upcxx::delete_array(array);
}

TEST(completion, comes_as_it_was_asked_for) {
  const auto array = upcxx::new_array<int>(4);
  const auto pointers = pointers_of_all(array);
  const auto next = pointers[static_cast<std::size_t>((rank_me() + 1) % rank_n())];
  const std::array<int, 3> values{rank_me(), 5, 6};

  upcxx::promise<> counted;
  int lpcs = 0;
  auto futures = rput(values.data(), next, values.size(),
                      operation_cx::as_promise(counted) | source_cx::as_future() |
                          operation_cx::as_defer_future() | source_cx::as_buffered() |
                          operation_cx::as_lpc(upcxx::current_persona(), [&] { ++lpcs; }) |
                          source_cx::as_lpc(upcxx::current_persona(), [&] { ++lpcs; }));
  static_assert(std::is_same_v<decltype(futures), std::tuple<upcxx::future<>, upcxx::future<>>>);
  EXPECT_FALSE(std::get<1>(futures).ready());
  EXPECT_EQ(lpcs, 0);
  upcxx::when_all(std::get<0>(futures), std::get<1>(futures), counted.finalize()).wait();
  while (lpcs != 2) upcxx::progress();

  upcxx::promise<int> value;
  rget(next, operation_cx::as_promise(value));
  EXPECT_EQ(value.finalize().wait(), rank_me());
  upcxx::promise<int> deferred;
  auto twice = rget(next + 1, operation_cx::as_future() | operation_cx::as_future() |
                                  operation_cx::as_defer_promise(deferred));
  EXPECT_EQ(std::get<0>(twice).wait() + std::get<1>(twice).wait(), 10);
  EXPECT_EQ(deferred.finalize().wait(), 5);
  int seen = 0;
  rget(next + 2, operation_cx::as_lpc(upcxx::current_persona(), [&](int&& v) { seen = v; }));
  while (seen == 0) upcxx::progress();
  EXPECT_EQ(seen, 6);
  upcxx::barrier();
  upcxx::delete_array(array);
}

TEST(completion, of_what_is_complete_at_once_allocates_nothing) {
  const auto number = upcxx::new_<int>(0);
  const auto put = rput(3, number);
  const auto got = rget(number);
  if (upcxx::local_team_contains(rank_me()) && put.ready()) {
    EXPECT_TRUE(atl::upcxx_front::future_access::holds_values(put));
    EXPECT_TRUE(atl::upcxx_front::future_access::holds_values(got));
  }
  EXPECT_EQ(upcxx::when_all(put, got).wait(), 3);
  upcxx::delete_(number);
}

TEST(completion, goes_to_the_persona_that_it_names) {
  const auto number = upcxx::new_<int>(0);
  const auto pointers = pointers_of_all(number);
  const auto next = pointers[static_cast<std::size_t>((rank_me() + 1) % rank_n())];
  upcxx::persona& master = upcxx::master_persona();
  std::atomic<bool> notified = false;
  std::thread([&] {
    rput(rank_me(), next).wait();
    bool complete = false;
    rput(rank_me() + 1, next,
         operation_cx::as_lpc(master, [&] { notified = true; }) |
             operation_cx::as_lpc(upcxx::current_persona(), [&] { complete = true; }));
    upcxx::discharge();
    EXPECT_EQ(rget(next).wait(), rank_me() + 1);
    while (!complete) upcxx::progress();
  }).join();
  while (!notified) upcxx::progress();
  upcxx::barrier();
  upcxx::delete_(number);
}

TEST(barrier, may_be_asynchronous) {
  auto first = upcxx::barrier_async();
  auto second = upcxx::barrier_async(upcxx::local_team());
  upcxx::when_all(first, second).wait();
  upcxx::promise<> done;
  upcxx::barrier_async(upcxx::world(), operation_cx::as_promise(done));
  done.finalize().wait();
}

TEST(team, is_split_and_created_and_ended) {
  upcxx::team half = upcxx::world().split(rank_me() % 2, -rank_me());
  EXPECT_EQ(half.rank_n(), (rank_n() + 1 - rank_me() % 2) / 2);
  EXPECT_EQ(half[half.rank_me()], rank_me());
  EXPECT_EQ(half.from_world(rank_me()), half.rank_me());
  if (half.rank_n() > 1) {
    EXPECT_GT(half[0], half[1]);
  }
  EXPECT_EQ(&half.id().here(), &half);
  if (rank_n() > 1) {  // the first rank of the other half
    EXPECT_EQ(half.from_world(1 - rank_me() % 2, -7), -7);
  }
  upcxx::barrier(half);
  upcxx::team moved = std::move(half);
  EXPECT_FALSE(half.is_active());
  EXPECT_EQ(&moved.id().when_here().wait(), &moved);
  moved.destroy();
  upcxx::team inactive = upcxx::world().split(upcxx::team::color_none, 0);
  EXPECT_FALSE(inactive.is_active());
  std::vector<int> backwards(static_cast<std::size_t>(rank_n()));
  std::iota(backwards.rbegin(), backwards.rend(), 0);
  upcxx::team reversed = upcxx::world().create(backwards);
  EXPECT_EQ(reversed.rank_me(), rank_n() - 1 - rank_me());
  reversed.destroy(upcxx::entry_barrier::internal);
  EXPECT_NE(upcxx::world().id(), upcxx::team_id());
}

TEST(memory_kind, is_written_by_its_name) {
  std::ostringstream text;
  text << upcxx::memory_kind::host << ' ' << upcxx::memory_kind::cuda_device;
  EXPECT_EQ(text.str(), "host cuda_device");
}

}  // namespace
