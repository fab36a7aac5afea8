// SPDX-License-Identifier: BSD-3-Clause
//
// Makes rules from records, in the order of series and of sizes in these. Each point is judged by
// itself, apart from the algorithm of the size before, which it keeps where no other one is clearly
// faster. Algorithms left out before the last round get no rule.
#include <tools/tune/rules.hpp>

#include <atoll/base/error.hpp>
#include <atoll/base/rounding.hpp>
#include <atoll/base/text.hpp>
#include <atoll/coll/tuned/machine.hpp>
#include <atoll/coll/tuned/network.hpp>
#include <tools/tune/comparison.hpp>
#include <tools/tune/evaluation.hpp>

#include <algorithm>
#include <cmath>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <tuple>

namespace atl::tools {

namespace {

const double clearly_faster =
    -std::log(1.05);  // logarithms of times relative to the built-in choice
const double faster_in_mean = -std::log(1.02);
constexpr double errors_least = 2;  // that a gain of several passes is larger than its error
constexpr double as_fast = 0.02;    // more time for which a rule of smaller sizes ends
constexpr std::uint64_t reach = 2;  // of a rule, in factors of the size
constexpr std::uint64_t bytes_few = 8;
constexpr std::size_t rounds_least = 4;

// Whether it is clearly faster in the even and the odd rounds, and in the first and second half.
bool wins_in_all_parts(std::span<const double> times, std::span<const double> base) {
  const std::size_t half = times.size() / 2;
  return log_ratio(times, base, 2) <= clearly_faster &&
         log_ratio(times.subspan(1), base.subspan(1), 2) <= clearly_faster &&
         log_ratio(times.first(half), base) <= clearly_faster &&
         log_ratio(times.subspan(half), base.subspan(half)) <= clearly_faster;
}

// The logarithm of the time relative to the built-in choice; 0 where it is not clearly faster.
double gain_in_one_pass(const tune_record& point, const std::string& algorithm) {
  const auto base = point.times_ns.find(point.built_in);
  const std::vector<double>& times = point.times_ns.at(algorithm);
  if (base == point.times_ns.end() || base->second.size() < rounds_least) return 0;
  if (times.size() != base->second.size() || !wins_in_all_parts(times, base->second)) return 0;
  return log_ratio(times, base->second);
}

// The same over several passes.
double gain_in_passes(const tune_passes& passes, const std::string& algorithm) {
  const std::optional<comparison> found = compare(passes, algorithm);
  if (!found || found->log_mean > faster_in_mean) return 0;
  return found->log_mean <= -errors_least * found->error ? found->log_mean : 0;
}

// Records by how much their calls differ from sums of doubles that are not strict: the number of
// differences, then which. The rules of a group may fit calls of later ones, but not of earlier.
auto group_of(const tune_record& each) {
  const bool is_other_element = each.element_bytes != sizeof(double);
  return std::make_tuple(int{is_other_element} + int{!each.commutative} + int{each.strict},
                         each.strict, !each.commutative);
}

// The usual ones come first, and those that differ most from them last.
auto series_of(const tune_record& each) {
  return std::tuple_cat(
      group_of(each),
      std::make_tuple(std::cref(each.collective), each.element_bytes, each.blocking, each.hosts,
                      std::cref(each.network), each.network_ns, each.oversubscribed, each.ranks));
}

// All that a rule over hosts says of calls apart from the network and the sizes.
auto shape_over_hosts(const tune_record& each) {
  return std::make_tuple(each.collective, each.element_bytes, each.commutative, each.strict,
                         each.blocking, each.ranks, pieces_of(each.ranks, each.hosts));
}

// Drops older records over hosts, which do not name their network, where newer ones do. Their rules
// would hold for every network, and so against what was measured over one.
void drop_older_over_hosts(std::vector<tune_record>& records) {
  std::set<decltype(shape_over_hosts(records.front()))> with_network;
  for (const tune_record& each : records) {
    if (!each.network.empty()) with_network.insert(shape_over_hosts(each));
  }
  std::erase_if(records, [&](const tune_record& each) {
    return each.hosts > 1 && each.network.empty() && with_network.contains(shape_over_hosts(each));
  });
}

// Records of one kind of network get one figure for it, which is the least of them.
void unite_networks(std::vector<tune_record>& records) {
  std::set<std::uint64_t> figures;
  for (const tune_record& each : records) figures.insert(each.network_ns);
  std::map<std::uint64_t, std::uint64_t> united;
  std::uint64_t first = 0;
  for (const std::uint64_t each : figures) {
    if (first == 0 || !coll::is_same_network(double(first), double(each))) first = each;
    united[each] = first;
  }
  for (tune_record& each : records) each.network_ns = united[each.network_ns];
}

std::uint64_t middle(std::uint64_t low, std::uint64_t high) {
  return static_cast<std::uint64_t>(
      std::sqrt(static_cast<double>(low) * static_cast<double>(high)));
}

coll::tuned_range exactly(std::uint64_t number) { return {number, number}; }

coll::tuned_rule rule_for(const tune_record& point, const std::string& algorithm) {
  coll::tuned_rule rule{.collective = point.collective, .ranks = exactly(point.ranks)};
  rule.one_host = point.hosts == 1;
  if (*rule.one_host) {
    rule.oversubscribed = point.oversubscribed;
  } else {
    rule.ranks_per_host = exactly((point.ranks + point.hosts - 1) / point.hosts);
    rule.network = point.network;
    rule.network_ns = point.network_ns;
  }
  if (point.element_bytes != sizeof(double)) rule.element_bytes = point.element_bytes;
  if (!point.commutative) rule.commutative = false;
  if (point.strict) rule.strict = true;
  if (!point.strict) rule.blocking = point.blocking;  // strict calls run alike in both forms
  if (!coll::read_algorithm(algorithm, rule).empty()) {
    throw error("records of collectives",
                text("\"", algorithm.substr(0, 40), "\" is no algorithm with its parameters"),
                "take its lines out of the file, and measure these points again");
  }
  return rule;
}

// A rule that both forms of call have is one rule for both.
void merge_forms(std::vector<coll::tuned_rule>& rules) {
  const auto text_without_form = [](coll::tuned_rule rule) {
    rule.blocking.reset();
    return coll::text_of(coll::tuned_table{.rules = {std::move(rule)}});
  };
  std::set<std::string> overlapped, merged;
  for (const coll::tuned_rule& each : rules) {
    if (each.blocking == false) overlapped.insert(text_without_form(each));
  }
  for (coll::tuned_rule& each : rules) {
    if (each.blocking != true || !overlapped.contains(text_without_form(each))) continue;
    each.blocking.reset();
    merged.insert(text_without_form(each));
  }
  std::erase_if(rules, [&](const coll::tuned_rule& each) {
    return each.blocking == false && merged.contains(text_without_form(each));
  });
}

bool is_same(const coll::tuned_range& left, const coll::tuned_range& right) {
  return left.min == right.min && left.max == right.max;
}

// The rule for the numbers of ranks between those of two rules that differ only in the ranks and
// perhaps in the sizes; none where they differ otherwise or have no size in common.
std::optional<coll::tuned_rule> rule_between(const coll::tuned_rule& fewer,
                                             const coll::tuned_rule& more) {
  coll::tuned_rule between = fewer;
  between.ranks = {fewer.ranks.max + 1, more.ranks.min - 1};
  between.bytes = {std::max(fewer.bytes.min, more.bytes.min),
                   std::min(fewer.bytes.max, more.bytes.max)};
  coll::tuned_rule left = fewer, right = more;
  left.ranks = right.ranks = left.bytes = right.bytes = {};
  const auto text_of_one = [](coll::tuned_rule& rule) {
    return coll::text_of(coll::tuned_table{.rules = {rule}});
  };
  const bool is_one_host = fewer.one_host == true;
  if (!is_one_host || text_of_one(left) != text_of_one(right)) return {};
  if (between.bytes.min > between.bytes.max) return {};
  return between;
}

// Adds those for numbers of ranks between two neighbours that were measured. A choice that holds on
// both sides holds between them more often than the built-in one.
void add_rules_between(std::vector<coll::tuned_rule>& rules, const std::set<std::uint64_t>& ranks) {
  std::vector<coll::tuned_rule> added;
  for (const coll::tuned_rule& fewer : rules) {
    const auto next = ranks.upper_bound(fewer.ranks.max);
    if (next == ranks.end() || *next == fewer.ranks.max + 1) continue;
    for (const coll::tuned_rule& more : rules) {
      if (!is_same(more.ranks, exactly(*next))) continue;
      if (auto between = rule_between(fewer, more)) added.push_back(std::move(*between));
    }
  }
  rules.insert(rules.end(), added.begin(), added.end());
}

/// Makes the rules of one series after the other, each in the order of its sizes. The rules of a
/// group go before those of earlier groups, which fit its calls too.
class series {
 public:
  /// `ranks` that were measured on one host.
  series(tuned_points& result, const std::set<std::uint64_t>& ranks)
      : result_(result), ranks_(ranks) {}

