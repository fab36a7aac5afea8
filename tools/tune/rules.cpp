// SPDX-License-Identifier: BSD-3-Clause
//
// Makes rules from records. Times are judged by their lower quartile: a disturbance of the machine
// makes some rounds slower and none faster. Algorithms left out before the last round get no rule.
#include <tools/tune/rules.hpp>

#include <atoll/base/error.hpp>
#include <atoll/base/rounding.hpp>
#include <atoll/base/text.hpp>
#include <atoll/coll/tuned/machine.hpp>
#include <atoll/coll/tuned/network.hpp>
#include <nlohmann/json.hpp>
#include <tools/tune/evaluation.hpp>

#include <algorithm>
#include <cerrno>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <functional>
#include <optional>
#include <set>
#include <span>
#include <string_view>
#include <tuple>

namespace atl::tools {

namespace {

using json = nlohmann::json;

constexpr double clearly_faster = 1 / 1.05;
constexpr double faster_in_each_pass = 1 / 1.02;
constexpr std::uint64_t reach = 2;  // of a rule, in factors of the size
constexpr std::uint64_t bytes_few = 8;
constexpr std::size_t rounds_least = 4;

// Whether it is clearly faster in the even and the odd rounds, and in the first and second half.
bool wins_in_all_parts(std::span<const double> times, std::span<const double> base) {
  const std::size_t half = times.size() / 2;
  const auto wins = [](double each, double other) { return each <= clearly_faster * other; };
  return wins(quartile_ns(times, 2), quartile_ns(base, 2)) &&
         wins(quartile_ns(times.subspan(1), 2), quartile_ns(base.subspan(1), 2)) &&
         wins(quartile_ns(times.first(half)), quartile_ns(base.first(half))) &&
         wins(quartile_ns(times.subspan(half)), quartile_ns(base.subspan(half)));
}

// The time relative to the built-in choice; 1 where it is not clearly faster.
double ratio_of_one_pass(const tune_record& point, const std::string& algorithm) {
  const auto base = point.times_ns.find(point.built_in);
  const std::vector<double>& times = point.times_ns.at(algorithm);
  if (base == point.times_ns.end() || base->second.size() < rounds_least) return 1;
  if (times.size() != base->second.size() || !wins_in_all_parts(times, base->second)) return 1;
  return quartile_ns(times) / quartile_ns(base->second);
}

// The same for an algorithm that no pass has left out, in the rounds of all algorithms.
double ratio_of_passes(const tune_passes& passes, const std::string& algorithm) {
  double log_ratio = 0;
  for (const tune_record& each : passes) {
    const auto times = each.times_ns.find(algorithm);
    const auto base = each.times_ns.find(passes.front().built_in);
    if (times == each.times_ns.end() || base == each.times_ns.end()) return 1;
    const std::size_t rounds = rounds_of(each);
    if (rounds < rounds_least || std::min(times->second.size(), base->second.size()) < rounds) {
      return 1;
    }
    const double ratio = quartile_ns(std::span(times->second).first(rounds)) /
                         quartile_ns(std::span(base->second).first(rounds));
    if (ratio > faster_in_each_pass) return 1;
    log_ratio += std::log(ratio);
  }
  const double ratio = std::exp(log_ratio / static_cast<double>(passes.size()));
  return ratio <= clearly_faster ? ratio : 1;
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

bool is_record(const json& line) {
  return line.is_object() && line.contains("times_ns") && line["times_ns"].is_object();
}

tune_record record_of(const json& line) {
  tune_record each{.machine = line.at("machine"),
                   .version = line.value("version", std::string()),
                   .collective = line.at("collective"),
                   .ranks = line.at("ranks"),
                   .hosts = line.at("hosts"),
                   .network = line.value("network", std::string()),
                   .network_ns = line.value("network_ns", std::uint64_t{0}),
                   .oversubscribed = line.at("oversubscribed"),
                   .blocking = line.at("blocking"),
                   .work = line.value("work", 0.0),
                   .element_bytes = line.value("element_bytes", std::uint64_t{8}),
                   .commutative = line.value("commutative", true),
                   .strict = line.value("strict", false),
                   .bytes = line.at("bytes"),
                   .pass = line.value("pass", std::uint64_t{0}),
                   .rounds = line.value("rounds", std::uint64_t{0}),
                   .built_in = line.at("built_in")};
  if (line.contains("effective"))
    each.effective = line["effective"].get<decltype(each.effective)::value_type>();
  each.times_ns = line.at("times_ns").get<decltype(each.times_ns)>();
  return each;
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

  void add(const tune_passes& passes) {
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
    const tune_verdict verdict = verdict_of(passes);
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

// Each record begins so. The first one may have been cut off.
constexpr std::string_view record_begin = "{\"machine\":";

}  // namespace

void check_records(const std::string& path) {
  const char* const remedy =
      "name the file that atoll tune has written, or a new one, by --records";
  std::error_code failed;
  const std::filesystem::file_status found = std::filesystem::status(path, failed);
  if (found.type() == std::filesystem::file_type::not_found) return;
  if (failed) throw error(path, text("it cannot be read (", failed.message(), ")"), remedy);
  if (!std::filesystem::is_regular_file(found))
    throw error(path, "records cannot be kept in what is no file", remedy);
  errno = 0;
  std::ifstream file(path);
  if (!file) throw error(path, text("it cannot be read (", errno_text(errno), ")"), remedy);
  std::string begin(record_begin.size(), '\0');
  file.read(begin.data(), static_cast<std::streamsize>(begin.size()));
  begin.resize(static_cast<std::size_t>(file.gcount()));
  if (!record_begin.starts_with(begin))
    throw error(path, "it has no records of atoll tune", remedy);
}

std::vector<tune_record> read_records(const std::string& path) {
  std::vector<tune_record> records;
  std::ifstream file(path);
  for (std::string text; std::getline(file, text);) {
    const json line = json::parse(text, nullptr, false);
    if (!is_record(line)) continue;
    try {
      records.push_back(record_of(line));
    } catch (const json::exception&) {
      continue;  // of another version
    }
  }
  return records;
}

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

tune_verdict verdict_of(const tune_passes& point) {
  const tune_record& first = point.front();
  tune_verdict best{.algorithm = first.built_in};
  for (const auto& [algorithm, times] : first.times_ns) {
    const double ratio =
        point.size() == 1 ? ratio_of_one_pass(first, algorithm) : ratio_of_passes(point, algorithm);
    if (ratio < best.ratio) best = {.algorithm = algorithm, .ratio = ratio};
  }
  return best;
}

std::vector<tune_passes> points_of(std::vector<tune_record> records) {
  unite_networks(records);
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

tuned_points rules_of(std::vector<tune_record> records) {
  tuned_points result;
  result.table.machine = coll::machine_text();
  result.table.algorithms = coll::algorithms_version();
  std::erase_if(records, [&](const auto& each) {
    return each.machine != result.table.machine || each.version != coll::algorithms_version();
  });
  drop_older_over_hosts(records);
  const std::vector<tune_passes> points = points_of(std::move(records));
  std::set<std::uint64_t> ranks;
  for (const tune_passes& each : points) {
    if (each.front().hosts == 1) ranks.insert(each.front().ranks);
  }
  series going_on(result, ranks);
  for (const tune_passes& each : points) going_on.add(each);
  going_on.end_group();
  return result;
}

}  // namespace atl::tools
