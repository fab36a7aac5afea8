// SPDX-License-Identifier: BSD-3-Clause
//
// From a table and records to what the table is worth. Rules are compared here as coll/tuned/
// choices.cpp compares them with calls. Reductions are measured with doubles and a sum, so a rule
// for other elements fits no point.
#include <tools/tune/evaluation.hpp>

#include <atoll/base/rounding.hpp>
#include <atoll/base/text.hpp>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <cmath>
#include <span>
#include <utility>

namespace atl::tools {

namespace {

bool fits(const std::optional<bool>& wanted, bool value) {
  return !wanted.has_value() || *wanted == value;
}

bool is_reduction(const std::string& collective) {
  return collective == "reduce" || collective == "allreduce" || collective == "scan";
}

bool fits(const coll::tuned_rule& rule, const tune_record& point) {
  const bool one_host = point.hosts == 1;
  const std::uint64_t element_bytes = is_reduction(point.collective) ? sizeof(double) : 0;
  return rule.collective == point.collective && rule.bytes.holds(point.bytes) &&
         rule.ranks.holds(point.ranks) &&
         rule.ranks_per_host.holds(pieces_of(point.ranks, point.hosts)) &&
         fits(rule.blocking, point.blocking) && fits(rule.one_host, one_host) &&
         fits(rule.commutative, true) &&
         (!rule.oversubscribed || (one_host && *rule.oversubscribed == point.oversubscribed)) &&
         (!rule.element_bytes || *rule.element_bytes == element_bytes);
}

// A size of pieces that is not below that of the data makes no difference, and is not measured.
const std::vector<double>* times_of(const tune_record& point, const std::string& algorithm) {
  auto found = point.times_ns.find(algorithm);
  if (found == point.times_ns.end()) {
    found = point.times_ns.find(algorithm.substr(0, algorithm.find('/')));
  }
  return found == point.times_ns.end() ? nullptr : &found->second;
}

class rounds {
 public:
  // The built-in choice and the best have more than the others, in which the two were alone.
  explicit rounds(const tune_record& point) {
    std::size_t most = 0;
    for (const auto& [name, times] : point.times_ns) most = std::max(most, times.size());
    count_ = most;
    for (const auto& [name, times] : point.times_ns) {
      if (2 * times.size() >= most) count_ = std::min(count_, times.size());
    }
  }
  bool has_all(const std::vector<double>* times) const {
    return times != nullptr && times->size() >= count_ && count_ >= 2;
  }
  double even_ns(const std::vector<double>& times) const {
    return quartile_ns(std::span(times).first(count_), 2);
  }
  double odd_ns(const std::vector<double>& times) const {
    return quartile_ns(std::span(times).first(count_).subspan(1), 2);
  }

 private:
  std::size_t count_ = 0;
};

bool is_within(double part, double time_ns, const evaluated_point& each) {
  return time_ns != 0 && time_ns <= (1 + part) * each.best_ns;
}

}  // namespace

std::string rule_choice(const coll::tuned_table& table, const tune_record& point) {
  for (const coll::tuned_rule& rule : table.rules) {
    if (fits(rule, point)) return algorithm_text(rule);
  }
  return {};
}

std::vector<evaluated_point> evaluate(const coll::tuned_table& table,
                                      const std::vector<tune_record>& records) {
  std::vector<evaluated_point> points;
  for (const tune_record& record : records) {
    if (record.machine != table.machine) continue;
    const rounds counted(record);
    const std::vector<double>* const base = times_of(record, record.built_in);
    if (!counted.has_all(base)) continue;
    evaluated_point each{.point = record,
                         .chosen = rule_choice(table, record),
                         .best = record.built_in,
                         .built_in_ns = counted.odd_ns(*base)};
    if (each.chosen.empty()) each.chosen = record.built_in;
    double best_even_ns = counted.even_ns(*base);
    for (const auto& [name, times] : record.times_ns) {
      if (!counted.has_all(&times) || counted.even_ns(times) >= best_even_ns) continue;
      best_even_ns = counted.even_ns(times);
      each.best = name;
    }
    each.best_ns = counted.odd_ns(*times_of(record, each.best));
    const std::vector<double>* const chosen = times_of(record, each.chosen);
    if (counted.has_all(chosen)) each.chosen_ns = counted.odd_ns(*chosen);
    points.push_back(std::move(each));
  }
  return points;
}

evaluation summary_of(const std::vector<evaluated_point>& points) {
  evaluation result{.points = points.size()};
  for (const evaluated_point& each : points) {
    result.table_within_5 += is_within(0.05, each.chosen_ns, each);
    result.table_within_10 += is_within(0.10, each.chosen_ns, each);
    result.built_in_within_5 += is_within(0.05, each.built_in_ns, each);
    result.built_in_within_10 += is_within(0.10, each.built_in_ns, each);
    result.unmeasured += each.chosen_ns == 0;
    if (each.chosen_ns == 0 || each.chosen == each.point.built_in) continue;
    ++result.differs;
    const double ratio = each.chosen_ns / each.built_in_ns;
    result.log_ratio += std::log(ratio);
    if (ratio <= result.worst_ratio) continue;
    result.worst_ratio = ratio;
    result.worst =
        text(each.point.collective, " of ", bytes_text(each.point.bytes), " at ", each.point.ranks,
             " ranks, ", each.chosen, " in place of ", each.point.built_in);
  }
  return result;
}

std::string text_of(const std::vector<evaluated_point>& points, const coll::tuned_table& table,
                    const std::string& path) {
  nlohmann::ordered_json document{
      {"table", path}, {"machine", table.machine}, {"rules", table.rules.size()}};
  document["points"] = nlohmann::ordered_json::array();
  for (const evaluated_point& each : points) {
    const tune_record& measured = each.point;
    document["points"].push_back({{"collective", measured.collective},
                                  {"ranks", measured.ranks},
                                  {"hosts", measured.hosts},
                                  {"oversubscribed", measured.oversubscribed},
                                  {"blocking", measured.blocking},
                                  {"bytes", measured.bytes},
                                  {"built_in", measured.built_in},
                                  {"chosen", each.chosen},
                                  {"best", each.best},
                                  {"built_in_ns", each.built_in_ns},
                                  {"chosen_ns", each.chosen_ns},
                                  {"best_ns", each.best_ns}});
  }
  return document.dump();
}

}  // namespace atl::tools