  void add(const tune_passes& passes, const tune_verdict& verdict) {
    const tune_record& point = passes.front();
    const bool begins = last_ == nullptr || series_of(*last_) != series_of(point);
    if (begins && last_ != nullptr && group_of(*last_) != group_of(point)) end_group();
    const std::uint64_t boundary = begins ? 0 : middle(last_->bytes, point.bytes);
    if (begins) {
      algorithm_.clear();
    } else if (!algorithm_.empty()) {
      bytes().max = std::min(bytes().max, boundary);
    }
    last_ = &point;  // of a list that outlives the series
    ++result_.points;
    if (verdict.algorithm != point.built_in) {
      ++result_.changed;
      result_.log_gain -= std::log(verdict.ratio);
    }
    const bool goes_on = verdict.algorithm == algorithm_;
    algorithm_ = verdict.algorithm == choice_without(point) ? "" : verdict.algorithm;
    if (algorithm_.empty()) return;
    if (!goes_on) {
      rules_.push_back(rule_for(point, algorithm_));
      bytes().min = std::max(boundary + 1, point.bytes <= bytes_few ? 1 : point.bytes / reach);
    }
    bytes().max = point.bytes * reach;
    if (point.collective == "barrier") bytes() = {};  // it has no data
  }

  /// The last group needs this too.
  void end_group() {
    merge_forms(rules_);
    add_rules_between(rules_, ranks_);
    std::vector<coll::tuned_rule>& all = result_.table.rules;
    all.insert(all.begin(), rules_.begin(), rules_.end());
    rules_.clear();
  }

