// SPDX-License-Identifier: BSD-3-Clause
//
// The report. Rates are of all ranks together; the efficiency is such a rate divided by one core's
// rate times the number of ranks.
#include <apps/gups/report.hpp>
#include <atoll/base/error.hpp>
#include <atoll/base/text.hpp>

#include <nlohmann/json.hpp>

#include <algorithm>
#include <cstdio>
#include <fstream>

namespace gups {
namespace {

double efficiency(const measured& measurement, const results& outcome, unsigned ranks) {
  return measurement.rate / std::max(outcome.alone.rate * ranks, 1e-12);
}

nlohmann::json row(const measured& measurement) {
  return {{"name", measurement.name},
          {"seconds", measurement.seconds},
          {"rate", measurement.rate},
          {"unit", "GUP/s"}};
}

}  // namespace

bool right(const results& outcome) {
  return std::all_of(outcome.variants.begin(), outcome.variants.end(),
                     [](const measured& each) { return each.error == 0; });
}

void print(const options& chosen, const results& outcome, unsigned ranks) {
  if (!chosen.quiet) {
    std::printf("gups: a table of 2^%u words (%s), %llu updates, %u rank%s, %zu looked ahead\n\n",
                chosen.log2_size, atl::bytes_text(chosen.words() * 8).c_str(),
                static_cast<unsigned long long>(chosen.update_count()), ranks,
                ranks == 1 ? "" : "s", chosen.lookahead);
    std::printf("                    GUP/s     time   wrong words   of one core on every rank\n");
    std::printf("  %-13s  %8.4f  %5.3f s\n", outcome.alone.name.c_str(), outcome.alone.rate,
                outcome.alone.seconds);
    for (const measured& each : outcome.variants) {
      std::printf("  %-13s  %8.4f  %5.3f s     %7.3f %%   %4.0f %%\n", each.name.c_str(), each.rate,
                  each.seconds, 100 * each.error, 100 * efficiency(each, outcome, ranks));
    }
    std::printf("\n");
  }
  std::printf("gups: %s\n", right(outcome) ? "every word is right" : "WRONG: updates were lost");
}

void write_json(const options& chosen, const results& outcome, unsigned ranks) {
  nlohmann::json variants = nlohmann::json::array();
  for (const measured& each : outcome.variants) {
    nlohmann::json entry = row(each);
    entry["error"] = each.error;
    entry["efficiency"] = efficiency(each, outcome, ranks);
    variants.push_back(entry);
  }
  const nlohmann::json written = {{"app", "gups"},
                                  {"implementation", "atoll"},
                                  {"version", ATOLL_VERSION_STRING},
                                  {"build", ATOLL_BUILD_STRING},
                                  {"ranks", ranks},
                                  {"log2_size", chosen.log2_size},
                                  {"updates", chosen.update_count()},
                                  {"look_ahead", chosen.lookahead},
                                  {"rounds", chosen.rounds},
                                  {"one_core", row(outcome.alone)},
                                  {"variants", variants}};
  std::ofstream file(chosen.json_path);
  file << written.dump(2) << '\n';
  file.close();
  if (!file)
    throw atl::error("gups --json " + chosen.json_path, "the file cannot be written",
                     "name a file in a folder that exists and may be written");
}

}  // namespace gups
