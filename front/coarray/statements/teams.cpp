// SPDX-License-Identifier: BSD-3-Clause
//
// Teams of the program. FORM TEAM gathers number and requested index over the current team; each
// image then works out its own team. If an image fails meanwhile, the survivors gather by an
// agreement. The memory of a team lasts as long as the program, because variables may hold its
// address, and copies of them.
#include <front/coarray/statements/teams.hpp>

#include <atoll/base/error.hpp>
#include <atoll/base/text.hpp>
#include <atoll/coll/collectives.hpp>
#include <atoll/coll/team_creation.hpp>
#include <front/coarray/access/direct_table.hpp>
#include <front/coarray/failures/agreement.hpp>
#include <front/coarray/failures/failed_images.hpp>
#include <front/coarray/failures/image_status.hpp>
#include <front/coarray/memory/coarray.hpp>
#include <front/coarray/statements/synchronization.hpp>

#include <algorithm>
#include <bit>
#include <cstdint>
#include <iterator>
#include <map>
#include <utility>
#include <vector>

namespace atl::coarray {
namespace {

struct form_team_choice {
  std::int64_t number;
  std::int64_t new_index;  // 0: none
  std::uint64_t words;     // address of this image's words for the team
  std::uint64_t rank;
};
static_assert(sizeof(form_team_choice) == sizeof(offer));

const image_team& ancestor(const process_state& us, int distance) noexcept {
  const image_team* found = us.current;
  for (int i = 0; i < distance && found->parent != nullptr; ++i) found = found->parent;
  return *found;
}

/// The requests for one team, in the order of the images of the parent.
std::vector<form_team_choice> requests_for(const std::vector<form_team_choice>& requests,
                                           std::int64_t number) {
  std::vector<form_team_choice> found;
  std::copy_if(requests.begin(), requests.end(), std::back_inserter(found),
               [&](const form_team_choice& each) { return each.number == number; });
  return found;
}

/// The job ranks of the images that want one team, in their order there: an image that asks for an
/// index has that place, and the others fill the rest. Empty: two ask for one index, or one is
/// invalid.
std::vector<rank_id> arrange(const std::vector<form_team_choice>& requests) {
  std::vector<rank_id> members(requests.size(), no_rank);
  for (const form_team_choice& each : requests) {
    if (each.new_index == 0) continue;
    const auto place = static_cast<std::size_t>(each.new_index) - 1;
    if (place >= members.size() || members[place] != no_rank) return {};
    members[place] = static_cast<rank_id>(each.rank);
  }
  std::size_t next = 0;
  for (const form_team_choice& each : requests) {
    if (each.new_index != 0) continue;
    while (members[next] != no_rank) ++next;
    members[next] = static_cast<rank_id>(each.rank);
  }
  return members;
}

/// The same if images have failed, whose indices are missing: the others keep their order.
std::vector<rank_id> arrange_survivors(const std::vector<form_team_choice>& requests) {
  std::vector<rank_id> members = arrange(requests);
  if (!members.empty()) return members;
  std::multimap<std::int64_t, rank_id> by_index;
  for (const form_team_choice& each : requests)
    by_index.emplace(each.new_index, static_cast<rank_id>(each.rank));
  for (const auto& [new_index, rank] : by_index) members.push_back(rank);
  return members;
}

/// All teams that are formed together.
std::vector<sibling_team> arrange_all(const std::vector<form_team_choice>& requests,
                                      sync_result synced) {
  std::vector<std::int64_t> numbers;
  for (const form_team_choice& each : requests) numbers.push_back(each.number);
  std::sort(numbers.begin(), numbers.end());
  numbers.erase(std::unique(numbers.begin(), numbers.end()), numbers.end());
  std::vector<sibling_team> teams;
  for (const std::int64_t number : numbers) {
    std::vector<form_team_choice> wanted = requests_for(requests, number);
    teams.push_back(
        {number, synced == sync_result::of_all ? arrange(wanted) : arrange_survivors(wanted)});
  }
  return teams;
}

const sibling_team* find_sibling(const std::vector<sibling_team>& teams,
                                 std::int64_t number) noexcept {
  const auto found = std::find_if(teams.begin(), teams.end(),
                                  [&](const sibling_team& each) { return each.number == number; });
  return found != teams.end() ? &*found : nullptr;
}

/// One FORM TEAM, by all members of the current team, or by the survivors if one fails.
class formation {
 public:
  formation(process_state& us, std::int64_t number, int new_index, const status_variables& status)
      : us_(us), parent_(*us.current), status_(status), made_(std::make_unique<image_team>()) {
    made_->parent = us.current;
    made_->number = number;
    made_->words = make_words(us);
    if (made_->words == nullptr)
      refuse(form_call, "there is no memory for a team", "raise ATOLL_SEGMENT_LIMIT");
    own_ = {number, new_index, reinterpret_cast<std::uintptr_t>(made_->words), us.runtime.rank()};
  }

