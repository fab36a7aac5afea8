// SPDX-License-Identifier: BSD-3-Clause
//
// Two gatherings over the parent: the requests of all members, and the place where each leader has
// put its host's block. A member registers its team before the second gathering, so a member that
// has left that gathering may use the team.
#include <atoll/coll/team_creation.hpp>

#include <atoll/base/error.hpp>
#include <atoll/base/hash.hpp>
#include <atoll/base/sparse_table.hpp>
#include <atoll/base/text.hpp>
#include <atoll/coll/collectives.hpp>
#include <atoll/coll/engine/engine.hpp>
#include <atoll/core/job/layer_access.hpp>
#include <atoll/core/job/runtime.hpp>

#include <algorithm>
#include <cstring>
#include <vector>

namespace atl::coll {

namespace {

// The request of one member of the parent.
struct request {
  std::uint64_t proposed_id;
  std::int32_t color;
  std::int32_t key;
  std::uint32_t joins;  // 0: takes part only
};

// Each member's value, by member. In pages that the kernel takes back at the end: blocks of the C
// library that the job's first teams leave free would stay with the process.
template <class Value>
sparse_table<Value> gather_from_all(team& parent, const Value& own) {
  sparse_table<Value> all(parent.size());
  if (allgather(parent, &all[0], &own, sizeof own) == operation_status::done) return all;
  throw error(text("a new team by a team of ", parent.size(), " ranks"),
              "a member of the team that makes it is lost",
              "make it by its members alone (create_team_alone)");
}

sparse_table<request> gather_requests(team& parent, const request& own_request) {
  return gather_from_all(parent, own_request);
}

void check_members(const rank_set& members) {
  for (rank_id member = 0; member < members.size(); ++member) {
    if (members.find(members[member]) == member) continue;
    throw error(text("a new team of ", members.size(), " ranks"),
                text("rank ", members[member], " is named twice"), "name each rank once");
  }
}

// Opens the team with its blocks; `made` is null where the caller only takes part.
void open_together(team& parent, team* made) {
  runtime& owner = parent.owner();
  std::uint64_t own_block = 0;
  if (made != nullptr && made->hosts().leads())
    own_block = make_team_block(owner, made->hosts().local_count());
  const sparse_table<std::uint64_t> blocks = gather_from_all(parent, own_block);
  if (made == nullptr) return;
  const auto block_of = [&](rank_id leader) {
    return blocks[parent.member(made->job_rank(leader))];
  };
  const team_hosts& hosts = made->hosts();
  bool everywhere = true;
  for (rank_id host = 0; host < hosts.count(); ++host) {
    everywhere = everywhere && block_of(hosts.leader(host)) != 0;
  }
  const rank_id leader = hosts.leader(hosts.own_host());
  if (!everywhere)
    layer_access::internal_heap(owner).free(find_team_block(owner, owner.rank(), own_block));
  made->open(everywhere ? find_team_block(owner, made->job_rank(leader), block_of(leader))
                        : nullptr);
}

}  // namespace

std::unique_ptr<team> split_team(team& parent, std::optional<int> color, int key) {
  runtime& owner = parent.owner();
  const sparse_table<request> requests = gather_requests(
      parent, {layer_access::next_team_id(owner), color.value_or(0), key, color ? 1u : 0u});
  std::unique_ptr<team> made;
  if (color) {
    std::vector<rank_id> chosen;  // members of the parent
    for (rank_id member = 0; member < parent.size(); ++member) {
      if (requests[member].joins != 0 && requests[member].color == *color) chosen.push_back(member);
    }
    std::sort(chosen.begin(), chosen.end(), [&](rank_id a, rank_id b) {
      return std::pair(requests[a].key, a) < std::pair(requests[b].key, b);
    });
    const std::uint64_t id = requests[chosen.front()].proposed_id;
    for (rank_id& member : chosen) member = parent.job_rank(member);
    made = std::make_unique<team>(owner, team_options{.id = id, .members = rank_set(chosen)});
  }
  open_together(parent, made.get());
  return made;
}

std::unique_ptr<team> copy_team(team& parent) { return create_team(parent, parent.members()); }

std::unique_ptr<team> create_team(team& parent, rank_set members) {
  runtime& owner = parent.owner();
  if (members.size() != 0 && members.find(owner.rank()) == no_rank) {
    throw error(text("a new team of ", members.size(), " ranks"),
                text("rank ", owner.rank(), " calls for it and is not among them"),
                "name the caller, or pass no ranks to take part only");
  }
  check_members(members);
  for (rank_id member = 0; member < members.size(); ++member) {
    if (parent.member(members[member]) != no_rank) continue;
    throw error(text("a new team of ", members.size(), " ranks"),
                text("rank ", members[member], " is not in the parent team"),
                "use a parent that all members are in");
  }
  const bool joins = members.size() != 0;
  const sparse_table<request> requests =
      gather_requests(parent, {layer_access::next_team_id(owner), 0, 0, joins ? 1u : 0u});
  std::unique_ptr<team> made;
  if (joins) {
    for (rank_id member = 0; member < members.size(); ++member) {
      if (requests[parent.member(members[member])].joins != 0) continue;
      owner.fail(text("a new team of ", members.size(), " ranks"),
                 text("rank ", members[member], " is named and does not join"),
                 "give the same ranks on all that are named");
    }
    const std::uint64_t id = requests[parent.member(members[0])].proposed_id;
    made = std::make_unique<team>(owner, team_options{.id = id, .members = std::move(members)});
  }
  open_together(parent, made.get());
  return made;
}

// The members have only their list in common, so they first make a temporary team that is named
// after the list and sends messages only. Its number is a hash, in a range apart from proposed
// numbers. The same members may do this again, and then their temporary team has the same number:
// the barrier over the new team, whose number no other ever has, makes sure that all of them have
// forgotten the first before anyone can begin the second. So nothing needs to be kept per list.
std::unique_ptr<team> create_team_alone(runtime& owner, const rank_set& members) {
  constexpr std::uint64_t named_by_hash = std::uint64_t{1} << 61;
  if (members.find(owner.rank()) == no_rank) {
    throw error(text("a new team of ", members.size(), " ranks"),
                text("rank ", owner.rank(), " calls for it and is not among them"),
                "call it on the members only");
  }
  if (owner.attached<engine>() == nullptr) {
    throw error(text("a new team of ", members.size(), " ranks"),
                "the job has not opened the collectives, which all ranks do together",
                "call coll::open on all ranks first");
  }
  check_members(members);
  stable_hash list;
  const auto add = [&](std::uint64_t number) {
    for (unsigned bit = 0; bit < 64; bit += 8) list.add(static_cast<unsigned char>(number >> bit));
  };
  for (rank_id member = 0; member < members.size(); ++member) add(members[member]);
  auto temporary = std::make_unique<team>(
      owner, team_options{.id = named_by_hash | (list.value() >> 3), .members = members});
  temporary->open(nullptr);
  std::unique_ptr<team> made = create_team(*temporary, members);
  destroy_team(std::move(temporary));
  made->barrier();
  return made;
}

void destroy_team(std::unique_ptr<team> gone) {
  runtime& owner = gone->owner();
  gone->barrier();
  open(owner).forget(*gone);
  team_block* const block = gone->host_block();
  const team_hosts& hosts = gone->hosts();
  const bool leads = hosts.leads();
  const rank_id others = hosts.local_count() - 1;
  const rank_id leader = gone->job_rank(hosts.leader(hosts.own_host()));
  if (block == nullptr) return;
  if (!leads) {
    gone.reset();
    // Release: this member's last look at the block. Pairs with the leader's acquire.
    block->departed.fetch_add(1, std::memory_order_release);
    owner.wake(leader);
    return;
  }
  bool have_departed = false;
  owner.wait_until([&] {
    have_departed = block->departed.load(std::memory_order_acquire) == others;
    return have_departed || gone->has_lost_member();
  });
  gone.reset();
  // A member that is lost never departs, and the others may not know of it yet: the block stays.
  if (have_departed) layer_access::internal_heap(owner).free(block);
}

}  // namespace atl::coll
