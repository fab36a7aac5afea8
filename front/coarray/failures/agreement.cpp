// SPDX-License-Identifier: BSD-3-Clause
//
// The messages of an agreement. A vote is the statement, the number of the vote, and a hash of the
// list; a decision is the statement and the hash. A member is at most one agreement behind another
// one, which cannot decide the next one without its vote, so a decision stays until all have seen
// it.
#include <front/coarray/failures/agreement.hpp>

#include <atoll/base/halves.hpp>
#include <atoll/base/hash.hpp>
#include <front/coarray/failures/failed_images.hpp>
#include <front/coarray/statements/synchronization.hpp>

#include <algorithm>
#include <chrono>
#include <thread>

namespace atl::coarray {
namespace {

// The pause between two votes, for a member that has yet to learn of a failure that others know.
constexpr std::chrono::microseconds between_votes{200};

struct ballot {
  agreed_list members;
  std::uint32_t hash = 0;
};

/// The consequence of one member's state for this member's next step.
enum class member_state : unsigned char {
  awaited,
  fits,
  again,
  failed,
  decided,
  complete,
  stopped
};

std::uint64_t packed_vote(std::uint32_t statement, std::uint32_t number, std::uint32_t hash) {
  return join_halves(hash, (statement & 0xFFFF) << 16 | (number & 0xFFFF));
}

std::uint64_t packed_decision(std::uint32_t statement, std::uint32_t hash) {
  return join_halves(hash, statement);
}

std::uint32_t hash_of(const agreed_list& members) {
  stable_hash hash;
  for (const agreed_member& each : members) {
    for (unsigned bit = 0; bit < 32; bit += 8)
      hash.add(static_cast<unsigned char>(each.member >> bit));
  }
  return static_cast<std::uint32_t>(hash.value());
}

class negotiation {
 public:
  negotiation(process_state& us, image_team& team)
      : us_(us), team_(team), statement_(team.progress) {}

  member_state run(const offer& own, agreed_list& result, rank_id& culprit) {
    publish(own);
    for (;;) {
      member_state found = collect(own);
      if (found == member_state::fits) found = vote();
      if (found == member_state::again || found == member_state::failed) {
        ++number_;
        std::this_thread::sleep_for(between_votes);
        continue;
      }
      if (found == member_state::decided) result = ballots_[chosen_].members;
      culprit = culprit_;
      return found;
    }
  }

 private:
  void publish(const offer& own) noexcept {
    team_words& words = *team_.words;
    for (std::size_t i = 0; i < own.size(); ++i)
      __atomic_store_n(&words.offered_words[i], own[i], __ATOMIC_RELEASE);
    __atomic_store_n(&words.offered, std::uint64_t{statement_}, __ATOMIC_RELEASE);
  }

  /// Makes a ballot of all members that have offered.
  member_state collect(const offer& own) {
    ballot next;
    for (rank_id member = 0; member < team_.core->size(); ++member) {
      if (member == team_.core->rank()) {
        next.members.push_back({member, own});
        continue;
      }
      offer offered{};
      const member_state found = await(member, [&] { return look_for_offer(member, offered); });
      if (found == member_state::fits) {
        next.members.push_back({member, offered});
      } else if (found != member_state::failed) {
        return found;
      }
    }
    next.hash = hash_of(next.members);
    ballots_.push_back(std::move(next));
    return member_state::fits;
  }

  member_state vote() {
    const std::size_t own = ballots_.size() - 1;
    const std::uint32_t hash = ballots_[own].hash;
    __atomic_store_n(&team_.words->vote, packed_vote(statement_, number_, hash), __ATOMIC_RELEASE);
    for (const agreed_member& each : ballots_[own].members) {
      if (each.member == team_.core->rank()) continue;
      const member_state found =
          await(each.member, [&] { return look_for_vote(each.member, hash); });
      if (found != member_state::fits) return found;
    }
    return decide(own);
  }

