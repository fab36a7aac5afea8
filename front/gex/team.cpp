// SPDX-License-Identifier: BSD-3-Clause
//
// Teams and pairs. A team of the API is a team of the core together with the index of the endpoints
// that it names; a pair names an endpoint index at every rank of the job. Collectives need no
// scratch memory here: what a client gives is kept unused and handed back at the end.
#include <gasnetex_identity.h>
#include <gasnetex_objects.h>
#include <atoll/base/error.hpp>
#include <atoll/base/text.hpp>
#include <atoll/coll/team_creation.hpp>
#include <front/gex/context.hpp>
#include <front/gex/objects.hpp>

#include <algorithm>
#include <optional>
#include <span>
#include <utility>
#include <vector>

namespace atl::gex {

// Decides how the header finds a member's row: by an offset, by a list, or not at all.
void team_member::open(atl::team* team, atoll_gex_endpoint& local, atl::endpoint& named) noexcept {
  core = team;
  endpoint = &local;
  remote = &named;
  carries_messages = (local.capabilities & GEX_EP_CAPABILITY_AM) != 0;
  crossing = static_cast<std::uint8_t>(local.core->index() ^ named.index());
  routes = named.bound().routes();
  rows = nullptr;
  size = team != nullptr ? team->size() : named.owner().size();
  rank = team != nullptr ? team->rank() : named.owner().rank();
  inline_size = size;
  listed_size = 0;
  if (team == nullptr) return;
  const rank_set& members = team->members();
  if (!members.is_progression()) {
    rows = members.list();
    listed_size = std::exchange(inline_size, 0);
  } else if (members.stride() == 1) {
    routes += members.first();
  } else {
    inline_size = 0;
  }
}

gex_EP_t endpoint_of_index(std::size_t index) noexcept {
  if (index == 0) return &the_process->endpoint;
  const std::lock_guard hold(the_process->making_endpoints);
  return index < GASNET_MAXEPS ? the_process->endpoints[index].get() : GEX_EP_INVALID;
}

namespace {

constexpr gex_Flags_t size_queries =
    GEX_FLAG_TM_SCRATCH_SIZE_MIN | GEX_FLAG_TM_SCRATCH_SIZE_RECOMMENDED;

gex_TM_t hand_out(std::unique_ptr<atl::team> new_team, atoll_gex_endpoint& local,
                  gex_Memvec_t scratch, gex_Flags_t flags) {
  auto* const handle = new team_member;
  handle->open(new_team.get(), local, *local.core);
  if (!the_process->headers_transfer) handle->leave_transfers_to_library();
  handle->owned = std::move(new_team);
  handle->scratch = scratch;
  handle->flags = flags;
  return handle;
}

// The job ranks of a list of endpoints; refuses lists that no team can have.
struct named_ranks {
  std::vector<rank_id> ranks;
  gex_EP_Index_t index;
};

named_ranks ranks_of(const char* call, const atl::team& parent,
                     std::span<const gex_EP_Location_t> named, bool by_jobrank) {
  named_ranks found{.ranks = {}, .index = named.front().gex_ep_index};
  for (const gex_EP_Location_t& each : named) {
    const gex_Rank_t limit = by_jobrank ? runtime().size() : parent.size();
    if (each.gex_rank >= limit) {
      refuse(call, text("rank ", each.gex_rank, " is not below ", limit),
             by_jobrank ? "give ranks of the job" : "give ranks of the parent team");
    }
    if (each.gex_ep_index != found.index) {
      refuse(call, text("endpoints of index ", found.index, " and ", each.gex_ep_index),
             "make a team of endpoints of one index");
    }
    found.ranks.push_back(by_jobrank ? each.gex_rank : parent.job_rank(each.gex_rank));
  }
  std::vector<rank_id> sorted = found.ranks;
  std::sort(sorted.begin(), sorted.end());
  if (const auto twice = std::adjacent_find(sorted.begin(), sorted.end()); twice != sorted.end()) {
    refuse(call, text("two endpoints of the process of rank ", *twice), "name each process once");
  }
  return found;
}

// Runs a function that makes a team. No exception may reach a client in C.
template <class Make>
std::unique_ptr<atl::team> make_team(const char* call, Make make) noexcept {
  try {
    return make();
  } catch (const std::exception& wrong) {
    refuse(call, wrong.what(), "see the specification of the call, or free some memory");
  }
}

gex_Memvec_t scratch_of(std::span<const gex_EP_Location_t> named, const atl::team& new_team,
                        const gex_Addr_t* addresses, std::size_t size,
                        const atoll_gex_endpoint& local_endpoint, gex_Flags_t flags) {
  if ((flags & GEX_FLAG_TM_NO_SCRATCH) != 0 || addresses == nullptr || size == 0) return {};
  const bool global = (flags & GEX_FLAG_TM_GLOBAL_SCRATCH) != 0 && new_team.rank() < named.size();
  auto* place = static_cast<char*>(addresses[global ? new_team.rank() : 0]);
  if ((flags & GEX_FLAG_SCRATCH_SEG_OFFSET) != 0 && local_endpoint.segment != GEX_SEGMENT_INVALID) {
    place = reinterpret_cast<char*>(local_endpoint.segment->address) +
            reinterpret_cast<std::uintptr_t>(place);
  }
  return {place, size};
}

}  // namespace
}  // namespace atl::gex

using namespace atl::gex;

