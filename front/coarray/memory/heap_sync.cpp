// SPDX-License-Identifier: BSD-3-Clause
//
// Synchronizations with requests. Two places for requests are enough: a member stores its third
// request after the synchronization of the second one, and the others enter that after they have
// read the first. A synchronization that a stopped member has missed waits for no member, so the
// next request takes the same place: the team also misses all later synchronizations, and no member
// reads the requests made for them.
#include <front/coarray/memory/heap_sync.hpp>

#include <atoll/base/text.hpp>

namespace atl::coarray {
namespace {

/// Whether all other members have made the same request.
bool is_of_all(const process_state& us, const image_team& team, const heap_request& own,
               unsigned turn, const char* call) {
  bool is_alike = true;
  for (rank_id member = 0; member < team.core->size(); ++member) {
    const heap_request& other = find_words(us, team, member).mapped->heap_requests[turn];
    is_alike = is_alike && other == own;
    if (other.statement == own.statement) continue;
    refuse(call, text("image ", member + 1, " has come to another statement instead"),
           "all images of the team allocate and deallocate the same coarrays in the same order");
  }
  return is_alike;
}

}  // namespace

heap_request request_for(const process_state& us, const std::byte* memory, std::size_t bytes,
                         bool is_release) noexcept {
  heap_request made{.is_release = is_release ? 1u : 0u, .bytes = bytes};
  if (memory != nullptr) made.place = static_cast<std::uint64_t>(memory - us.heap_base);
  return made;
}

heap_sync sync_with_request(process_state& us, image_team& team, heap_request own, const char* call,
                            const status_variables& status) noexcept {
  if (!team.is_on_host) return {sync_members(us, team, call, status), false};
  own.statement = team.progress + 1;
  const unsigned turn = ++team.requests_made % 2;
  team.words->heap_requests[turn] = own;
  const sync_result synced = sync_members(us, team, call, status);
  if (synced == sync_result::missed) --team.requests_made;
  const bool is_alike = synced == sync_result::of_all && is_of_all(us, team, own, turn, call);
  return {synced, is_alike && own.place != heap_request::nowhere};
}

}  // namespace atl::coarray
