// SPDX-License-Identifier: BSD-3-Clause
//
// Words that each member of a team keeps in memory that the others reach: how far it is, and what
// it proposes and decides when members agree after a failure (agreement.hpp). Others read them once
// an image has stopped or failed, and then at each statement of the team.
//
// Where the team is on one host, the first word is its barrier as well (synchronization.cpp). The
// others poll it, so it has cache lines of its own, a pair as processors fetch them. The rest of
// these lines holds the member's request to the heap at an ALLOCATE or DEALLOCATE.
//
// Loads read the words of a neighbour, even when it has failed: its memory stays as long as that of
// the job. The words of an image on another host are lost with it.
#pragma once

#include <atoll/base/rank.hpp>
#include <atoll/base/system/cpu.hpp>

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace atl::coarray {

struct process_state;
struct image_team;

/// The words that a member gives to the others when they agree.
using offer = std::array<std::uint64_t, 4>;

/// A request of a member to the symmetric heap. The member stores it before it comes to the
/// statement, and others read it when all have come.
struct heap_request {
  static constexpr std::uint64_t nowhere = ~std::uint64_t{0};

  std::uint32_t statement = 0;  // its number in the team
  std::uint32_t is_release = 0;
  std::uint64_t bytes = 0;
  std::uint64_t place = nowhere;  // the offset of the block

  bool operator==(const heap_request&) const = default;
};

/// Each word is stored by its owner with release and loaded with acquire. Requests are plain data:
/// the store of `entered` behind them releases them, and the load of it before they are read
/// acquires them.
struct team_words {
  std::uint32_t entered = 0;  // image control statements and collectives that it has come to
  // Used in turn: a member may make its next request when another has not yet read the last one.
  std::array<heap_request, 2> heap_requests;
  // The last of these that is known to this member to be complete: all members have come to it.
  alignas(2 * cache_line) std::uint32_t completed = 0;
  std::uint64_t vote = 0;  // see agreement.cpp
  std::uint64_t decision = 0;
  std::uint64_t offered = 0;  // the statement for which `offered_words` is
  offer offered_words{};
};

/// The place of a member's words: here, if it is a neighbour, and by its own addresses.
struct words_place {
  team_words* mapped = nullptr;
  std::byte* remote = nullptr;
};

/// Words of this image, filled with zeros, in its heap; null without memory.
team_words* make_words(process_state& us) noexcept;

/// The place of the words of a member.
words_place find_words(const process_state& us, const image_team& team, rank_id member) noexcept;

/// Loads a word of a member; false if its words cannot be read any more.
bool load_word(process_state& us, const image_team& team, rank_id member,
               std::uint32_t team_words::* word, std::uint32_t& value) noexcept;
bool load_word(process_state& us, const image_team& team, rank_id member,
               std::uint64_t team_words::* word, std::uint64_t& value) noexcept;
bool load_offer(process_state& us, const image_team& team, rank_id member, offer& value) noexcept;

/// Numbers of statements wrap; members are never 2^31 statements apart.
inline bool is_reached(std::uint32_t seen, std::uint32_t statement) noexcept {
  return static_cast<std::int32_t>(seen - statement) >= 0;
}

}  // namespace atl::coarray