size_t gex_TM_Split(gex_TM_t* new_tm_p, gex_TM_t parent_tm, int color, int key, void* scratch_addr,
                    size_t scratch_size, gex_Flags_t flags) {
  static constexpr const char* call = "gex_TM_Split";
  may_communicate(call);
  atl::team& parent = team_of(parent_tm, call);
  const bool joins = new_tm_p != nullptr;
  if ((flags & size_queries) != 0) return joins ? GASNET_PAGESIZE : 0;
  if (joins && color < 0) refuse(call, atl::text("the colour is ", color), "give one of 0 or more");
  std::unique_ptr<atl::team> new_team = make_team(call, [&] {
    return atl::coll::split_team(parent, joins ? std::optional(color) : std::nullopt, key);
  });
  if (!joins) return 0;
  const bool scratch = (flags & GEX_FLAG_TM_NO_SCRATCH) == 0 && scratch_addr != nullptr;
  *new_tm_p = hand_out(std::move(new_team), *member(parent_tm).endpoint,
                       scratch ? gex_Memvec_t{scratch_addr, scratch_size} : gex_Memvec_t{}, flags);
  return 0;
}

size_t gex_TM_Create(gex_TM_t* new_tms, size_t num_new_tms, gex_TM_t parent_tm,
                     gex_EP_Location_t* args, size_t numargs, gex_Addr_t* scratch_addrs,
                     size_t scratch_size, gex_Flags_t flags) {
  static constexpr const char* call = "gex_TM_Create";
  may_communicate(call);
  atl::team& parent = team_of(parent_tm, call);
  if ((flags & size_queries) != 0) return numargs != 0 ? GASNET_PAGESIZE : 0;
  const auto create = [&](std::span<const atl::rank_id> ranks) {
    return make_team(call, [&] { return atl::coll::create_team(parent, atl::rank_set(ranks)); });
  };
  if (numargs == 0) {
    create({});
    return 0;
  }
  const std::span<const gex_EP_Location_t> named(args, numargs);
  const named_ranks wanted = ranks_of(call, parent, named, (flags & GEX_FLAG_RANK_IS_JOBRANK) != 0);
  if (num_new_tms == 0) {  // the caller's process is not named
    create({});
    return 0;
  }
  const gex_EP_t local = endpoint_of_index(wanted.index);
  if (new_tms == nullptr || num_new_tms != 1 || local == GEX_EP_INVALID) {
    refuse(
        call,
        atl::text(num_new_tms, " teams are to be returned for endpoints of index ", wanted.index),
        "make room for one team, of an endpoint that this process has made");
  }
  std::unique_ptr<atl::team> new_team = create(wanted.ranks);
  const gex_Memvec_t scratch =
      scratch_of(named, *new_team, scratch_addrs, scratch_size, *local, flags);
  *new_tms = hand_out(std::move(new_team), *local, scratch, flags);
  return 0;
}

int gex_TM_Destroy(gex_TM_t tm, gex_Memvec_t* scratch_p, gex_Flags_t) {
  static constexpr const char* call = "gex_TM_Destroy";
  may_communicate(call);
  team_of(tm, call);
  if (tm == &the_process->world) {
    refuse(call, "the team of all ranks lasts as long as the job", "destroy others only");
  }
  team_member& gone = member(tm);
  if (gone.split.notified) {
    refuse(call, "a barrier with a name is under way", "call gasnet_coll_barrier_wait() first");
  }
  const gex_Memvec_t scratch = gone.scratch;
  atl::coll::destroy_team(std::move(gone.owned));
  delete &gone;
  if (scratch.gex_len == 0 || scratch_p == nullptr) return 0;
  *scratch_p = scratch;
  return 1;
}

gex_TM_t gex_TM_Pair(gex_EP_t local_ep, gex_EP_Index_t remote_ep_index) {
  static constexpr const char* call = "gex_TM_Pair";
  process_state& process = started(call);
  if (local_ep == GEX_EP_INVALID || remote_ep_index >= GASNET_MAXEPS) {
    refuse(call, atl::text("an endpoint of index ", remote_ep_index),
           atl::text("name a local endpoint, and an index below ", GASNET_MAXEPS));
  }
  std::atomic<team_member*>& slot =
      process
          .pairs[process.index_of(*local_ep->core) * std::size_t{GASNET_MAXEPS} + remote_ep_index];
  // Acquire: pairs with the release below, so that a pair that is seen is whole.
  if (team_member* const pair = slot.load(std::memory_order_acquire)) return pair;
  const std::lock_guard hold(process.registering);
  if (team_member* const pair = slot.load(std::memory_order_relaxed)) return pair;
  auto* const pair = new team_member;
  pair->open(nullptr, *local_ep, process.core_endpoint(remote_ep_index));
  const bool is_on_device =
      local_ep->segment != GEX_SEGMENT_INVALID && local_ep->segment->device != nullptr;
  if (!process.headers_transfer || is_on_device) pair->leave_transfers_to_library();
  slot.store(pair, std::memory_order_release);
  return pair;
}

// --- translation -----------------------------------------------------------------------------

gex_Rank_t gex_TM_TranslateRankToJobrank(gex_TM_t tm, gex_Rank_t rank) {
  static constexpr const char* call = "gex_TM_TranslateRankToJobrank";
  const atl::team& team = team_of(tm, call);
  check_rank(call, tm, rank);
  return team.job_rank(rank);
}

gex_Rank_t gex_TM_TranslateJobrankToRank(gex_TM_t tm, gex_Rank_t jobrank) {
  static constexpr const char* call = "gex_TM_TranslateJobrankToRank";
  const atl::team& team = team_of(tm, call);
  check_rank(call, &the_process->world, jobrank);
  return team.member(jobrank);
}

gex_EP_Location_t gex_TM_TranslateRankToEP(gex_TM_t tm, gex_Rank_t rank, gex_Flags_t) {
  return {gex_TM_TranslateRankToJobrank(tm, rank), the_process->index_of(*member(tm).remote)};
}