 private:
  // The choice for a call of the point that has no rule of its own.
  std::string choice_without(const tune_record& point) const {
    const std::string of_earlier_groups = rule_choice(result_.table, point);
    return of_earlier_groups.empty() ? point.built_in : of_earlier_groups;
  }
  coll::tuned_range& bytes() { return rules_.back().bytes; }

  tuned_points& result_;
  const std::set<std::uint64_t>& ranks_;
  std::vector<coll::tuned_rule> rules_;  // of the group
  const tune_record* last_ = nullptr;
  std::string algorithm_;  // of the rule that goes on; empty: none does
};

// A point that was measured again in the same pass is no further pass.
std::vector<tune_record> last_of_each(std::vector<tune_record> records) {
  std::map<std::string, std::size_t> places;
  std::vector<tune_record> last;
  for (tune_record& each : records) {
    const std::string key =
        text(key_of(each), " ", each.network_ns, " ", each.oversubscribed, " ", each.network);
    const auto [found, is_new] = places.try_emplace(key, last.size());
    if (is_new) {
      last.push_back(std::move(each));
    } else {
      last[found->second] = std::move(each);
    }
  }
  return last;
}

}  // namespace

double quartile_ns(std::span<const double> times, std::size_t step) {
  std::vector<double> chosen;
  for (std::size_t i = 0; i < times.size(); i += step) chosen.push_back(times[i]);
  std::ranges::sort(chosen);
  return chosen[chosen.size() / 4];
}

std::size_t rounds_of(const tune_record& pass) {
  if (pass.rounds != 0) return pass.rounds;
  // An older record: the built-in choice and the best have twice as many as the others.
  std::size_t most = 0;
  for (const auto& [name, times] : pass.times_ns) most = std::max(most, times.size());
  std::size_t least = most;
  for (const auto& [name, times] : pass.times_ns) {
    if (2 * times.size() >= most) least = std::min(least, times.size());
  }
  return least;
}

tune_verdict verdict_of(const tune_passes& point, const std::string& preferred) {
  const tune_record& first = point.front();
  double best_gain = 0, preferred_gain = 0;
  std::string best = first.built_in;
  for (const auto& [algorithm, times] : first.times_ns) {
    const double gain =
        point.size() == 1 ? gain_in_one_pass(first, algorithm) : gain_in_passes(point, algorithm);
    if (algorithm == preferred) preferred_gain = gain;
    if (gain >= best_gain) continue;
    best_gain = gain;
    best = algorithm;
  }
  if (preferred_gain < 0 && preferred_gain <= best_gain + as_fast)
    return {.algorithm = preferred, .ratio = std::exp(preferred_gain)};
  return {.algorithm = best, .ratio = std::exp(best_gain)};
}

std::vector<tune_passes> points_of(std::vector<tune_record> records) {
  unite_networks(records);
  records = last_of_each(std::move(records));
  const auto place = [](const tune_record& each) {
    return std::tuple(series_of(each), each.bytes);
  };
  std::ranges::sort(records, [&](const tune_record& left, const tune_record& right) {
    return std::tuple(place(left), -left.work, left.pass) <
           std::tuple(place(right), -right.work, right.pass);
  });
  std::vector<tune_passes> points;
  for (tune_record& each : records) {
    const bool begins = points.empty() || place(points.back().front()) != place(each);
    if (begins) points.emplace_back();
    if (begins || points.back().front().work == each.work) points.back().push_back(std::move(each));
  }
  return points;
}

namespace {

bool is_one_series(const tune_passes& left, const tune_passes& right) {
  return series_of(left.front()) == series_of(right.front());
}

std::vector<tune_verdict> verdicts_of(const std::vector<tune_passes>& points) {
  std::vector<tune_verdict> list;
  for (std::size_t i = 0; i < points.size(); ++i) {
    const bool begins = i == 0 || !is_one_series(points[i - 1], points[i]);
    list.push_back(verdict_of(points[i], begins ? std::string() : list.back().algorithm));
  }
  return list;
}

// Those of this machine and this version.
std::vector<tune_passes> usable_points_of(std::vector<tune_record> records) {
  const std::string machine = coll::machine_text();
  std::erase_if(records, [&](const auto& each) {
    return each.machine != machine || each.version != coll::algorithms_version() ||
           !each.settings.empty();
  });
  drop_older_over_hosts(records);
  return points_of(std::move(records));
}

// Whether the choice of a point is clearly faster there than that of its neighbour, or may be.
bool is_better_than(const tune_passes& point, const tune_verdict& own, const std::string& other) {
  constexpr double clearly = 0.03;
  const std::optional<comparison> found = compare(point, other);
  return !found || found->log_mean > std::log(own.ratio) + clearly;
}

tune_record without_times(tune_record point, std::uint64_t bytes) {
  point.bytes = bytes;
  point.pass = 0;
  point.times_ns.clear();
  return point;
}

}  // namespace

std::vector<tune_record> points_between(std::vector<tune_record> records) {
  const std::vector<tune_passes> points = usable_points_of(std::move(records));
  const std::vector<tune_verdict> verdicts = verdicts_of(points);
  std::vector<tune_record> found;
  for (std::size_t i = 1; i < points.size(); ++i) {
    const tune_passes &low = points[i - 1], &high = points[i];
    if (!is_one_series(low, high)) continue;
    const tune_record &left = low.front(), &right = high.front();
    if (low.size() < high.size()) found.push_back(without_times(left, left.bytes));
    if (high.size() < low.size()) found.push_back(without_times(right, right.bytes));
    const tune_verdict &below = verdicts[i - 1], &above = verdicts[i];
    if (2 * right.bytes <= 3 * left.bytes || below.algorithm == above.algorithm) continue;
    const bool matters =
        is_better_than(low, below, above.algorithm) || is_better_than(high, above, below.algorithm);
    const std::uint64_t between = round_up(middle(left.bytes, right.bytes), sizeof(double));
    if (matters && between > left.bytes && between < right.bytes)
      found.push_back(without_times(left, between));
  }
  return found;
}

tuned_points rules_of(std::vector<tune_record> records) {
  tuned_points result;
  result.table.machine = coll::machine_text();
  result.table.algorithms = coll::algorithms_version();
  const std::vector<tune_passes> points = usable_points_of(std::move(records));
  const std::vector<tune_verdict> verdicts = verdicts_of(points);
  std::set<std::uint64_t> ranks;
  for (const tune_passes& each : points) {
    if (each.front().hosts == 1) ranks.insert(each.front().ranks);
  }
  series going_on(result, ranks);
  for (std::size_t i = 0; i < points.size(); ++i) going_on.add(points[i], verdicts[i]);
  going_on.end_group();
  return result;
}

}  // namespace atl::tools
