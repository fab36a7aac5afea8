// SPDX-License-Identifier: BSD-3-Clause
//
// Teams of this front: the core's, with a name by which calls from other ranks find them. The names
// of this process are in one table, which only the holder of the master persona uses: rpcs run
// there, and so do collectives.
#include <upcxx/team.hpp>

#include <atoll/base/text.hpp>
#include <atoll/coll/team_creation.hpp>
#include <atoll/core/job/layer_access.hpp>
#include <atoll/core/team/team.hpp>
#include <front/upcxx/process_state.hpp>
#include <upcxx/barrier.hpp>

#include <algorithm>
#include <memory>
#include <optional>
#include <ostream>
#include <vector>

namespace atl::upcxx_front {

void need_collective(const char* call) noexcept {
  need_job(call);
  if (!upcxx::master_persona().active_with_caller()) [[unlikely]] {
    refuse(call, "the calling thread does not hold the master persona",
           "acquire it by a persona_scope, or call from the thread that called init()");
  }
  if (this_thread().restricted) [[unlikely]] {
    refuse(call, "called in the restricted context, where ranks cannot agree on an order",
           "call it outside of callbacks and rpcs");
  }
}

void wait_collective(event& done) noexcept {
  job.runtime->wait_while([] { return advance(true); }, [&] { return test_event(done); },
                          atl::layer_access::bell_sleep_ns(*job.runtime));
}

void process_state::close_teams() {
  std::vector<upcxx::team*> left;
  for (const auto& [id, entry] : teams) {
    if (entry.local != nullptr && entry.local->owned_) left.push_back(entry.local);
  }
  // By name: ranks that are members of the same two teams end them in the same order.
  std::ranges::sort(left, {}, [](const upcxx::team* each) { return each->id(); });
  for (upcxx::team* each : left) each->destroy(upcxx::entry_barrier::none);
}

void enter_by_barrier(const upcxx::team& team, upcxx::entry_barrier entry, const char* call) {
  if (entry == upcxx::entry_barrier::user) upcxx::barrier(team);
  if (entry == upcxx::entry_barrier::internal) team.core(call).barrier();
}

void start_barrier(const upcxx::team& team, event& done) noexcept {
  need_collective("upcxx::barrier_async");
  done = team.core("upcxx::barrier_async").start_barrier();
}

}  // namespace atl::upcxx_front

