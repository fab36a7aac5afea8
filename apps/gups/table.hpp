// SPDX-License-Identifier: BSD-3-Clause
//
// The table: 2^m words over all ranks, for any number of ranks. Word i belongs to rank
// (i * ranks) >> m: parts that differ by one word at most, found without a division. An update
// exclusive-ors a number into the word that its low m bits name.
//
// Words that other ranks change by themselves lie in shared memory. Words that only their owner
// changes lie in private memory, for which the kernel has large pages on more machines. Symmetric
// memory is that of OpenSHMEM: one address names the first word of every rank.
#pragma once

#include <apps/gups/private_words.hpp>
#include <apps/gups/stream.hpp>
#include <upcxx/upcxx.hpp>

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <vector>

namespace gups {

enum class memory : unsigned char { at_owner, of_all, symmetric };

/// One rank's words. A value that travels in messages; its owner applies updates to it.
struct table_part {
  word* at_owner = nullptr;         // the first word, as its owner sees it
  upcxx::global_ptr<word> for_all;  // the same; null in private memory
  word first = 0;                   // its number
  word count = 0;
};

class table {
 public:
  /// Collective. Throws `atl::error`, on all ranks, where the memory of one does not suffice.
  table(unsigned log2_words, memory placement);
  table(const table&) = delete;
  table& operator=(const table&) = delete;
  /// Has a barrier, after which no rank updates.
  ~table();

  word words() const noexcept { return word{1} << log2_words_; }
  /// The number of the word that an update changes.
  word target(word update) const noexcept { return update & (words() - 1); }
  upcxx::intrank_t owner(word index) const noexcept {
    return static_cast<upcxx::intrank_t>((index * parts_.size()) >> log2_words_);
  }
  /// A pointer to a word of any rank; only for tables in shared memory.
  upcxx::global_ptr<word> pointer_to(word index) const noexcept {
    const table_part& owner_part = parts_[static_cast<std::size_t>(owner(index))];
    return owner_part.for_all + static_cast<std::ptrdiff_t>(index - owner_part.first);
  }

  /// The number of a word within its owner's part.
  word place_in_part(word index, upcxx::intrank_t of_owner) const noexcept {
    return index - part_of(of_owner).first;
  }

  const table_part& part_of(upcxx::intrank_t rank) const noexcept {
    return parts_[static_cast<std::size_t>(rank)];
  }
  const table_part& local_part() const noexcept { return part_of(upcxx::rank_me()); }

  /// Sets each word of this rank to its number.
  void fill() noexcept;
  /// Applies those of the updates [0, count) again that change words of this rank, which must
  /// restore every word to its number; returns how many words of this rank are wrong then.
  std::uint64_t wrong_words(std::uint64_t count) noexcept;

 private:
  table_part allocate(memory placement);
  void release(const table_part& own) noexcept;

  unsigned log2_words_;
  memory placement_;
  private_words private_;
  std::vector<table_part> parts_;
};

/// The distance, in updates, between the prefetch of a word and its change: about the number of
/// loads that a core can have under way.
inline constexpr std::ptrdiff_t prefetched = 48;

/// Calls `change` for each update in turn, and `ask` for the update `prefetched` places ahead.
template <class Updates, class Ask, class Change>
void change_in_turn(const Updates& updates, Ask ask, Change change) {
  const auto last = std::end(updates);
  auto asked = std::begin(updates);
  const auto ready = asked + std::min(prefetched, last - asked);
  for (; asked != ready; ++asked) ask(*asked);
  auto current = std::begin(updates);
  for (; asked != last; ++asked, ++current) {
    ask(*asked);
    change(*current);
  }
  for (; current != last; ++current) change(*current);
}

/// Updates words of this rank, which no other rank changes meanwhile.
template <class Updates>
void apply_updates(const table_part& local, word mask, const Updates& updates) noexcept {
  word* const words = local.at_owner;
  const word first = local.first;
  change_in_turn(
      updates, [=](word update) { __builtin_prefetch(words + ((update & mask) - first), 1); },
      [=](word update) { words[(update & mask) - first] ^= update; });
}

}  // namespace gups
