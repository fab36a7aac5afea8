// SPDX-License-Identifier: BSD-3-Clause
//
// The search for the fastest algorithm of one kind of call while the program makes such calls. It
// has two rounds: in the first all candidates take turns, in the final those that were near the
// best, together with the first candidate, which is the choice of the rules. After each round the
// members combine their times, and from the eighth call after that on they go by the result; so all
// members choose alike, and on most calls they exchange nothing. A search takes at most 200 calls.
// Afterwards six calls are timed again after 4,096 calls, and after twice as many each time, up to
// 65,536: when the members have begun to arrive at another rhythm, for which nothing was searched
// yet, one more search begins.
//
// A search knows no clock, no team and no algorithm: candidates are numbers, and its owner brings
// the times and combines them. Threads: one at a time.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace atl::coll {

/// The times of one candidate in nanoseconds: a member's medians, or those of all members combined.
/// A period is the time from the end of a call to the end of the next; of several members the
/// longest counts, because the others wait for that one sooner or later.
struct trial_times {
  double first_half = 0;   // a period, in the first half of the round
  double second_half = 0;  // and in the second
  double gap_least = 0;    // the part of a period before the call, of the member where it is least
  double gap_most = 0;     // and of the one where it is most
  double call_least = 0;   // a call, of the member where it is shortest

  double total() const noexcept { return first_half + second_half; }
  /// Takes in what other members had.
  void combine(const trial_times& other) noexcept;
};

class algorithm_search {
 public:
  static constexpr std::size_t candidates_max = 15;
  static constexpr std::size_t calls_max = 200;           // until it is settled
  static constexpr std::size_t calls_till_review = 4096;  // the first one
  static constexpr std::size_t calls_till_review_max = 65536;

  /// Candidate 0 is the choice of the rules. With one candidate there is nothing to search.
  explicit algorithm_search(std::size_t candidates);

  // --- for each call, in this order, alike on all members ---------------------------------------

  /// The next call must wait: it depends on times that are not combined yet.
  bool waits() const noexcept { return agreement_ == agreement::under_way && grace_ == 0; }

  /// Before the next call the members begin to combine their times.
  bool wants_agreement() const noexcept {
    return agreement_ == agreement::none && round_ != round::steady && calls_ == round_calls();
  }

  /// This member's times, a place for each candidate in the round. They are to be combined with
  /// those of the other members in this place, and then agreed() is called.
  std::span<trial_times> begin_agreement();
  void agreed() noexcept { agreement_ = agreement::over; }

  /// Counts a call; returns the candidate that it uses.
  std::size_t next();

  /// The call that was counted last took so long, and began so long after the one before it. Need
  /// not be called for each.
  void add(double call_ns, double gap_ns);

  // --- what is known -----------------------------------------------------------------------------

  bool settled() const noexcept { return round_ == round::steady || round_ == round::review; }
  std::size_t best() const noexcept { return best_; }

  /// The time of the best candidate as a part of the time of candidate 0, without the gap of the
  /// program between calls, when it was settled.
  double gain() const noexcept { return gain_; }

  /// Members arrive so far apart that the wait for the last is longer than the call.
  bool arrives_apart() const noexcept { return rhythm_ == rhythm::apart; }

  /// So many calls need not ask: they use the best candidate, and skip() counts them.
  std::uint32_t calls_that_need_not_ask() const noexcept;
  void skip(std::uint32_t calls) noexcept { calls_ += calls; }

 private:
  enum class round : std::uint8_t { first, final, steady, review };
  enum class agreement : std::uint8_t { none, under_way, over };
  enum class rhythm : std::uint8_t { together, apart };

  /// The times of one candidate in this round, a mean for each of its blocks of calls.
  struct samples {
    std::vector<double> calls, gaps, periods;
  };

  std::size_t round_calls() const noexcept;
  void begin_round(round next, std::vector<std::uint8_t> candidates);
  void end_block();
  void go_by_times();
  void choose_finalists();
  void choose_best();
  void review();
  rhythm rhythm_of(const trial_times& combined) const noexcept;

  std::size_t candidates_;
  round round_ = round::steady;
  agreement agreement_ = agreement::none;
  unsigned grace_ = 0;     // calls until the result is needed
  std::size_t calls_ = 0;  // in this round
  std::size_t review_after_ = calls_till_review;
  std::size_t passes_ = 0;      // of this round over its candidates
  std::size_t last_place_ = 0;  // of the last call's candidate in the round
  bool last_counts_ = false;    // whether its time is wanted
  double block_calls_ns_ = 0;   // of the calls of this block that count
  double block_gaps_ns_ = 0;
  unsigned block_times_ = 0;  // how many there are
  std::size_t best_ = 0;
  double gain_ = 1;
  rhythm rhythm_ = rhythm::together;
  std::array<int, 2> found_{-1, -1};  // the best candidate for each rhythm, once it was searched
  unsigned searches_left_ = 2;
  std::vector<std::uint8_t> running_;  // the candidates in this round
  std::vector<samples> samples_;       // of each of them
  std::vector<trial_times> combined_;  // of each of them
};

}  // namespace atl::coll
