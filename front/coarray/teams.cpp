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
#include <front/coarray/failed_images.hpp>
#include <front/coarray/image_status.hpp>
#include <front/coarray/synchronization.hpp>

#include <algorithm>
#include <vector>

namespace atl::coarray {
namespace {

struct wish {
  std::int64_t number;
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
std::vector<rank_id> arrange(const atl::team& parent, const std::vector<wish>& wishes,
                             std::int64_t number) {
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

/// All teams that are formed together.
std::vector<sibling_team> arrange_all(const atl::team& parent, const std::vector<wish>& wishes) {
  std::vector<std::int64_t> numbers;
  for (const wish& each : wishes) numbers.push_back(each.number);
  std::sort(numbers.begin(), numbers.end());
  numbers.erase(std::unique(numbers.begin(), numbers.end()), numbers.end());
  std::vector<sibling_team> teams;
  for (const std::int64_t number : numbers)
    teams.push_back({number, arrange(parent, wishes, number)});
  return teams;
}

const sibling_team* find_sibling(const std::vector<sibling_team>& teams,
                                 std::int64_t number) noexcept {
  const auto found = std::find_if(teams.begin(), teams.end(),
                                  [&](const sibling_team& each) { return each.number == number; });
  return found != teams.end() ? &*found : nullptr;
}

std::vector<rank_id> members_of(const team_state& team) {
  std::vector<rank_id> members(team.core->size());
  for (rank_id member = 0; member < team.core->size(); ++member)
    members[member] = team.core->job_rank(member);
  return members;
}

constexpr std::size_t cache_line_bytes = 64;

}  // namespace

team_state* form_team(std::int64_t number, int new_index, const status_variables& told) noexcept {
  static constexpr const char* call = "FORM TEAM";
  process& us = running();
  atl::team& parent = *us.current->core;
  const meeting met = sync_members(us, *us.current, call, told);
  if (met == meeting::missed) return nullptr;
  if (met == meeting::of_survivors) {
    tell_state_of(us, *us.current, call, told);
    return nullptr;
  }
  std::vector<sibling_team> formed = arrange_all(parent, gather(parent, {number, new_index}));
  const std::vector<rank_id>& members = find_sibling(formed, number)->members;
  if (members.empty()) {
    refuse(call, text("NEW_INDEX is wrong on an image of team ", number),
           text("give each of its images another index, from 1 to the size of the team"));
  }
  auto made = std::make_unique<team_state>();
  made->own = coll::create_team(parent, rank_set(members));
  made->core = made->own.get();
  made->parent = us.current;
  made->number = number;
  made->siblings = std::move(formed);
  made->words = reinterpret_cast<team_words*>(
      allocate_symmetric(us, *made->core, sizeof(team_words), cache_line_bytes));
  if (made->words == nullptr)
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
  conclude(us, *team, call, sync_members(us, *team, call, told), told);
}

void end_team(const status_variables& told) noexcept {
  static constexpr const char* call = "END TEAM";
  process& us = running();
  team_state& ended = *us.current;
  if (ended.parent == nullptr)
    refuse(call, "there is no CHANGE TEAM to end", "call END TEAM once for each CHANGE TEAM");
  const meeting met = sync_members(us, ended, call, told);
  if (met != meeting::missed) deallocate_all(us, ended);
  us.current = ended.parent;
  conclude(us, ended, call, met, told);
}

std::int64_t team_number(const team_state* team) noexcept {
  return (team != nullptr ? team : running().current)->number;
}

team_state* get_team() noexcept { return running().current; }

std::vector<rank_id> members_of_sibling(std::int64_t number) {
  const process& us = running();
  if (number == us.current->number) return members_of(*us.current);
  if (number == us.initial->number) return members_of(*us.initial);
  const sibling_team* const found = find_sibling(us.current->siblings, number);
  return found != nullptr ? found->members : std::vector<rank_id>{};
}

int this_image(int distance) noexcept {
  return static_cast<int>(ancestor(running(), distance).core->rank()) + 1;
}

int num_images(int distance) noexcept {
  return static_cast<int>(ancestor(running(), distance).core->size());
}

int count_failed(int distance) noexcept {
  return static_cast<int>(images_in(image_state::failed, &ancestor(running(), distance)).size());
}

}  // namespace atl::coarray
