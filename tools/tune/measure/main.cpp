// SPDX-License-Identifier: BSD-3-Clause
//
// atoll_tune_measure: the job that `atoll tune` starts, once for each number of ranks. It measures
// the collectives of all its ranks with every algorithm that can be used, and appends a line of
// JSON per point to the file of records. It can also be started by hand under `atoll run`.
#include <tools/tune/measure/session.hpp>

#include <CLI/CLI.hpp>
#include <atoll/base/error.hpp>
#include <atoll/coll/engine/table.hpp>
#include <atoll/coll/tuned/choices.hpp>

#include <cstdio>
#include <cstdlib>
#include <exception>
#include <string>
#include <vector>

namespace {

// The names that the command knows too are the engine's.
std::vector<atl::coll::collective> collectives_of(const std::vector<std::string>& names) {
  std::vector<atl::coll::collective> list;
  for (const std::string& each : names) {
    const auto found = atl::tune::collective_named(each);
    if (!found || atl::coll::name_of(*found) != each) {
      throw atl::error("--collectives", "no collective \"" + each + "\"", "see atoll tune --help");
    }
    list.push_back(*found);
  }
  return list;
}

std::vector<atl::tune::point> points_from(const std::vector<std::string>& texts) {
  std::vector<atl::tune::point> list;
  for (const std::string& each : texts) {
    const auto found = atl::tune::point_from(each);
    if (!found) throw atl::error("--between", "no point \"" + each + "\"", "see points.hpp");
    list.push_back(*found);
  }
  return list;
}

// Prints why jobs would refuse a table, and nothing where they would not.
int check_table(const std::string& path) {
  try {
    atl::coll::tuned_choices::check(path);
    return EXIT_SUCCESS;
  } catch (const atl::error& refused) {
    std::fputs(std::string(refused.cause()).c_str(), stdout);
    return EXIT_FAILURE;
  }
}

void add_place(CLI::App& app, atl::tune::progress_place& place) {
  app.add_option("--points", place.points, "of all jobs of atoll tune, for the progress");
  app.add_option("--points-before", place.points_before, "of them, those of earlier jobs");
  app.add_option("--points-after", place.points_after, "of them, those that later jobs have left");
  app.add_option("--measured", place.measured, "points by earlier jobs");
  app.add_option("--measured-seconds", place.measured_seconds, "that those took");
  app.add_option("--seconds-left", place.seconds_left, "for all jobs");
}

}  // namespace

int main(int argc, char** argv) {
  atl::tune::measuring_plan chosen;
  atl::tune::point_selection& which = chosen.which;
  which.sizes = {8, 1024, 65536};
  std::vector<std::string> names = atl::tune::collective_names();
  std::string form = "both";
  CLI::App app("Measures the collectives of this job with all algorithms; see atoll tune.");
  app.add_option("--collectives", names, "which ones")->delimiter(',');
  app.add_option("--sizes", which.sizes, "bytes of a block")->delimiter(',');
  app.add_option("--form", form, "waited, overlapped or both");
  app.add_option("--work", chosen.work, "to compute beside an overlapped call, in calls");
  app.add_option("--elements", which.elements, "bytes of elements of reductions: 1, 4, 8")
      ->delimiter(',');
  app.add_flag("--in-order", which.in_order, "also operations that do not commute");
  app.add_flag("--strict", which.strict, "also calls whose members begin and end together");
  app.add_option("--memory-limit", which.memory_limit, "of a host, in bytes; 0: none");
  app.add_flag("--all", chosen.all, "leave no algorithm out early");
  app.add_option("--only", chosen.only, "these algorithms (tree:4) beside the built-in choice")
      ->delimiter(',');
  app.add_option("--rounds", chosen.rounds_max, "most rounds of a point");
  app.add_option("--pass", chosen.pass,
                 "number of the pass; only points of the same pass count as measured");
  app.add_option("--seconds", chosen.seconds, "for all points");
  app.add_option("--records", chosen.records, "append to this file, go on where it ends");
  std::string table;
  app.add_option("--check-table", table, "tell why jobs would refuse this table; measure nothing");
  std::vector<std::string> between;
  bool between_only = false;
  app.add_option("--between", between, "these points besides, as reduce:4096:waited")
      ->delimiter(',');
  app.add_flag("--between-only", between_only, "these points alone");
  add_place(app, chosen.place);
  CLI11_PARSE(app, argc, argv);
  if (!table.empty()) return check_table(table);
  which.blocking = form != "overlapped";
  which.overlapped = form != "waited";
  try {
    which.also = points_from(between);
    if (!between_only) which.collectives = collectives_of(names);
    atl::runtime job;
    atl::tune::session(job, chosen).run();
  } catch (const std::exception& problem) {
    std::fprintf(stderr, "atoll_tune_measure: %s\n", problem.what());
    return EXIT_FAILURE;
  }
  return EXIT_SUCCESS;
}