namespace upcxx {

using atl::upcxx_front::need_collective;
using atl::upcxx_front::refuse;
using atl::upcxx_front::the_process;

void barrier(const team& team) {
  need_collective("upcxx::barrier");
  atl::event done = team.core("upcxx::barrier").start_barrier();
  atl::upcxx_front::wait_collective(done);
}

team::team(atl::team* made, bool owned) : core_(made), owned_(owned) {
  if (made == nullptr) return;
  rank_ = static_cast<intrank_t>(made->rank());
  size_ = static_cast<intrank_t>(made->size());
  id_ = team_id(made->id());
  enlist();
}

team::team(team&& other) noexcept
    : core_(std::exchange(other.core_, nullptr)),
      owned_(other.owned_),
      rank_(other.rank_),
      size_(other.size_),
      id_(other.id_) {
  if (core_ != nullptr) enlist();
}

team& team::operator=(team&& other) noexcept {
  if (this == &other) return *this;
  if (is_active()) {
    refuse("team::operator=", "its target is active", "call destroy() on it before, collectively");
  }
  core_ = std::exchange(other.core_, nullptr);
  owned_ = other.owned_;
  rank_ = other.rank_;
  size_ = other.size_;
  id_ = other.id_;
  if (core_ != nullptr) enlist();
  return *this;
}

team::~team() {
  if (core_ == nullptr || !owned_ || the_process == nullptr) return;
  refuse("team::~team", "the team has not been ended by all its members",
         "call destroy() before, collectively, or finalize()");
}

void team::refuse_inactive(const char* call) noexcept {
  refuse(call, "the team is inactive: made with color_none, moved from, or destroyed",
         "ask is_active() before");
}

void team::enlist() {
  auto& names = the_process->teams;
  auto& entry = names[id_];
  entry.local = this;
  entry.ended = false;
  if (!entry.awaited) return;
  atl::upcxx_front::defer_work(atl::upcxx_front::make_work([id = id_] {
    if (the_process == nullptr) return;
    auto& made = the_process->teams[id];
    if (made.local == nullptr) return;
    if (auto waiting = std::exchange(made.awaited, std::nullopt)) {
      waiting->fulfill_result(*made.local);
    }
  }));
}

void team::forget() noexcept {
  auto& entry = the_process->teams[id_];
  entry.local = nullptr;
  entry.ended = true;
}

intrank_t team::operator[](intrank_t member) const noexcept {
  atl::team& core_team = core("team::operator[]");
  if (member < 0 || member >= size_) {
    refuse("team::operator[]", "there is no such member", "members are 0 to rank_n() - 1");
  }
  return static_cast<intrank_t>(core_team.job_rank(static_cast<atl::rank_id>(member)));
}

intrank_t team::from_world(intrank_t world_rank, intrank_t otherwise) const noexcept {
  const atl::rank_id found = core("team::from_world").member(static_cast<atl::rank_id>(world_rank));
  return found == atl::no_rank ? otherwise : static_cast<intrank_t>(found);
}

intrank_t team::from_world(intrank_t world_rank) const noexcept {
  const intrank_t found = from_world(world_rank, -1);
  if (found < 0) {
    refuse("team::from_world", "that rank is not a member of the team",
           "pass a second argument to be given for such ranks");
  }
  return found;
}

// All members are first waited for with user-level progress; making the team is short then.
team team::split(intrank_t color, intrank_t key) const {
  if (color < 0 && color != color_none) {
    refuse("team::split", "the colour is negative", "use 0 and above, or team::color_none");
  }
  barrier(*this);
  const std::optional<int> wanted = color == color_none ? std::nullopt : std::optional<int>(color);
  return team(atl::coll::split_team(core("team::split"), wanted, key).release(), true);
}

struct team::member_list {
  std::vector<atl::rank_id> ranks;
};

team::member_list* team::new_list() const { return new member_list(); }
void team::add(member_list& list, intrank_t member) {
  list.ranks.push_back(static_cast<atl::rank_id>(member));
}

team team::create_of(member_list* list) const {
  const std::unique_ptr<member_list> held(list);
  for (atl::rank_id& each : held->ranks) {
    each = static_cast<atl::rank_id>((*this)[static_cast<intrank_t>(each)]);
  }
  barrier(*this);
  return team(atl::coll::create_team(core("team::create"), atl::rank_set(held->ranks)).release(),
              true);
}

void team::destroy(entry_barrier entry) {
  if (!is_active()) return;
  need_collective("team::destroy");
  if (!owned_) {
    refuse("team::destroy", "world() and local_team() are not the program's to end",
           "destroy only what split() and create() have made");
  }
  atl::upcxx_front::enter_by_barrier(*this, entry, "team::destroy");
  forget();
  atl::coll::destroy_team(std::unique_ptr<atl::team>(std::exchange(core_, nullptr)));
}

team& team_id::here() const noexcept {
  atl::upcxx_front::need_job("team_id::here");
  const auto found = the_process->teams.find(*this);
  if (found == the_process->teams.end() || found->second.local == nullptr) {
    refuse("team_id::here", "this process has no team of that name",
           "only members have it, from its making to its end; see when_here()");
  }
  return *found->second.local;
}

future<team&> team_id::when_here() const {
  atl::upcxx_front::need_job("team_id::when_here");
  auto& entry = the_process->teams[*this];
  if (entry.local != nullptr) return make_future<team&>(*entry.local);
  if (entry.ended) {
    refuse("team_id::when_here", "the team of that name has been destroyed here",
           "destroy a team when nothing that names it is under way any more");
  }
  if (!entry.awaited) entry.awaited.emplace();
  return entry.awaited->get_future();
}

std::ostream& operator<<(std::ostream& to, const team_id& id) {
  return to << "team " << std::uint64_t{id.number_};
}

team& world() noexcept {
  atl::upcxx_front::need_job("upcxx::world");
  return *the_process->world;
}

team& local_team() noexcept {
  atl::upcxx_front::need_job("upcxx::local_team");
  return *the_process->local;
}

std::pair<intrank_t, intrank_t> local_team_position() noexcept {
  atl::upcxx_front::need_job("upcxx::local_team_position");
  const atl::team_hosts& hosts = atl::upcxx_front::job.runtime->world().hosts();
  return {static_cast<intrank_t>(hosts.own_host()), static_cast<intrank_t>(hosts.count())};
}

}  // namespace upcxx
