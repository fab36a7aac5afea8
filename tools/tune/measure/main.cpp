// SPDX-License-Identifier: BSD-3-Clause
//
// atoll_tune_measure: the job that `atoll tune` starts, once for each number of ranks. It measures
// the collectives of all its ranks with every algorithm that can be used, and appends a line of
// JSON per point to the file of records. It can also be started by hand under `atoll run`.
#include <tools/tune/measure/session.hpp>

#include <CLI/CLI.hpp>
#include <atoll/base/error.hpp>

#include <cstdio>
#include <cstdlib>
#include <exception>
#include <string>
#include <vector>

namespace {

using atl::coll::collective;

std::vector<std::string> all_names() {
  std::vector<std::string> names;
  for (std::size_t i = 0; i < static_cast<std::size_t>(collective::fence); ++i) {
    names.emplace_back(atl::coll::name_of(static_cast<collective>(i)));
  }
  return names;
}

collective collective_of(const std::string& name) {
  const std::vector<std::string> names = all_names();
  for (std::size_t i = 0; i < names.size(); ++i) {
    if (names[i] == name) return static_cast<collective>(i);
  }
  throw atl::error("--collectives", "no collective \"" + name + "\"", "see --help");
}

}  // namespace

int main(int argc, char** argv) {
  atl::tune::measuring_plan chosen;
  chosen.sizes = {8, 32, 128, 512, 2048, 8192, 32768, 65536, 131072, 262144, 524288, 1048576};
  std::vector<std::string> names = all_names();
  CLI::App app("Measures the collectives of this job with all algorithms; see atoll tune.");
  app.add_option("--collectives", names, "which ones")->delimiter(',');
  app.add_option("--sizes", chosen.sizes, "bytes of a block")->delimiter(',');
  app.add_flag("--in-flight", chosen.in_flight, "also calls that do not block");
  app.add_flag("--all", chosen.all, "leave no algorithm out early");
  app.add_option("--only", chosen.only, "these algorithms (tree:4) beside the built-in choice")
      ->delimiter(',');
  app.add_option("--rounds", chosen.rounds_max, "most rounds of a point");
  app.add_option("--pass", chosen.pass,
                 "number of the pass; only points of the same pass count as measured");
  app.add_option("--seconds", chosen.seconds, "for all points");
  app.add_option("--records", chosen.records, "append to this file, go on where it ends");
  CLI11_PARSE(app, argc, argv);
  try {
    for (const std::string& each : names) chosen.collectives.push_back(collective_of(each));
    atl::runtime job;
    atl::tune::session(job, chosen).run();
  } catch (const std::exception& problem) {
    std::fprintf(stderr, "atoll_tune_measure: %s\n", problem.what());
    return EXIT_FAILURE;
  }
  return EXIT_SUCCESS;
}
