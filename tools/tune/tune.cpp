// SPDX-License-Identifier: BSD-3-Clause
//
// The options of `atoll tune`, the jobs that measure, and the writing of the table. A job that
// starts meanwhile finds the old table or the new one. The jobs are started by this same command,
// as `atoll run`.
#include <tools/command_line.hpp>
#include <tools/tune/tune.hpp>

#include <CLI/CLI.hpp>
#include <atoll/base/system/cpu.hpp>
#include <atoll/base/system/replace_file.hpp>
#include <atoll/base/text.hpp>
#include <tools/run/program.hpp>
#include <tools/tune/jobs.hpp>
#include <tools/tune/request.hpp>
#include <tools/tune/rules.hpp>

#include <stdlib.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <csignal>
#include <cstdio>
#include <utility>

namespace atl::tools {

namespace {

void tell(const std::string& line) { std::fprintf(stderr, "atoll tune: %s\n", line.c_str()); }

void warn_if_busy() {
  double load = 0;
  if (getloadavg(&load, 1) != 1) return;
  const std::string warning = busy_warning(load, cores_available());
  if (!warning.empty()) tell(warning);
}

// Ends this process as the signal would have, once the user knows how to go on.
[[noreturn]] void end_by(const tune_progress& done, const tune_request& request) {
  tell(text("interrupted; ", done.recorded, " of ", done.points, " points are kept in ",
            request.records, ", and the same command goes on there"));
  std::signal(done.signal, SIG_DFL);
  std::raise(done.signal);
  throw launch_refusal{128 + done.signal, "interrupted"};
}

// With time left, points may lack that were too long for their share of it.
void tell_of_points_left(const tune_progress& done, bool time_is_up) {
  const std::string left = text(done.points - done.recorded, " of ", done.points, " points left");
  if (time_is_up) {
    tell(text("the time is up with ", left,
              ", all passes counted; the same command goes on with "
              "them"));
  } else {
    tell(text("there was time, but ", left,
              ", all passes counted: their share of it was too short, "
              "or a job had other hosts than --hosts says; give more by --seconds"));
  }
}

std::string rules_text(std::size_t count) { return text(count, count == 1 ? " rule" : " rules"); }

void report(const tuned_points& found, const std::string& path) {
  std::printf("%zu points measured; at %zu another algorithm is faster than the built-in one",
              found.points, found.changed);
  if (found.changed != 0) {
    std::printf(", %.2f times in the mean", std::exp(found.log_gain / double(found.changed)));
  }
  std::printf("\n%s: %s\n", path.c_str(), rules_text(found.table.rules.size()).c_str());
}

void tell_of_lines_left_out(const std::string& records) {
  std::size_t lines = 0;
  read_records(records, &lines);
  if (lines != 0) tell(lines_left_out_text(records, lines));
}

int tune(tune_request request) {
  check_settings(settings::from_environment());
  check(request);
  const records_file records = open_files(request);
  tell_of_lines_left_out(request.records);
  warn_if_busy();
  const auto begin = std::chrono::steady_clock::now();
  const tune_progress done = measure(request);
  if (done.signal != 0) end_by(done, request);
  const std::chrono::duration<double> spent = std::chrono::steady_clock::now() - begin;
  if (done.recorded < done.points) tell_of_points_left(done, spent.count() >= request.seconds);
  const tuned_points found = rules_of(read_records(request.records));
  if (found.points == 0 && (done.jobs == 0 || request.hosts.empty())) {
    throw launch_refusal{1, text("no point could be finished in ", request.seconds,
                                 " s, so there is no table; give more by --seconds")};
  }
  if (found.points == 0) {
    throw launch_refusal{1, "no records in " + request.records +
                                "; rank 0 writes them, so the first host must be this one"};
  }
  replace_file(request.output, coll::text_of(found.table));
  report(found, request.output);
  return 0;
}

void add_options(CLI::App& app, tune_request& chosen) {
  app.add_option("-n,--ranks", chosen.ranks,
                 "numbers of ranks (default: 2, 4, ... 64 up to the cores,\nas many as cores, and "
                 "twice as many)")
      ->delimiter(',')
      ->check(CLI::Range(2u, 16384u));
  app.add_option("-H,--hosts", chosen.hosts, "as of atoll run; the first is this host");
  app.add_option("--rsh", chosen.rsh, "as of atoll run");
  app.add_option("--sizes", chosen.sizes,
                 "bytes of a block, as 8,4k,1M (default: 13 from 8 to 4 MiB)")
      ->delimiter(',');
  app.add_option("--collectives", chosen.collectives, "which ones (default: all)")->delimiter(',');
  app.add_option("--form", chosen.form,
                 "of calls: waited, overlapped (started, then waited for) or both (default)")
      ->check(CLI::IsMember({"both", "waited", "overlapped"}));
  app.add_option("--work", chosen.work,
                 "computed beside each overlapped call, in times of a call (default: 1)");
  app.add_option("--elements", chosen.elements,
                 "bytes of the elements of reductions: 1, 4, 8 (default: 8, doubles)")
      ->delimiter(',')
      ->check(CLI::IsMember({1u, 4u, 8u}));
  app.add_flag("--in-order", chosen.in_order, "also reductions whose operation does not commute");
  app.add_flag("--strict", chosen.strict, "also calls whose members begin and end together");
  app.add_option("--seconds", chosen.seconds, "for all of it (default: 300)");
  app.add_option("--rounds", chosen.rounds, "most rounds of a point (default: 16)")
      ->check(CLI::Range(4u, 1000u));
  app.add_option(
         "--passes", chosen.passes,
         "how often all points are measured, while there is time\n(default: 3, and up to 6 where "
         "time is left)")
      ->check(CLI::Range(1u, 100u));
  app.add_flag("--all", chosen.all, "leave no algorithm out early");
  app.add_option("-o,--output", chosen.output, "the table (default: where jobs look for it)");
  app.add_option("--records", chosen.records,
                 "what is measured, to go on with (default: beside the table)");
  app.add_flag("--fresh", chosen.fresh, "forget earlier records");
}

}  // namespace

int tune_command(std::vector<std::string> words) {
  tune_request chosen;
  std::string file = chosen.output, other = chosen.output, records, to;
  CLI::App app(
      "Measures which algorithm of each collective is fastest here, and writes the table that "
      "jobs\n"
      "use by themselves. It goes on where an earlier one was interrupted or ran out of time.",
      "atoll tune");
  add_options(app, chosen);
  CLI::App* const show = app.add_subcommand("show", "print a table (default: the user's)");
  show->add_option("file", file, "the table");
  CLI::App* const compare = app.add_subcommand("compare", "print what differs between two tables");
  compare->add_option("before", file, "a table")->required();
  compare->add_option("after", other, "another (default: the user's)");
  CLI::App* const copy = app.add_subcommand("export", "copy a table, checked, for other hosts");
  copy->add_option("file", file, "the table (default: the user's)");
  copy->add_option("-o,--output", to, "where to (default: standard output)");
  CLI::App* const judge = app.add_subcommand(
      "check", "tell how near a table is to the best at points that were measured");
  judge->add_option("file", file, "the table (default: the user's)");
  judge->add_option("--records", records, "of atoll tune (default: those beside the table)");
  CLI::App* const page =
      app.add_subcommand("page", "make a web page of a table, its regions and what they gain");
  page->add_option("file", file, "the table (default: the user's)");
  page->add_option("--records", records, "of atoll tune (default: those beside the table)");
  page->add_option("-o,--output", to, "the page (default: beside the table, with .html)");
  app.require_subcommand(0, 1);
  if (!parse_words(app, std::move(words))) return 0;
  if (show->parsed()) return tune_show(file);
  if (compare->parsed()) return tune_compare(file, other);
  if (copy->parsed()) return tune_export(file, to);
  if (records.empty()) records = file + ".records";
  if (judge->parsed()) return tune_check(file, records);
  if (page->parsed()) return tune_page(file, records, to.empty() ? file + ".html" : to);
  return tune(std::move(chosen));
}

}  // namespace atl::tools
