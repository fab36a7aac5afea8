// SPDX-License-Identifier: BSD-3-Clause
//
// Tests remote procedure calls (spec, chapter 9): all overloads on ranks and teams, callable
// objects, results, the lifetime of arguments, and the persona that is notified.
#include <tests/multi/upcxx/job_main.hpp>
#include <upcxx/dist_object.hpp>
#include <upcxx/progress.hpp>
#include <upcxx/rpc.hpp>
#include <upcxx/view.hpp>
#include <upcxx/when_all.hpp>

#include <memory>
#include <string>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

namespace {

using upcxx::operation_cx;
using upcxx::rank_me;
using upcxx::rank_n;
using upcxx::rpc;
using upcxx::rpc_ff;
using upcxx::source_cx;

int next_rank() { return (rank_me() + 1) % rank_n(); }

int calls = 0;
int add_rank(int x) noexcept { return x + rank_me(); }
int overloaded(int x) { return x; }
double overloaded(double x) { return x / 2; }

struct counter {
  int start;
  int plus(int x) const { return start + x + rank_me(); }
  virtual int times(int x) { return start * x; }
  counter(int s) : start(s) {}
  counter(const counter&) = default;
  virtual ~counter() = default;
  UPCXX_SERIALIZED_VALUES(start)
};
struct plain {
  int x;
  int twice() const { return 2 * x + rank_me(); }
};

TEST(rpc, calls_whatever_can_be_called) {
  const int to = next_rank();
  EXPECT_EQ(rpc(to, add_rank, 5).wait(), 5 + to);
  EXPECT_EQ(rpc(to, &add_rank, 6).wait(), 6 + to);
  int (*const pointer)(int) = &overloaded;
  EXPECT_EQ(rpc(to, pointer, 7).wait(), 7);
  EXPECT_EQ(rpc(to, static_cast<double (*)(double)>(overloaded), 7.0).wait(), 3.5);
  EXPECT_EQ(rpc(to, &plain::twice, plain{4}).wait(), 8 + to);
  EXPECT_EQ(rpc(to, &counter::plus, counter(3), 4).wait(), 7 + to);
  EXPECT_EQ(rpc(to, &counter::times, counter(3), 4).wait(), 12);
  EXPECT_EQ(rpc(to, [n = 2L](short s) mutable { return n += s; }, short{3}).wait(), 5);
  const auto lvalue = [](int x) { return x + 1; };
  EXPECT_EQ(rpc(to, lvalue, 1).wait(), 2);
  struct only_as_rvalue {
    int operator()(int x) && { return x; }
  };
  EXPECT_EQ(rpc(to, only_as_rvalue(), 9).wait(), 9);
}

TEST(rpc, goes_to_a_rank_of_a_team) {
  upcxx::team reversed = upcxx::world().split(0, -rank_me());
  const int peer = (reversed.rank_me() + 1) % reversed.rank_n();
  const int world_rank = reversed[peer];
  const auto me = [] { return rank_me(); };
  EXPECT_EQ(rpc(reversed, peer, me).wait(), world_rank);
  upcxx::promise<int> notified;
  rpc(reversed, peer, operation_cx::as_promise(notified), me);
  EXPECT_EQ(notified.finalize().wait(), world_rank);
  EXPECT_EQ(rpc(
                reversed, peer, [](const upcxx::team& team, int x) { return team.rank_me() + x; },
                reversed, 100)
                .wait(),
            100 + peer);
  calls = 0;
  upcxx::barrier();
  rpc_ff(reversed, peer, [] { ++calls; });
  rpc_ff(reversed, peer, source_cx::as_future(), [](int n) { calls += n; }, 2).wait();
  while (calls != 3) upcxx::progress();
  upcxx::barrier();
  reversed.destroy();
}

struct move_only {
  std::unique_ptr<int> value;
  move_only(int v) : value(std::make_unique<int>(v)) {}
  move_only(move_only&&) = default;
  struct upcxx_serialization {
    template <class Writer>
    static void serialize(Writer& to, const move_only& object) {
      to.write(*object.value);
    }
    template <class Reader, class Storage>
    static move_only* deserialize(Reader& from, Storage storage) {
      return storage.construct(from.template read<int>());
    }
  };
};

const std::vector<int>& a_vector() {
  static const std::vector<int> kept{1, 2, 3};
  return kept;
}

TEST(rpc, returns_values_references_futures_and_nothing) {
  const int to = next_rank();
  static_assert(std::is_same_v<decltype(rpc(to, a_vector)), upcxx::future<std::vector<int>>>);
  EXPECT_EQ(rpc(to, a_vector).wait().size(), 3u);
  const auto nothing = [] {};
  static_assert(std::is_same_v<decltype(rpc(to, nothing)), upcxx::future<>>);
  rpc(to, nothing).wait();
  auto three = rpc(to, [] { return upcxx::make_future(1, 'x', std::string("y")); });
  static_assert(std::is_same_v<decltype(three), upcxx::future<int, char, std::string>>);
  EXPECT_EQ(three.wait(), std::make_tuple(1, 'x', std::string("y")));
  rpc(to, [] { return upcxx::make_future(); }).wait();
  auto moved = rpc(to, [](const move_only& m) { return move_only(*m.value + 1); }, move_only(4));
  EXPECT_EQ(*moved.wait_reference().value, 5);
  const auto passed =
      rpc(to, [](move_only&& m) -> move_only&& { return std::move(m); }, move_only(6));
  EXPECT_EQ(*passed.wait_reference().value, 6);
  EXPECT_TRUE(
      rpc(
          to, [](const std::string& s) -> const std::string& { return s; }, std::string(5000, 'z'))
          .wait() == std::string(5000, 'z'));
}

TEST(rpc, tells_whom_it_is_asked_to_tell) {
  const int to = next_rank();
  upcxx::promise<int, int> pair;
  rpc(to, operation_cx::as_promise(pair), [] { return upcxx::make_future(1, 2); });
  EXPECT_EQ(pair.finalize().wait(), std::make_tuple(1, 2));
  upcxx::promise<> nothing;
  upcxx::promise<int> of_int(2);
  int lpcs = 0;
  auto futures = rpc(to,
                     operation_cx::as_promise(nothing) | operation_cx::as_promise(of_int) |
                         source_cx::as_future() | source_cx::as_promise(nothing) |
                         operation_cx::as_lpc(upcxx::current_persona(), [&] { ++lpcs; }) |
                         operation_cx::as_eager_future() | operation_cx::as_defer_future(),
                     [] {});
  of_int.fulfill_result(3);
  static_assert(std::is_same_v<decltype(futures),
                               std::tuple<upcxx::future<>, upcxx::future<>, upcxx::future<>>>);
  upcxx::when_all(std::get<0>(futures), std::get<1>(futures), std::get<2>(futures),
                  nothing.finalize())
      .wait();
  EXPECT_EQ(of_int.finalize().wait(), 3);
  while (lpcs == 0) upcxx::progress();
  int brought = 0;
  rpc(to, operation_cx::as_lpc(upcxx::current_persona(), [&](int v) { brought = v; }), add_rank, 1);
  while (brought == 0) upcxx::progress();
  EXPECT_EQ(brought, 1 + to);
}

upcxx::promise<> gate;
int ended = 0;
struct tracked {
  int v;
  explicit tracked(int x) : v(x) {}
  tracked(const tracked&) = delete;
  tracked(tracked&& other) noexcept : v(other.v) { other.v = 0; }
  ~tracked() {
    if (v != 0) ++ended;
  }
  struct upcxx_serialization {
    template <class Writer>
    static void serialize(Writer& to, const tracked& object) {
      to.write(object.v);
    }
    template <class Reader, class Storage>
    static tracked* deserialize(Reader& from, Storage storage) {
      return storage.construct(from.template read<int>());
    }
  };
};

TEST(rpc, keeps_its_arguments_until_the_future_it_returned_is_ready) {
  ended = 0;
  gate = upcxx::promise<>();
  int source = 5;
  upcxx::barrier();
  {
    const tracked argument(5);
    rpc_ff(
        next_rank(), [](const tracked& t) { return gate.get_future().then([&t] { calls = t.v; }); },
        argument);
    rpc_ff(
        next_rank(), [](int* p, int v) { static_cast<void>(p), static_cast<void>(v); }, &source,
        source);
  }
  ended = 0;  // the argument of this rank has ended, which does not count
  calls = 0;
  rpc(next_rank(), [] {}).wait();
  upcxx::barrier();
  EXPECT_EQ(calls, 0);
  EXPECT_EQ(ended, 0);
  gate.fulfill_anonymous(1);
  while (calls != 5 || ended != 1) upcxx::progress();
  upcxx::barrier();
}

TEST(rpc, takes_views_of_anything_serializable) {
  const std::vector<std::string> words{"a", "bb", std::string(3000, 'c')};
  const std::vector<double> numbers{1, 2, 3};
  const auto total = rpc(
                         next_rank(),
                         [](upcxx::view<std::string, upcxx::deserializing_iterator<std::string>> w,
                            upcxx::view<double> n) {
                           std::size_t length = 0;
                           for (const auto& each : w) length += each.size();
                           return length * 100 + n.size();
                         },
                         upcxx::make_view(words), upcxx::make_view(numbers))
                         .wait();
  EXPECT_EQ(total, 300303u);
}

// The message carries only the object's name, so the target's stack needs no room for the object.
TEST(rpc, takes_a_distributed_object_of_a_large_type) {
  struct large {
    char bytes[UPCXX_MAX_RPC_ARG_SIZE + 1];
  };
  upcxx::dist_object<large> object(large{});
  const auto mark = [](upcxx::dist_object<large>& local, char letter) { local->bytes[7] = letter; };
  rpc(next_rank(), mark, object, 'a').wait();
  upcxx::barrier();
  EXPECT_EQ(object->bytes[7], 'a');
  calls = 0;
  upcxx::barrier();
  rpc_ff(
      next_rank(), [](const upcxx::dist_object<large>& local) { calls += local->bytes[7] == 'a'; },
      object);
  while (calls != 1) upcxx::progress();
  upcxx::barrier();
}

TEST(rpc, is_run_with_the_master_persona_as_the_current_one) {
  upcxx::persona other;
  const upcxx::persona_scope scope(other);
  const auto master_is_current = [] {
    return &upcxx::current_persona() == &upcxx::master_persona() && upcxx::in_progress();
  };
  EXPECT_TRUE(rpc(next_rank(), master_is_current).wait());
  EXPECT_EQ(&upcxx::current_persona(), &other);
  upcxx::barrier();
}

TEST(rpc, may_call_again_from_within) {
  for (int to = 0; to < rank_n(); ++to) {
    auto there_and_back = rpc(
        to,
        [](int home) { return rpc(home, [](int x) { return x + rank_me(); }, rank_me() * 1000); },
        rank_me());
    EXPECT_EQ(there_and_back.wait(), to * 1000 + rank_me());
  }
  upcxx::barrier();
}

}  // namespace
