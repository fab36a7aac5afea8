// SPDX-License-Identifier: BSD-3-Clause
//
// Reading the words of other members.
#include <front/coarray/failures/team_words.hpp>

#include <atoll/core/atomic/atomic.hpp>
#include <atoll/core/job/layer_access.hpp>
#include <front/coarray/failures/failed_images.hpp>
#include <front/coarray/process_state.hpp>

#include <cstring>
#include <new>

namespace atl::coarray {
namespace {

template <class Word>
bool load_at(process_state& us, rank_id rank, const words_place& place, std::size_t offset,
             Word& value) noexcept {
  if (place.mapped != nullptr) {
    const auto* const word = reinterpret_cast<const std::byte*>(place.mapped) + offset;
    // Acquire: pairs with the stores of the owner.
    value = __atomic_load_n(reinterpret_cast<const Word*>(word), __ATOMIC_ACQUIRE);
    return true;
  }
  if (has_failed(us, rank)) return false;
  value = atomic<Word>(us.heaps, rank, reinterpret_cast<Word*>(place.remote + offset),
                       {.op = atomic_op::get, .operand = 0, .operand2 = 0}, {.acquire = true});
  return !has_failed(us, rank);
}

template <class Word>
bool load(process_state& us, const image_team& team, rank_id member, Word team_words::* word,
          Word& value) noexcept {
  static const team_words sample;
  const auto offset = reinterpret_cast<const std::byte*>(&(sample.*word)) -
                      reinterpret_cast<const std::byte*>(&sample);
  return load_at(us, team.core->job_rank(member), find_words(us, team, member),
                 static_cast<std::size_t>(offset), value);
}

}  // namespace

team_words* make_words(process_state& us) noexcept {
  void* const memory = us.runtime.heap().allocate(sizeof(team_words), alignof(team_words));
  return memory != nullptr ? new (memory) team_words : nullptr;
}

words_place find_words(const process_state& us, const image_team& team, rank_id member) noexcept {
  const rank_id rank = team.core->job_rank(member);
  words_place place{.remote =
                        team.words_of.empty()
                            ? us.remote_address(rank, reinterpret_cast<std::byte*>(team.words))
                            : team.words_of[member]};
  if (!us.runtime.is_neighbour(rank)) return place;
  const std::ptrdiff_t offset = place.remote - us.remote_address(rank, us.heap_base);
  place.mapped =
      reinterpret_cast<team_words*>(layer_access::host_memory(us.runtime).shared(rank) + offset);
  return place;
}

bool load_word(process_state& us, const image_team& team, rank_id member,
               std::uint32_t team_words::* word, std::uint32_t& value) noexcept {
  return load(us, team, member, word, value);
}

bool load_word(process_state& us, const image_team& team, rank_id member,
               std::uint64_t team_words::* word, std::uint64_t& value) noexcept {
  return load(us, team, member, word, value);
}

bool load_offer(process_state& us, const image_team& team, rank_id member, offer& value) noexcept {
  for (std::size_t i = 0; i < value.size(); ++i) {
    const std::size_t offset = offsetof(team_words, offered_words) + i * sizeof value[i];
    if (!load_at(us, team.core->job_rank(member), find_words(us, team, member), offset, value[i]))
      return false;
  }
  return true;
}

}  // namespace atl::coarray
