// SPDX-License-Identifier: BSD-3-Clause
//
// The rounds of a search. Candidates take turns in blocks of three calls. The first call of a block
// is not timed, because what the candidate before it left behind delays it. Each pass over the
// candidates begins with another one. A block's times are a mean, since a member may run ahead in
// some calls and wait in the next; of the blocks the median counts, so that one during which
// another thread had the core counts as one bad block only.
#include <atoll/coll/tuned/search.hpp>

#include <algorithm>
#include <numeric>
#include <utility>

namespace atl::coll {

namespace {

constexpr std::size_t block = 3;             // calls that a candidate has at a time
constexpr std::size_t calls_per_round = 90;  // at most, for at least one pass
constexpr unsigned grace = 8;                // calls between the end of a round and its result
constexpr std::size_t finalists_max = 4;
constexpr double far_behind = 1.6;  // slower by this factor than the best: not in the final
constexpr double clear_win = 0.95;  // the part of candidate 0's time at which another replaces it

static_assert(2 * algorithm_search::candidates_max * block <= calls_per_round);
static_assert(2 * (calls_per_round + grace) <= algorithm_search::calls_max);

// The median of the values; the smaller one of two.
double median(std::span<double> values) {
  if (values.empty()) return 0;
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>((values.size() - 1) / 2);
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

}  // namespace

void trial_times::combine(const trial_times& other) noexcept {
  first_half = std::max(first_half, other.first_half);
  second_half = std::max(second_half, other.second_half);
  gap_least = std::min(gap_least, other.gap_least);
  gap_most = std::max(gap_most, other.gap_most);
  call_least = std::min(call_least, other.call_least);
}

algorithm_search::algorithm_search(std::size_t candidates)
    : candidates_(std::min(candidates, candidates_max)) {
  if (candidates_ < 2) return;
  std::vector<std::uint8_t> everyone(candidates_);
  std::iota(everyone.begin(), everyone.end(), std::uint8_t{0});
  --searches_left_;
  begin_round(round::first, std::move(everyone));
}

std::size_t algorithm_search::round_calls() const noexcept {
  return passes_ * running_.size() * block;
}

void algorithm_search::begin_round(round next, std::vector<std::uint8_t> candidates) {
  round_ = next;
  running_ = std::move(candidates);
  calls_ = 0;
  const std::size_t most = next == round::first ? 3 : next == round::final ? 12 : 2;
  passes_ = std::clamp(calls_per_round / (running_.size() * block), std::size_t{1}, most);
  samples_.assign(running_.size(), {});
  for (samples& each : samples_) {
    each.calls.reserve(passes_);
    each.gaps.reserve(passes_);
    each.periods.reserve(passes_);
  }
}

std::span<trial_times> algorithm_search::begin_agreement() {
  end_block();
  combined_.clear();
  for (samples& each : samples_) {
    const std::span periods(each.periods);
    // In the first round there are too few blocks for halves.
    const std::size_t half = round_ == round::first ? 0 : periods.size() / 2;
    const double gap = median(each.gaps);
    trial_times own{.first_half = median(periods.first(half)),
                    .second_half = median(periods.subspan(half)),
                    .gap_least = gap,
                    .gap_most = gap,
                    .call_least = median(each.calls)};
    if (half == 0) own.first_half = own.second_half;
    combined_.push_back(own);
  }
  agreement_ = agreement::under_way;
  grace_ = grace;
  return combined_;
}

std::size_t algorithm_search::next() {
  last_counts_ = false;
  if (agreement_ != agreement::none) {
    if (grace_ > 0) {
      --grace_;
      return best_;
    }
    go_by_times();
  }
  if (round_ == round::steady && candidates_ > 1 && calls_ >= review_after_) {
    begin_round(round::review, {static_cast<std::uint8_t>(best_)});
  }
  const std::size_t call = calls_++;
  if (round_ == round::steady) return best_;
  if (call % block == 0) end_block();
  const std::size_t pass = call / (running_.size() * block);
  last_place_ = (call / block + pass) % running_.size();
  last_counts_ = call % block != 0;
  return running_[last_place_];
}

void algorithm_search::add(double call_ns, double gap_ns) {
  if (!std::exchange(last_counts_, false)) return;
  block_calls_ns_ += call_ns;
  block_gaps_ns_ += gap_ns;
  ++block_times_;
}

// A block may have fewer times than calls, since the owner need not know the time of each.
void algorithm_search::end_block() {
  const double times = std::exchange(block_times_, 0);
  if (times == 0) return;
  samples& candidate = samples_[last_place_];
  const double call = std::exchange(block_calls_ns_, 0) / times;
  const double gap = std::exchange(block_gaps_ns_, 0) / times;
  candidate.calls.push_back(call);
  candidate.gaps.push_back(gap);
  candidate.periods.push_back(call + gap);
}

std::uint32_t algorithm_search::calls_that_need_not_ask() const noexcept {
  if (round_ != round::steady || agreement_ != agreement::none) return 0;
  if (candidates_ < 2) return ~std::uint32_t{0};
  return static_cast<std::uint32_t>(review_after_ - std::min(calls_, review_after_));
}

void algorithm_search::go_by_times() {
  agreement_ = agreement::none;
  if (round_ == round::first) return choose_finalists();
  if (round_ == round::final) return choose_best();
  review();
}

// Candidate 0 is in the final even when it is slow: the best must win against it.
void algorithm_search::choose_finalists() {
  std::vector<std::pair<double, std::uint8_t>> by_time;
  for (std::size_t place = 0; place < running_.size(); ++place) {
    by_time.emplace_back(combined_[place].total(), running_[place]);
  }
  std::ranges::sort(by_time);
  const double gaps = 2 * combined_.front().gap_most;
  const double limit = gaps + far_behind * std::max(by_time.front().first - gaps, 0.0);
  std::vector<std::uint8_t> finalists{0};
  for (const auto& [time, candidate] : by_time) {
    if (candidate == 0 || finalists.size() == finalists_max) continue;
    if (time <= limit) finalists.push_back(candidate);
  }
  begin_round(round::final, std::move(finalists));
}

void algorithm_search::choose_best() {
  const trial_times& rules = combined_.front();  // of candidate 0
  std::size_t winner = 0;
  for (std::size_t place = 1; place < combined_.size(); ++place) {
    if (combined_[place].total() < combined_[winner].total()) winner = place;
  }
  const trial_times& times = combined_[winner];
  const double gaps = 2 * rules.gap_most;  // the program's own time, whatever the algorithm
  const bool wins = rules.total() > gaps &&
                    times.total() - gaps < clear_win * (rules.total() - gaps) &&
                    times.first_half < rules.first_half && times.second_half < rules.second_half;
  if (!wins) winner = 0;
  best_ = running_[winner];
  gain_ = winner == 0 ? 1 : std::max(times.total() - gaps, 0.0) / (rules.total() - gaps);
  rhythm_ = rhythm_of(combined_[winner]);
  found_[static_cast<std::size_t>(rhythm_)] = static_cast<int>(best_);
  round_ = round::steady;
  calls_ = 0;
}

void algorithm_search::review() {
  const rhythm now = rhythm_of(combined_.front());
  round_ = round::steady;
  calls_ = 0;
  if (now == rhythm_) {
    review_after_ = std::min(2 * review_after_, calls_till_review_max);
    return;
  }
  review_after_ = calls_till_review;
  const int known = found_[static_cast<std::size_t>(now)];
  if (known >= 0) {
    rhythm_ = now;
    best_ = static_cast<std::size_t>(known);
  } else if (searches_left_ > 0) {
    --searches_left_;
    std::vector<std::uint8_t> everyone(candidates_);
    std::iota(everyone.begin(), everyone.end(), std::uint8_t{0});
    begin_round(round::first, std::move(everyone));
  }
}

algorithm_search::rhythm algorithm_search::rhythm_of(const trial_times& combined) const noexcept {
  return combined.gap_most - combined.gap_least > combined.call_least ? rhythm::apart
                                                                      : rhythm::together;
}

}  // namespace atl::coll