  /// Null if a member of the current team has stopped; the error is told.
  std::unique_ptr<image_team> run() {
    const sync_result begun = sync_members(us_, parent_, form_call, status_);
    if (begun == sync_result::missed) return nullptr;
    const bool is_formed = begun == sync_result::of_all && form_by_all();
    sync_result synced = complete_together(us_, parent_, is_formed, form_call, status_);
    if (synced == sync_result::of_survivors) synced = form_by_survivors();
    if (synced == sync_result::missed) return nullptr;
    conclude(us_, parent_, form_call, synced, status_);
    return std::move(made_);
  }

 private:
  bool form_by_all() {
    std::vector<form_team_choice> requests(parent_.core->size());
    if (coll::allgather(*parent_.core, requests.data(), &own_, sizeof own_) !=
        operation_status::done)
      return false;
    const std::vector<rank_id> members = take(requests, sync_result::of_all);
    return create([&] { return coll::create_team(*parent_.core, rank_set(members)); });
  }

  sync_result form_by_survivors() {
    for (;;) {
      agreed_list left;
      switch (agree(us_, parent_, std::bit_cast<offer>(own_), form_call, status_, left)) {
        case agreement::missed:
          return sync_result::missed;
        case agreement::complete:
          count_completed(parent_);
          return sync_result::of_all;
        case agreement::reached:
          break;
      }
      if (form_by(left)) return sync_result::of_survivors;
      if (!enter(us_, parent_, form_call, status_)) return sync_result::missed;
    }
  }

  /// False: an image has failed before all had made their teams. Images that failed after that do
  /// not count.
  bool form_by(const agreed_list& left) {
    std::vector<form_team_choice> requests;
    for (const agreed_member& each : left)
      requests.push_back(std::bit_cast<form_team_choice>(each.offered));
    const std::vector<rank_id> members = take(requests, sync_result::of_survivors);
    const bool is_formed =
        create([&] { return coll::create_team_alone(us_.runtime, rank_set(members)); });
    if (!enter(us_, parent_, form_call, status_)) return false;
    agreed_list formed;
    agree(us_, parent_, {is_formed ? 1u : 0u}, form_call, status_, formed);
    return std::all_of(formed.begin(), formed.end(),
                       [](const agreed_member& each) { return each.offered[0] == 1; });
  }

  /// Arranges the teams, and returns the members of this image's.
  std::vector<rank_id> take(const std::vector<form_team_choice>& requests, sync_result synced) {
    made_->siblings = arrange_all(requests, synced);
    const std::vector<rank_id> members = find_sibling(made_->siblings, made_->number)->members;
    if (members.empty()) {
      refuse(form_call, text("NEW_INDEX is wrong on an image of team ", made_->number),
             text("give each of its images another index, from 1 to the size of the team"));
    }
    made_->words_of.clear();
    for (const rank_id rank : members) {
      const auto wanted =
          std::find_if(requests.begin(), requests.end(),
                       [&](const form_team_choice& each) { return each.rank == rank; });
      // NOLINTNEXTLINE(performance-no-int-to-ptr): the address is that of another process
      made_->words_of.push_back(reinterpret_cast<std::byte*>(wanted->words));
    }
    return members;
  }

