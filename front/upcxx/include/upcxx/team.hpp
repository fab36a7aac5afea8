// SPDX-License-Identifier: BSD-3-Clause
//
// Teams: ordered sets of ranks that act together. A team belongs to the process, not to a thread;
// the holder of the master persona makes the calls that are collective over it, in the same order
// on all members. team_id names a team on all its members. Spec: chapter 11, and barriers of
// chapter 12.
#pragma once

#include <atoll/base/ordered.hpp>
#include <upcxx/completion.hpp>
#include <upcxx/flight.hpp>
#include <upcxx/init.hpp>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <iosfwd>
#include <type_traits>
#include <utility>

namespace atl {
class team;
namespace upcxx_front {
struct process_state;
}
}  // namespace atl

namespace upcxx {

class team;

/// Whether members wait for each other before something is ended, and with which progress.
enum class entry_barrier { none, internal, user };

/// The name of a team, the same on all members; a default one names none.
class team_id : private atl::ordered<team_id> {
 public:
  constexpr team_id() noexcept = default;

  /// The team of this name in this process, which is a member and has made it.
  team& here() const noexcept;
  /// The same as soon as it has been made here.
  future<team&> when_here() const;

  friend constexpr bool operator==(const team_id& a, const team_id& b) noexcept {
    return a.number_ == b.number_;
  }
  friend constexpr bool operator<(const team_id& a, const team_id& b) noexcept {
    return a.number_ < b.number_;
  }
  friend std::ostream& operator<<(std::ostream& to, const team_id& id);

 private:
  friend class team;
  friend struct std::hash<team_id>;
  explicit constexpr team_id(std::uint64_t number) noexcept : number_(number) {}
  std::uint64_t number_ = ~std::uint64_t{0};
};

/// An ordered set of ranks, numbered from 0. The same on all members, each of which has an object
/// for it; destroy() it before that ends.
class team {
 public:
  /// For split(): the caller is to be a member of no new team.
  static constexpr intrank_t color_none = -1;

  /// An inactive team. May be made before init() too.
  team() noexcept = default;
  team(team&& other) noexcept;
  team& operator=(team&& other) noexcept;
  team(const team&) = delete;
  team& operator=(const team&) = delete;
  /// Allowed after destroy(), a move, or finalize(), and for an inactive team.
  ~team();

  intrank_t rank_me() const noexcept { return rank_; }
  intrank_t rank_n() const noexcept { return size_; }

  /// The rank in the world of a member, and the other way round.
  intrank_t operator[](intrank_t member) const noexcept;
  intrank_t from_world(intrank_t world_rank) const noexcept;
  intrank_t from_world(intrank_t world_rank, intrank_t otherwise) const noexcept;

  /// Makes one new team per colour, ordered by key. Collective; makes user-level progress.
  team split(intrank_t color, intrank_t key) const;

  /// The team of these members of this one, given by their ranks in it, in this order; an inactive
  /// team where the range is empty. Collective over this team: each caller names its own new team.
  template <class Range>
  team create(const Range& members) const {
    return create_from([&](auto add) {
      for (const auto& each : members) add(static_cast<intrank_t>(each));
    });
  }
  template <class Iterator>
  team create(Iterator first, Iterator last) const {
    return create_from([&](auto add) {
      for (; first != last; ++first) add(static_cast<intrank_t>(*first));
    });
  }

  template <class Iterator>
  team create(Iterator first, Iterator last, [[maybe_unused]] std::size_t count) const {
    return create(first, last);
  }

  /// Gives up what the team holds. Collective; does nothing for an inactive team.
  void destroy(entry_barrier entry = entry_barrier::user);

  /// False for the result of split() with color_none, and after a move or destroy().
  bool is_active() const noexcept { return core_ != nullptr; }
  team_id id() const noexcept { return id_; }

  /// The runtime's team; for the headers of this front.
  atl::team& core(const char* call) const noexcept {
    if (core_ == nullptr) [[unlikely]]
      refuse_inactive(call);
    return *core_;
  }
  /// A team of the runtime; null: inactive. For this front.
  team(atl::team* made, bool owned);

 private:
  friend struct atl::upcxx_front::process_state;
  struct member_list;
  [[noreturn, gnu::cold]] static void refuse_inactive(const char* call) noexcept;
  member_list* new_list() const;
  static void add(member_list& list, intrank_t member);
  team create_of(member_list* list) const;
  template <class Fill>
  team create_from(Fill fill) const {
    member_list* const list = new_list();
    fill([list](intrank_t member) { add(*list, member); });
    return create_of(list);
  }
  void enlist();
  void forget() noexcept;

  atl::team* core_ = nullptr;
  bool owned_ = false;
  intrank_t rank_ = 0;
  intrank_t size_ = 0;
  team_id id_;
};

/// All ranks of the job.
team& world() noexcept;
/// The ranks whose shared memory this one can load and store, itself among them.
team& local_team() noexcept;
/// Whether a rank of the world is in the local team.
inline bool local_team_contains(intrank_t world_rank) noexcept {
  atl::upcxx_front::need_job("upcxx::local_team_contains");
  return atl::upcxx_front::job.is_local(static_cast<std::uint32_t>(world_rank));
}
/// The number of the caller's local team among those of the job, and how many there are.
std::pair<intrank_t, intrank_t> local_team_position() noexcept;

}  // namespace upcxx

template <>
struct std::hash<upcxx::team_id> {
  std::size_t operator()(const upcxx::team_id& id) const noexcept {
    return static_cast<std::size_t>(id.number_ * 0x9e3779b97f4a7c15ULL);
  }
};
