// SPDX-License-Identifier: BSD-3-Clause
//
// Trees of calls: where the parts of collectives of values go, and the collectives that wait for
// them here. Only the holder of the master persona uses them, as it runs all calls.
#include <upcxx/nontrivial.hpp>

#include <front/upcxx/process_state.hpp>

#include <cstddef>
#include <utility>
#include <vector>

namespace atl::upcxx_front {
namespace {

using upcxx::intrank_t;

// Calls f(child) for the children of a place in a binomial tree. The number of a child has one bit
// more than the place, below the lowest bit of the place.
template <class F>
void for_children(intrank_t place, intrank_t members, F f) {
  for (intrank_t bit = 1; place + bit < members && (place & bit) == 0; bit *= 2) f(place + bit);
}

intrank_t member_at(intrank_t place, intrank_t root, intrank_t members) noexcept {
  return (place + root) % members;
}

// Keeps a part that has come before the call that it is for.
void take_part(const object_name& name, bool from_parent, std::vector<std::byte>&& bytes) {
  process_state::tree_entry& entry = the_process->trees[name];
  if (entry.waiting == nullptr) {
    entry.early.emplace_back(from_parent, std::move(bytes));
    return;
  }
  reader from(bytes);
  entry.waiting->arrived(from_parent, from);
}

void send_part(const upcxx::team& team, intrank_t member, const object_name& name, bool from_parent,
               const writer& part) {
  const std::vector<std::byte> bytes(part.data(), part.data() + part.size());
  upcxx::rpc_ff(
      team, member,
      [](upcxx::team&, const object_name& tree, bool is_downward, std::vector<std::byte>&& came) {
        take_part(tree, is_downward, std::move(came));
      },
      team, name, from_parent, bytes);
}

}  // namespace

void need_member(const upcxx::team& team, intrank_t root, const char* call) noexcept {
  need_collective(call);
  static_cast<void>(team.core(call));
  if (root >= 0 && root < team.rank_n()) [[likely]]
    return;
  refuse(call, "the root is no member of the team", "members are 0 to rank_n() - 1");
}

tree_collective::tree_collective(const upcxx::team& team, intrank_t root)
    : team_(&team.id().here()),
      root_(root),
      place_((team.rank_me() - root + team.rank_n()) % team.rank_n()),
      name_(next_object_name(team)) {}

void tree_collective::begin() {
  process_state::tree_entry& entry = the_process->trees[name_];
  entry.waiting = this;
  const auto early = std::exchange(entry.early, {});
  for (const auto& [from_parent, bytes] : early) {
    reader from(bytes);
    arrived(from_parent, from);  // the last one may destroy this object
  }
}

void tree_collective::leave() noexcept { the_process->trees.erase(name_); }

void tree_collective::send_to_parent(const writer& part) const {
  const intrank_t parent = place_ & (place_ - 1);
  send_part(*team_, member_at(parent, root_, team_->rank_n()), name_, false, part);
}

void tree_collective::send_to_children(const writer& part) const {
  for_children(place_, team_->rank_n(), [&](intrank_t child) {
    send_part(*team_, member_at(child, root_, team_->rank_n()), name_, true, part);
  });
}

int tree_collective::children() const noexcept {
  int count = 0;
  for_children(place_, team_->rank_n(), [&](intrank_t) { ++count; });
  return count;
}

}  // namespace atl::upcxx_front