  member_state decide(std::size_t ballot) noexcept {
    chosen_ = ballot;
    const std::uint64_t decision = packed_decision(statement_, ballots_[ballot].hash);
    __atomic_store_n(&team_.words->decision, decision, __ATOMIC_RELEASE);
    return member_state::decided;
  }

  template <class Look>
  member_state await(rank_id member, Look look) {
    member_state found = member_state::awaited;
    us_.runtime.wait_until(
        [&] {
          found = look_for_loss(member);
          if (found == member_state::awaited) found = look_for_end(member);
          if (found == member_state::awaited) found = look();
          return found != member_state::awaited;
        },
        runtime::silent_sleep_ns);
    culprit_ = member;
    return found;
  }

  /// Adopts the decision of another member about a list that this one has voted for. Ignores that
  /// of a member that is known to have failed, since this one may have voted for a list without it.
  member_state look_for_end(rank_id member) noexcept {
    std::uint32_t completed = 0;
    if (!load_word(us_, team_, member, &team_words::completed, completed))
      return member_state::failed;
    if (is_reached(completed, statement_)) return member_state::complete;
    std::uint64_t decision = 0;
    if (!load_word(us_, team_, member, &team_words::decision, decision))
      return member_state::failed;
    for (std::size_t i = 0; i < ballots_.size(); ++i) {
      if (decision == packed_decision(statement_, ballots_[i].hash)) return decide(i);
    }
    return member_state::awaited;
  }

  member_state look_for_offer(rank_id member, offer& offered) noexcept {
    std::uint64_t before = 0;
    std::uint64_t after = 0;
    if (!load_word(us_, team_, member, &team_words::offered, before)) return member_state::failed;
    if (before != statement_) return member_state::awaited;
    if (!load_offer(us_, team_, member, offered)) return member_state::failed;
    if (!load_word(us_, team_, member, &team_words::offered, after)) return member_state::failed;
    if (has_failed(us_, team_.core->job_rank(member))) return member_state::failed;
    return after == statement_ ? member_state::fits : member_state::awaited;
  }

  member_state look_for_vote(rank_id member, std::uint32_t hash) noexcept {
    std::uint64_t vote = 0;
    if (!load_word(us_, team_, member, &team_words::vote, vote)) return member_state::failed;
    if (vote == packed_vote(statement_, number_, hash)) return member_state::fits;
    if (vote >> 48 != (statement_ & 0xFFFF)) return member_state::awaited;
    const auto number = high_half(vote) & 0xFFFF;
    if (number < number_) return member_state::awaited;
    number_ = std::max(number_, number == number_ ? number : number - 1);  // run() adds one
    return member_state::again;
  }

  member_state look_for_loss(rank_id member) noexcept {
    const rank_id rank = team_.core->job_rank(member);
    if (has_failed(us_, rank)) return member_state::failed;
    if (!us_.runtime.stopped(rank)) return member_state::awaited;
    std::uint32_t entered = 0;
    load_word(us_, team_, member, &team_words::entered, entered);
    return is_reached(entered, statement_) ? member_state::awaited : member_state::stopped;
  }

  process_state& us_;
  image_team& team_;
  std::uint32_t statement_;
  std::uint32_t number_ = 0;  // of the vote
  std::vector<ballot> ballots_;
  std::size_t chosen_ = 0;
  rank_id culprit_ = 0;  // the member that was checked last
};

}  // namespace

agreement agree(process_state& us, image_team& team, const offer& own, const char* call,
                const status_variables& status, agreed_list& members) {
  negotiation talks(us, team);
  rank_id culprit = 0;
  const member_state found = talks.run(own, members, culprit);
  if (found == member_state::decided) return agreement::reached;
  if (found == member_state::complete) return agreement::complete;
  tell_stopped(status, call, static_cast<int>(culprit) + 1);
  return agreement::missed;
}

}  // namespace atl::coarray
