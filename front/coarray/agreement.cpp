// SPDX-License-Identifier: BSD-3-Clause
//
// The messages of an agreement. A vote is the statement, the number of the vote, and a hash of the
// list; a decision is the statement and the hash. A member is at most one agreement behind another
// one, which cannot decide the next one without its vote, so a decision stays until all have seen
// it.
#include <front/coarray/agreement.hpp>

#include <atoll/base/halves.hpp>
#include <atoll/base/hash.hpp>
#include <front/coarray/failed_images.hpp>
#include <front/coarray/synchronization.hpp>

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
enum class finding : unsigned char { awaited, fits, again, failed, decided, complete, stopped };

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

  finding run(const offer& own, agreed_list& result, rank_id& culprit) {
    publish(own);
    for (;;) {
      finding found = collect(own);
      if (found == finding::fits) found = vote();
      if (found == finding::again || found == finding::failed) {
        ++number_;
        std::this_thread::sleep_for(between_votes);
        continue;
      }
      if (found == finding::decided) result = ballots_[chosen_].members;
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
  finding collect(const offer& own) {
    ballot next;
    for (rank_id member = 0; member < team_.core->size(); ++member) {
      if (member == team_.core->rank()) {
        next.members.push_back({member, own});
        continue;
      }
      offer offered{};
      const finding found = await(member, [&] { return look_for_offer(member, offered); });
      if (found == finding::fits) {
        next.members.push_back({member, offered});
      } else if (found != finding::failed) {
        return found;
      }
    }
    next.hash = hash_of(next.members);
    ballots_.push_back(std::move(next));
    return finding::fits;
  }

  finding vote() {
    const std::size_t own = ballots_.size() - 1;
    const std::uint32_t hash = ballots_[own].hash;
    __atomic_store_n(&team_.words->vote, packed_vote(statement_, number_, hash), __ATOMIC_RELEASE);
    for (const agreed_member& each : ballots_[own].members) {
      if (each.member == team_.core->rank()) continue;
      const finding found = await(each.member, [&] { return look_for_vote(each.member, hash); });
      if (found != finding::fits) return found;
    }
    return decide(own);
  }

  finding decide(std::size_t ballot) noexcept {
    chosen_ = ballot;
    const std::uint64_t decision = packed_decision(statement_, ballots_[ballot].hash);
    __atomic_store_n(&team_.words->decision, decision, __ATOMIC_RELEASE);
    return finding::decided;
  }

  template <class Look>
  finding await(rank_id member, Look look) {
    finding found = finding::awaited;
    us_.runtime.wait_until(
        [&] {
          found = look_for_loss(member);
          if (found == finding::awaited) found = look_for_end(member);
          if (found == finding::awaited) found = look();
          return found != finding::awaited;
        },
        runtime::silent_sleep_ns);
    culprit_ = member;
    return found;
  }

  /// Adopts the decision of another member about a list that this one has voted for. Ignores that
  /// of a member that is known to have failed, since this one may have voted for a list without it.
  finding look_for_end(rank_id member) noexcept {
    std::uint32_t completed = 0;
    if (!load_word(us_, team_, member, &team_words::completed, completed)) return finding::failed;
    if (is_reached(completed, statement_)) return finding::complete;
    std::uint64_t decision = 0;
    if (!load_word(us_, team_, member, &team_words::decision, decision)) return finding::failed;
    for (std::size_t i = 0; i < ballots_.size(); ++i) {
      if (decision == packed_decision(statement_, ballots_[i].hash)) return decide(i);
    }
    return finding::awaited;
  }

  finding look_for_offer(rank_id member, offer& offered) noexcept {
    std::uint64_t before = 0;
    std::uint64_t after = 0;
    if (!load_word(us_, team_, member, &team_words::offered, before)) return finding::failed;
    if (before != statement_) return finding::awaited;
    if (!load_offer(us_, team_, member, offered)) return finding::failed;
    if (!load_word(us_, team_, member, &team_words::offered, after)) return finding::failed;
    if (has_failed(us_, team_.core->job_rank(member))) return finding::failed;
    return after == statement_ ? finding::fits : finding::awaited;
  }

  finding look_for_vote(rank_id member, std::uint32_t hash) noexcept {
    std::uint64_t vote = 0;
    if (!load_word(us_, team_, member, &team_words::vote, vote)) return finding::failed;
    if (vote == packed_vote(statement_, number_, hash)) return finding::fits;
    if (vote >> 48 != (statement_ & 0xFFFF)) return finding::awaited;
    const auto number = high_half(vote) & 0xFFFF;
    if (number < number_) return finding::awaited;
    number_ = std::max(number_, number == number_ ? number : number - 1);  // run() adds one
    return finding::again;
  }

  finding look_for_loss(rank_id member) noexcept {
    const rank_id rank = team_.core->job_rank(member);
    if (has_failed(us_, rank)) return finding::failed;
    if (!us_.runtime.stopped(rank)) return finding::awaited;
    std::uint32_t entered = 0;
    load_word(us_, team_, member, &team_words::entered, entered);
    return is_reached(entered, statement_) ? finding::awaited : finding::stopped;
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
                const status_variables& told, agreed_list& members) {
  negotiation talks(us, team);
  rank_id culprit = 0;
  const finding found = talks.run(own, members, culprit);
  if (found == finding::decided) return agreement::reached;
  if (found == finding::complete) return agreement::complete;
  tell_stopped(told, call, static_cast<int>(culprit) + 1);
  return agreement::missed;
}

}  // namespace atl::coarray
