// SPDX-License-Identifier: BSD-3-Clause
//
// Computes from a table and records what the table is worth. Jobs ask the same of a rule
// (coll/tuned/table.hpp), so a table is judged as it is used.
#include <tools/tune/evaluation.hpp>

#include <atoll/base/rounding.hpp>
#include <atoll/base/text.hpp>
#include <nlohmann/json.hpp>
#include <tools/tune/comparison.hpp>

#include <algorithm>
#include <cmath>
#include <optional>
#include <span>
#include <utility>

namespace atl::tools {

namespace {

bool is_reduction(const std::string& collective) {
  return collective == "reduce" || collective == "allreduce" || collective == "scan";
}

coll::tuned_shape shape_of(const tune_record& point) {
  return {.ranks = point.ranks,
          .ranks_per_host = pieces_of(point.ranks, point.hosts),
          .bytes = point.bytes,
          .element_bytes = is_reduction(point.collective) ? point.element_bytes : 0,
          .one_host = point.hosts == 1,
          .oversubscribed = point.oversubscribed,
          .commutative = point.commutative,
          .blocking = point.blocking && !point.strict,  // strict calls count as overlapped
          .strict = point.strict};
}

// The algorithm without the parameters that make no difference at a point. Older records do not
// state them; for those only this is known: pieces that are not smaller than the data cut nothing.
std::string without_idle_parameters(const tune_record& point, const std::string& algorithm) {
  coll::tuned_rule asked;
  if (!coll::read_algorithm(algorithm, asked).empty()) return algorithm;
  if (!point.effective) {
    if (asked.piece_bytes >= point.bytes) asked.piece_bytes = 0;
    return algorithm_text(asked);
  }
  const auto base = point.effective->find(algorithm.substr(0, algorithm.find('/')));
  if (base == point.effective->end()) return algorithm;
  const auto is_idle = [&](const char* parameter) {
    return std::ranges::find(base->second, parameter) == base->second.end();
  };
  if (is_idle("piece")) asked.piece_bytes = 0;
  if (is_idle("eager")) asked.eager_bytes = 0;
  // The record is for the usual eager limit; with another one a depth or the mover may count.
  if (is_idle("depth") && asked.eager_bytes == 0) asked.depth = 0;
  if (is_idle("by") && asked.eager_bytes == 0) asked.mover.clear();
  if (is_idle("leaders")) asked.leaders = 0;
  return algorithm_text(asked);
}

// The name by which an algorithm was measured: a parameter that makes no difference is not.
std::string measured_name(const tune_record& point, const std::string& algorithm) {
  return point.times_ns.contains(algorithm) ? algorithm : without_idle_parameters(point, algorithm);
}

// Null: there is no time.
const std::vector<double>* times_of(const tune_record& point, const std::string& algorithm) {
  const auto found = point.times_ns.find(measured_name(point, algorithm));
  return found == point.times_ns.end() ? nullptr : &found->second;
}

/// The logarithm of the time of an algorithm relative to the built-in choice, the mean over the
/// passes.
struct halves {
  double even = 0, odd = 0;  // rounds
};

// None where a pass has left it out.
std::optional<halves> halves_of(const tune_passes& point, const std::string& algorithm) {
  halves found;
  const auto passes = static_cast<double>(point.size());
  for (const tune_record& pass : point) {
    const std::size_t rounds = rounds_of(pass);
    const std::vector<double>* const times = times_of(pass, algorithm);
    const std::vector<double>* const base = times_of(pass, point.front().built_in);
    if (times == nullptr || base == nullptr || rounds < 2) return {};
    if (std::min(times->size(), base->size()) < rounds) return {};
    const std::span<const double> counted = std::span(*times).first(rounds);
    found.even += log_ratio(counted, *base, 2) / passes;
    found.odd += log_ratio(counted.subspan(1), std::span(*base).subspan(1), 2) / passes;
  }
  return found;
}

double built_in_ns(const tune_passes& point) {
  double log_sum = 0;
  for (const tune_record& pass : point) {
    const std::vector<double>* times = times_of(pass, point.front().built_in);
    if (times == nullptr) times = &pass.times_ns.at(pass.built_in);  // as this pass names it
    log_sum += std::log(quartile_ns(std::span(*times).first(rounds_of(pass))));
  }
  return std::exp(log_sum / static_cast<double>(point.size()));
}

// Slower than the built-in choice, and not by chance.
bool is_surely_slower(const tune_passes& point, const std::string& algorithm) {
  constexpr double noise = 0.02, errors = 2;
  const std::optional<comparison> found = compare(point, measured_name(point.front(), algorithm));
  return found && found->log_mean > std::max(noise, errors * found->error);
}

bool is_within(double part, double time_ns, const evaluated_point& each) {
  return time_ns != 0 && time_ns <= (1 + part) * each.best_ns;
}

}  // namespace

std::string rule_choice(const coll::tuned_table& table, const tune_record& point) {
  const coll::tuned_shape shape = shape_of(point);
  for (const coll::tuned_rule& rule : table.rules) {
    // An older record does not say how fast its network was.
    const std::uint64_t network_ns = point.network_ns != 0 ? point.network_ns : rule.network_ns;
    if (rule.collective == point.collective && fits(rule, shape) &&
        is_for_network(rule, point.network, network_ns)) {
      return algorithm_text(rule);
    }
  }
  return {};
}

std::vector<evaluated_point> evaluate(const coll::tuned_table& table,
                                      std::vector<tune_record> records) {
  std::erase_if(records, [&](const auto& each) {
    return each.machine != table.machine || each.version != coll::algorithms_version() ||
           !each.settings.empty();
  });
  std::vector<evaluated_point> points;
  for (const tune_passes& passes : points_of(std::move(records))) {
    const tune_record& first = passes.front();
    if (!halves_of(passes, first.built_in)) continue;
    const double base_ns = built_in_ns(passes);
    evaluated_point each{.point = first,
                         .chosen = rule_choice(table, first),
                         .best = first.built_in,
                         .built_in_ns = base_ns,
                         .best_ns = base_ns};
    if (each.chosen.empty()) each.chosen = first.built_in;
    const std::optional<halves> chosen = halves_of(passes, each.chosen);
    if (chosen) each.chosen_ns = base_ns * std::exp(chosen->odd);
    each.surely_slower = is_surely_slower(passes, each.chosen);
    double best_even = 0;
    for (const auto& [name, times] : first.times_ns) {
      const std::optional<halves> found = halves_of(passes, name);
      if (!found || found->even >= best_even) continue;
      best_even = found->even;
      each.best = name;
      each.best_ns = base_ns * std::exp(found->odd);
    }
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
    result.surely_slower += each.surely_slower;
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
                                  {"network", measured.network},
                                  {"network_ns", measured.network_ns},
                                  {"element_bytes", measured.element_bytes},
                                  {"commutative", measured.commutative},
                                  {"strict", measured.strict},
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
