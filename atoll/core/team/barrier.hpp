// SPDX-License-Identifier: BSD-3-Clause
//
// A split-phase barrier of a team: arrive() tells the others, test() says whether all have
// arrived, and between the two a rank does other work. A barrier carries a tag, a name that ranks
// may give: the anonymous tag matches any, two different names are a mismatch that every rank
// learns.
//
// Three algorithms, chosen when a team is made (ATOLL_BARRIER):
//   flags     every member has a line of its own that all others read: one line crossing, for few
//             ranks that each have a core
//   counter   one counter per host; the last to arrive opens the next epoch, so each rank is
//             scheduled only once per barrier, which counts where cores are shared. Over several
//             hosts the leaders tell each other by messages in between
//   am        dissemination over messages; works on any transport
// The radix of dissemination is that of ATOLL_BARRIER_RADIX. Without that setting a program may
// change it (team::use_barrier_radix), as collectives do where their tuned table has a rule for
// barriers.
// One thread at a time per barrier. Barriers are part of the core and not of the layer of
// collectives because starting and ending a job needs them.
#pragma once

#include <atoll/base/rank.hpp>

#include <cstdint>
#include <memory>

namespace atl {

class team;

/// The tag that a rank brings to a barrier, and the combination of the tags of all ranks. Combining
/// is commutative and idempotent: anonymous < each name < mismatch.
class barrier_tag {
 public:
  static constexpr barrier_tag anonymous() noexcept { return barrier_tag(0); }
  static constexpr barrier_tag named(std::uint32_t id) noexcept {
    return barrier_tag((std::uint64_t{1} << 32) | id);
  }
  static constexpr barrier_tag mismatch() noexcept { return barrier_tag(std::uint64_t{2} << 32); }

  constexpr bool is_anonymous() const noexcept { return bits_ == 0; }
  constexpr bool is_named() const noexcept { return bits_ >> 32 == 1; }
  constexpr bool is_mismatch() const noexcept { return bits_ >> 32 == 2; }
  constexpr std::uint32_t id() const noexcept { return static_cast<std::uint32_t>(bits_); }

  constexpr std::uint64_t bits() const noexcept { return bits_; }
  static constexpr barrier_tag of_bits(std::uint64_t bits) noexcept { return barrier_tag(bits); }

  friend constexpr barrier_tag combine(barrier_tag a, barrier_tag b) noexcept {
    if (a.bits_ == b.bits_ || b.is_anonymous()) return a;
    return a.is_anonymous() ? b : mismatch();
  }
  friend constexpr bool operator==(barrier_tag a, barrier_tag b) noexcept {
    return a.bits_ == b.bits_;
  }
  friend constexpr bool operator!=(barrier_tag a, barrier_tag b) noexcept { return !(a == b); }

 private:
  constexpr explicit barrier_tag(std::uint64_t bits) noexcept : bits_(bits) {}
  std::uint64_t bits_;
};

class barrier {
 public:
  barrier() = default;
  barrier(const barrier&) = delete;
  barrier& operator=(const barrier&) = delete;
  virtual ~barrier() = default;

  /// This rank has arrived. It may arrive again only after test() was true.
  virtual void arrive(barrier_tag tag) noexcept = 0;

  /// Whether all ranks have arrived; does not wait. True once, then arrive() may be called again.
  virtual bool test() noexcept = 0;

  /// The tags of all ranks combined; valid after test() was true until the next arrive().
  virtual barrier_tag result() const noexcept = 0;

  /// This rank wants messages to go by dissemination of this radix; nothing where none are sent.
  /// A barrier has the largest that any rank wanted when it arrived at the one before. Any thread,
  /// at any time.
  virtual void use_radix(unsigned radix) noexcept { (void)radix; }
};

/// The radix of dissemination where neither setting nor program names one, and the largest.
inline constexpr unsigned barrier_radix_usual = 2, barrier_radix_max = 16;

/// The barriers that a team has, each with state of its own: plain ones, and those with names.
enum class barrier_use : std::uint8_t { plain, named, count };

/// How many members of a team, or leaders of its hosts, tell each other by messages in its barrier;
/// 0: all meet in shared memory. The same for all members.
rank_id barrier_messengers(team& members);

/// Makes the barrier that the settings and the team's hosts call for.
std::unique_ptr<barrier> make_barrier(team& team, barrier_use use);

}  // namespace atl
