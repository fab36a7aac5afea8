// SPDX-License-Identifier: BSD-3-Clause
//
// The report. The file has the form that `atoll bench` reads: a list of variants which all have
// done the same work, each with its seconds. The map of one process is separate, since it is not a
// way of all ranks.
#include <apps/kv/report.hpp>
#include <apps/trial/median.hpp>
#include <atoll/base/error.hpp>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <cstdio>
#include <fstream>

namespace kv {
namespace {

double median(const std::vector<outcome>& rounds, double outcome::* time) {
  std::vector<double> times;
  for (const outcome& each : rounds) times.push_back(each.*time);
  return trial::median(std::move(times));
}

nlohmann::json figures(const outcome& times) {
  return {{"seconds", times.insert_s + times.settle_s + times.find_s},
          {"insert_seconds", times.insert_s},
          {"settle_seconds", times.settle_s},
          {"find_seconds", times.find_s},
          {"right", times.right}};
}

}  // namespace

outcome median_of(const std::vector<outcome>& rounds) {
  return {.insert_s = median(rounds, &outcome::insert_s),
          .settle_s = median(rounds, &outcome::settle_s),
          .find_s = median(rounds, &outcome::find_s),
          .right = std::ranges::all_of(rounds, &outcome::right)};
}

report::report(const options& chosen, const job& place, const outcome& alone)
    : chosen_(chosen), job_(place), alone_(alone) {
  if (!job_.speaks || chosen_.quiet) return;
  std::printf("kv: %llu keys, values of %zu bytes, %d rank%s, %zu messages under way\n\n",
              static_cast<unsigned long long>(chosen_.keys), chosen_.value_bytes, job_.ranks,
              job_.ranks == 1 ? "" : "s", chosen_.window);
  std::printf("                            insert          find   of one map on every core\n");
  std::printf("  std::unordered_map  %7.2f M/s   %7.2f M/s\n", rate(alone.insert_s),
              rate(alone.find_s));
  std::fflush(stdout);
}

bool report::row(const char* name, const outcome& result) {
  rows_.push_back({name, result});
  if (job_.speaks && !chosen_.quiet) {
    std::printf("  %-18s  %7.2f M/s   %7.2f M/s   %4.0f %% %7.0f %%%s\n", name,
                rate(result.insert_s), rate(result.find_s),
                100 * efficiency(alone_.insert_s, result.insert_s),
                100 * efficiency(alone_.find_s, result.find_s), result.right ? "" : "   WRONG");
    std::fflush(stdout);
  }
  return result.right;
}

void report::write_json(const std::string& path, bool right) const {
  nlohmann::json variants = nlohmann::json::array();
  for (const named& each : rows_) {
    variants.push_back(figures(each.times));
    variants.back()["name"] = each.name;
  }
  std::ofstream file(path);
  file << nlohmann::json{{"app", "kv"},
                         {"version", ATOLL_VERSION_STRING},
                         {"build", ATOLL_BUILD_STRING},
                         {"ranks", job_.ranks},
                         {"cores", job_.cores},
                         {"rounds", chosen_.rounds},
                         {"keys", chosen_.keys},
                         {"value_bytes", chosen_.value_bytes},
                         {"window", chosen_.window},
                         {"batch", chosen_.batch},
                         {"right", right},
                         {"one_map", figures(alone_)},
                         {"variants", variants}}
              .dump(2)
       << '\n';
  file.close();
  if (!file)
    throw atl::error("--json " + path, "the file cannot be written",
                     "name a file in a folder that exists and may be written");
}

double report::rate(double time_s) const {
  return static_cast<double>(chosen_.keys) / std::max(time_s, 1e-9) * 1e-6;
}

double report::efficiency(double alone_s, double time_s) const {
  return alone_s / std::max(time_s, 1e-9) / job_.cores;
}

}  // namespace kv
