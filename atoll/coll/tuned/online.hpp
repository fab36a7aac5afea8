// SPDX-License-Identifier: BSD-3-Clause
//
// Online tuning (ATOLL_TUNE=online): the kinds of calls that a program makes on a team, each with
// its search, and the rules that these found. A kind is a collective, a power of two of the size,
// for reductions the size of an element and whether they commute, whether the caller waits, and
// whether members begin or end together. A call that the caller waits for is judged by the time
// from the end of the one before it to its own end, and what the program does between calls is
// subtracted. One that overlaps with the program is judged by the time from its start to the start
// of the next, which is the time that the program sees.
//
// Threads: as the selection, under the engine's lock. All members of a team see its calls in the
// same order, and so have the same kinds and the same choices.
#pragma once

#include <atoll/coll/engine/engine.hpp>
#include <atoll/coll/tuned/search.hpp>
#include <atoll/coll/tuned/table.hpp>

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace atl::coll {

/// How a call is made: the caller waits in it; members begin or end together, which counts as a
/// call that does not block.
struct call_form {
  bool blocking = false;
  bool strict = false;
  bool operator==(const call_form&) const = default;
};

/// One kind of call of one team.
struct tuned_call {
  /// `sample` is a call of this kind; candidate 0 is the choice without a search.
  tuned_call(const call& sample, std::vector<choice> candidates, bool strict = false);

  bool is_kind_of(const arguments& request, call_form of_call) const noexcept;
  choice best() const noexcept { return candidates[search.best()]; }

  /// The caller waits: its call begins or has ended.
  void begins() noexcept;
  void ends();
  /// The caller does not wait: its call begins.
  void passes();

  collective kind;
  unsigned size_class;  // std::bit_width of the bytes
  std::size_t element_bytes;
  bool commutative;
  call_form form;
  std::vector<choice> candidates;
  algorithm_search search;
  decision last;              // about a call of this kind
  std::uint32_t granted = 0;  // calls for which the search need not be asked
  std::uint32_t repeats = 0;  // of them, those that are left
  bool is_reported = false;   // the result has been reported
  std::int64_t began_ns = 0;
  std::int64_t ended_ns = 0;  // 0: no call has ended yet
};

/// The kinds of one team. More than kinds_max are not searched.
class online_tuner {
 public:
  static constexpr std::size_t kinds_max = 64;

  /// Null: there is none for such a call yet, or will never be if is_full().
  tuned_call* find(const arguments& request, call_form form) const noexcept;
  bool is_full() const noexcept { return kinds_ == kinds_max; }
  tuned_call& add(const call& sample, std::vector<choice> candidates, bool strict);

 private:
  static constexpr std::size_t slots = 2 * kinds_max;
  static std::size_t slot_of(const arguments& request, call_form form) noexcept;

  std::array<std::unique_ptr<tuned_call>, slots> table_;  // each at its slot or behind it
  std::size_t kinds_ = 0;
};

/// The reduction by which members combine their times.
reduction combination_of_times() noexcept;

/// The rules that searches have found in this process.
class online_rules {
 public:
  /// The result of a search on the team of `sample`, if it is not the choice without one, in a job
  /// whose messages between hosts take so long.
  void add(const call& sample, const tuned_call& searched, std::uint64_t network_ns);

  /// Throws `atl::error` where save() will not be able to write the file.
  static void check_place(const std::string& path);

  /// Writes them before the rules of the file, if there are any. Says so when it cannot; the file
  /// then stays as it was.
  void save(const std::string& path) const noexcept;

 private:
  std::vector<tuned_rule> rules_;
};

}  // namespace atl::coll
