// SPDX-License-Identifier: BSD-3-Clause
//
// Forming a team is one gathering of number and wanted index over the current team; each image then
// works out its own team. The memory of a team lasts as long as the program, because variables may
// hold it, and copies of them.
#include <front/coarray/teams.hpp>

#include <atoll/base/text.hpp>
#include <atoll/coll/collectives.hpp>
#include <atoll/coll/team_creation.hpp>
#include <front/coarray/coarray.hpp>
#include <front/coarray/synchronization.hpp>

#include <vector>

namespace atl::coarray {
namespace {

struct wish {
  int number;
  int new_index;
};

const team_state& ancestor(const process& us, int distance) noexcept {
  const team_state* found = us.current;
  for (int i = 0; i < distance && found->parent != nullptr; ++i) found = found->parent;
  return *found;
}

std::vector<wish> gather(atl::team& parent, const wish& own) {
  std::vector<wish> wishes(parent.size());
  coll::allgather(parent, wishes.data(), &own, sizeof own);
  return wishes;
}

/// The job ranks of the images that want one team, in their order there: those with an index of
/// their own at that place, and the others in between. Empty: two want one index, or one is none.
std::vector<rank_id> arrange(const atl::team& parent, const std::vector<wish>& wishes, int number) {
  std::size_t size = 0;
  for (const wish& each : wishes) size += each.number == number ? 1 : 0;
  std::vector<rank_id> members(size, no_rank);
  for (rank_id member = 0; member < wishes.size(); ++member) {
    const wish& each = wishes[member];
    if (each.number != number || each.new_index == 0) continue;
    const auto place = static_cast<std::size_t>(each.new_index) - 1;
    if (each.new_index < 0 || place >= size || members[place] != no_rank) return {};
    members[place] = parent.job_rank(member);
  }
  std::size_t next = 0;
  for (rank_id member = 0; member < wishes.size(); ++member) {
    if (wishes[member].number != number || wishes[member].new_index != 0) continue;
    while (members[next] != no_rank) ++next;
    members[next] = parent.job_rank(member);
  }
  return members;
}

constexpr std::size_t cache_line_bytes = 64;

}  // namespace

team_state* form_team(int number, int new_index, const status_variables& told) noexcept {
  static constexpr const char* call = "FORM TEAM";
  process& us = running();
  atl::team& parent = *us.current->core;
  if (!sync_members(us, *us.current, call, told)) return nullptr;
  const std::vector<wish> wishes = gather(parent, {number, new_index});
  const std::vector<rank_id> members = arrange(parent, wishes, number);
  if (members.empty()) {
    refuse(call, text("NEW_INDEX is wrong on an image of team ", number),
           text("give each of its images another index, from 1 to the size of the team"));
  }
  auto made = std::make_unique<team_state>();
  made->own = coll::create_team(parent, rank_set(members));
  made->core = made->own.get();
  made->parent = us.current;
  made->number = number;
  made->progress_word = reinterpret_cast<std::uint32_t*>(
      allocate_symmetric(us, *made->core, sizeof(std::uint32_t), cache_line_bytes));
  if (made->progress_word == nullptr)
    refuse(call, "there is no memory for a team", "raise ATOLL_SYMMETRIC_LIMIT");
  us.teams.push_back(std::move(made));
  told.succeed();
  return us.teams.back().get();
}

void change_team(team_state* team, const status_variables& told) noexcept {
  static constexpr const char* call = "CHANGE TEAM";
  process& us = running();
  if (team == nullptr || team->parent != us.current) {
    refuse(call, "the team was not formed by the current team",
           "form it by FORM TEAM in the team that changes to it");
  }
  us.current = team;
  if (sync_members(us, *team, call, told)) told.succeed();
}

void end_team(const status_variables& told) noexcept {
  static constexpr const char* call = "END TEAM";
  process& us = running();
  team_state& ended = *us.current;
  if (ended.parent == nullptr)
    refuse(call, "there is no CHANGE TEAM to end", "call END TEAM once for each CHANGE TEAM");
  const bool complete = sync_members(us, ended, call, told);
  if (complete) deallocate_all(us, ended);
  us.current = ended.parent;
  if (complete) told.succeed();
}

int team_number(const team_state* team) noexcept {
  return (team != nullptr ? team : running().current)->number;
}

team_state* get_team() noexcept { return running().current; }

int this_image(int distance) noexcept {
  return static_cast<int>(ancestor(running(), distance).core->rank()) + 1;
}

int num_images(int distance) noexcept {
  return static_cast<int>(ancestor(running(), distance).core->size());
}

}  // namespace atl::coarray
