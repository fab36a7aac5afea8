// SPDX-License-Identifier: BSD-3-Clause
//
// Tests teams and distributed objects (spec, chapters 11 and 14): the members of a team and their
// order, the names of teams and objects, when they may be moved and destroyed, and calls that
// arrive before their object.
#include <tests/multi/upcxx/job_main.hpp>
#include <upcxx/allocate.hpp>
#include <upcxx/broadcast.hpp>
#include <upcxx/dist_object.hpp>
#include <upcxx/progress.hpp>
#include <upcxx/rpc.hpp>
#include <upcxx/when_all.hpp>

#include <forward_list>
#include <functional>
#include <optional>
#include <set>
#include <sstream>
#include <string>
#include <type_traits>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

namespace {

using upcxx::dist_id;
using upcxx::dist_object;
using upcxx::entry_barrier;
using upcxx::rank_me;
using upcxx::rank_n;
using upcxx::team;
using upcxx::team_id;

static_assert(std::is_default_constructible_v<team> && std::is_move_assignable_v<team>);
static_assert(!std::is_copy_constructible_v<team> && !std::is_copy_assignable_v<team>);
static_assert(std::is_trivially_copyable_v<team_id> && std::is_standard_layout_v<team_id>);
static_assert(std::is_trivially_copyable_v<dist_id<std::string>> &&
              std::is_standard_layout_v<dist_id<std::string>>);
static_assert(team::color_none < 0);

TEST(team, of_all_and_the_local_one_agree_with_the_free_functions) {
  team& world = upcxx::world();
  EXPECT_TRUE(world.is_active());
  EXPECT_EQ(world.rank_n(), rank_n());
  EXPECT_EQ(world.rank_me(), rank_me());
  const team& local = upcxx::local_team();
  const auto [position, count] = upcxx::local_team_position();
  EXPECT_GE(position, 0);
  EXPECT_LT(position, count);
  for (int r = 0; r < rank_n(); ++r) {
    EXPECT_EQ(world[r], r);
    EXPECT_EQ(world.from_world(r), r);
    EXPECT_EQ(upcxx::local_team_contains(r), local.from_world(r, -1) >= 0);
  }
  for (int m = 0; m < local.rank_n(); ++m) EXPECT_EQ(local[m], local[0] + m);
  EXPECT_EQ(local[local.rank_me()], rank_me());
  EXPECT_NE(local.id(), world.id());  // also where they have the same members
}

TEST(team, is_split_by_colour_and_ordered_by_key) {
  // Every third rank stays out; pairs of ranks have equal keys and keep the order of the parent.
  const int color = rank_me() % 3 == 2 ? team::color_none : rank_me() % 3;
  team part = upcxx::world().split(color, -(rank_me() / 6));
  EXPECT_EQ(part.is_active(), color != team::color_none);
  if (part.is_active()) {
    int members = 0;
    for (int r = 0; r < rank_n(); ++r) {
      if (r % 3 != color) {
        EXPECT_EQ(part.from_world(r, -9), -9);
        continue;
      }
      ++members;
      EXPECT_EQ(part[part.from_world(r)], r);
    }
    EXPECT_EQ(part.rank_n(), members);
    for (int m = 1; m < members; ++m) {
      const int previous = part[m - 1];
      const int current = part[m];
      EXPECT_TRUE(previous / 6 > current / 6 ||
                  (previous / 6 == current / 6 && previous < current));
    }
    EXPECT_EQ(upcxx::broadcast(rank_me(), 0, part).wait(), part[0]);
    team nested = part.split(0, -part.rank_me());
    EXPECT_EQ(nested[0], part[part.rank_n() - 1]);
    nested.destroy(entry_barrier::internal);
    part.destroy(entry_barrier::none);
    EXPECT_FALSE(part.is_active());
  }
}

TEST(team, is_created_of_any_list_of_members) {
  std::vector<long> odd_or_even;
  std::forward_list<int> list;
  for (int r = rank_n() - 1; r >= 0; --r) {
    if (r % 2 == rank_me() % 2) odd_or_even.push_back(r);
    list.push_front(r);
  }
  team own = upcxx::world().create(odd_or_even);
  EXPECT_EQ(own.rank_n(), static_cast<int>(odd_or_even.size()));
  for (std::size_t i = 0; i < odd_or_even.size(); ++i) {
    EXPECT_EQ(own[static_cast<int>(i)], odd_or_even[i]);
  }
  team full = upcxx::world().create(list.cbegin(), list.cend());
  EXPECT_EQ(full.rank_me(), rank_me());
  EXPECT_NE(full.id(), upcxx::world().id());
  // Only rank 0 gets a team here.
  team alone = upcxx::world().create(std::vector<int>(rank_me() == 0 ? 1u : 0u, 0));
  EXPECT_EQ(alone.is_active(), rank_me() == 0);
  if (alone.is_active()) alone.destroy();
  full.destroy();
  own.destroy();
}

TEST(team_id, names_a_team_wherever_it_is) {
  EXPECT_EQ(team_id(), team_id());
  team made = upcxx::world().split(0, 0);
  const team_id id = made.id();
  EXPECT_NE(id, team_id());
  EXPECT_EQ(std::hash<team_id>()(id), std::hash<team_id>()(made.id()));
  EXPECT_TRUE(id < upcxx::world().id() || upcxx::world().id() < id);
  EXPECT_EQ(&id.here(), &made);
  EXPECT_EQ(&id.when_here().wait_reference(), &made);
  for (int r = 0; r < rank_n(); ++r) {
    EXPECT_TRUE(upcxx::rpc(r, [](team_id other) { return other.here().id() == other; }, id).wait());
  }
  EXPECT_EQ(upcxx::broadcast(id, 0).wait(), id);
  std::ostringstream out;
  out << id;
  EXPECT_FALSE(out.str().empty());
  upcxx::barrier();
  team moved(std::move(made));
  EXPECT_EQ(&id.here(), &moved);
  team assigned;
  assigned = std::move(moved);
  EXPECT_EQ(&id.here(), &assigned);
  EXPECT_FALSE(moved.is_active());
  upcxx::barrier(assigned);
  assigned.destroy();
}

TEST(team, may_be_left_to_finalize) {
  static team kept;
  kept = upcxx::world().split(rank_me() % 2, 0);
  EXPECT_TRUE(kept.is_active());
}

struct unusual {
  explicit unusual(int a, std::string b) : text(std::to_string(a) + std::move(b)) {}
  unusual(unusual&&) = default;
  unusual& operator=(unusual&&) = default;
  std::string text;
};

// Made before init(), and destroyed after finalize().
dist_object<unusual> early;
dist_object<int> early_value{upcxx::inactive, -2};

TEST(dist_object, is_inactive_before_it_is_activated) {
  EXPECT_FALSE(early.is_active() || early.has_value() || early_value.is_active());
  EXPECT_EQ(*early_value, -2);
  early.emplace(5, "five");
  EXPECT_EQ(early->text, "5five");
  early_value.emplace(rank_me());
  early_value.activate(upcxx::world());
  EXPECT_EQ(early_value.fetch(rank_n() - 1).wait(), rank_n() - 1);
  upcxx::barrier();
  dist_object<int> taken;
  taken = std::move(early_value);
  EXPECT_FALSE(early_value.is_active());
  upcxx::barrier();
  EXPECT_EQ(taken.fetch(0).wait(), 0);
  upcxx::barrier();
}

TEST(dist_object, is_constructed_in_every_way) {
  dist_object<std::unordered_map<int, int>> empty({});
  EXPECT_TRUE(empty.is_active());
  const dist_object<std::vector<int>> filled(upcxx::world(), std::size_t{3}, 9);
  EXPECT_EQ(filled->size(), 3u);
  filled->push_back(1);  // the object is const, its value is not
  EXPECT_EQ((*filled).back(), 1);
  team reversed = upcxx::world().split(0, -rank_me());
  {
    dist_object<unusual> over_team(reversed, rank_me(), " of team");
    EXPECT_EQ(&over_team.team(), &reversed);
    const int peer = (reversed.rank_me() + 1) % reversed.rank_n();
    const auto answer = upcxx::rpc(
        reversed, peer,
        [](const dist_object<unusual>& u, dist_id<unusual> id) {
          return &id.here() == &u ? u->text : std::string("?");
        },
        over_team, over_team.id());
    EXPECT_EQ(answer.wait(), std::to_string(reversed[peer]) + " of team");
    upcxx::barrier();
  }
  reversed.destroy();
}

TEST(dist_id, is_awaited_where_its_object_is_not_made_yet) {
  // Rank 0 is last; all others call it with an object that it has not made.
  std::optional<dist_object<int>> made;
  std::optional<upcxx::future<int>> answer;
  std::optional<upcxx::future<int>> fetched;
  if (rank_me() != 0) {
    made.emplace(rank_me());
    answer =
        upcxx::rpc(0, [](dist_object<int>& local, int x) { return *local + x; }, *made, rank_me());
    fetched = upcxx::rpc(
        0,
        [](dist_id<int> id) {
          return id.when_here().then([](dist_object<int>& local) { return *local; });
        },
        made->id());
    upcxx::rpc(0, [] {}).wait();  // earlier calls have arrived too
  }
  upcxx::barrier();
  if (rank_me() == 0) made.emplace(1000);
  if (rank_me() != 0) {
    EXPECT_EQ(answer->wait(), 1000 + rank_me());
    EXPECT_EQ(fetched->wait(), 1000);
  }
  upcxx::barrier();
  EXPECT_EQ(made->id(), made->id());
  EXPECT_NE(made->id(), dist_id<int>());
  EXPECT_EQ(std::set<dist_id<int>>({made->id(), made->id()}).size(), 1u);
  EXPECT_EQ(std::unordered_set<dist_id<int>>({made->id()}).count(made->id()), 1u);
}

}  // namespace