  /// A team that has lost a member already is left as it is: ending it would wait for that member.
  template <class Create>
  bool create(Create core_team) {
    (void)made_->own.release();
    try {
      made_->own = core_team();
    } catch (const error& refused) {
      if (any_has_failed(us_)) return false;
      refuse(form_call, refused.what(), "let all images of the team form it");
    }
    made_->core = made_->own.get();
    return true;
  }

  static constexpr const char* form_call = "FORM TEAM";

  process_state& us_;
  image_team& parent_;
  const status_variables& status_;
  std::unique_ptr<image_team> made_;
  form_team_choice own_{};
};

}  // namespace

image_team* form_team(std::int64_t number, int new_index, const status_variables& status) noexcept {
  process_state& us = running();
  std::unique_ptr<image_team> made = formation(us, number, new_index, status).run();
  if (made == nullptr) return nullptr;
  open_team_words(us, *made);
  us.teams.push_back(std::move(made));
  return us.teams.back().get();
}

void change_team(image_team* team, const status_variables& status) noexcept {
  static constexpr const char* call = "CHANGE TEAM";
  process_state& us = running();
  if (team == nullptr || team->parent != us.current) {
    refuse(call, "the team was not formed by the current team",
           "form it by FORM TEAM in the team that changes to it");
  }
  us.current = team;
  fill_direct_table(&us);
  conclude(us, *team, call, sync_members(us, *team, call, status), status);
}

void end_team(const status_variables& status) noexcept {
  static constexpr const char* call = "END TEAM";
  process_state& us = running();
  image_team& ended = *us.current;
  if (ended.parent == nullptr)
    refuse(call, "there is no CHANGE TEAM to end", "call END TEAM once for each CHANGE TEAM");
  const sync_result synced = sync_members(us, ended, call, status);
  if (synced != sync_result::missed) deallocate_all(us, ended);
  us.current = ended.parent;
  fill_direct_table(&us);
  conclude(us, ended, call, synced, status);
}

std::int64_t team_number(const image_team* team) noexcept {
  return (team != nullptr ? team : running().current)->number;
}

image_team* get_team() noexcept { return running().current; }

std::vector<rank_id> members_of(const image_team& team) {
  std::vector<rank_id> members(team.core->size());
  for (rank_id member = 0; member < team.core->size(); ++member)
    members[member] = team.core->job_rank(member);
  return members;
}

std::vector<rank_id> members_of_sibling(std::int64_t number) {
  const process_state& us = running();
  if (number == us.current->number) return members_of(*us.current);
  if (number == us.initial->number) return members_of(*us.initial);
  const sibling_team* const found = find_sibling(us.current->siblings, number);
  return found != nullptr ? found->members : std::vector<rank_id>{};
}

int this_image(const image_team& team) noexcept { return static_cast<int>(team.core->rank()) + 1; }
int this_image(int distance) noexcept { return this_image(ancestor(running(), distance)); }

int num_images(const image_team& team) noexcept { return static_cast<int>(team.core->size()); }
int num_images(int distance) noexcept { return num_images(ancestor(running(), distance)); }

int num_images_of_sibling(std::int64_t number) noexcept {
  const std::vector<rank_id> members = members_of_sibling(number);
  if (members.empty()) {
    refuse("NUM_IMAGES", text("there is no team of number ", number),
           "name a team that was formed together with the current one");
  }
  return static_cast<int>(members.size());
}

int count_failed(int distance) noexcept {
  return static_cast<int>(images_in(image_state::failed, &ancestor(running(), distance)).size());
}

}  // namespace atl::coarray
