// SPDX-License-Identifier: BSD-3-Clause
//
// The options of `atoll tune`, the jobs that measure, and the writing of the table. A table is
// written beside its place and renamed, so a job that starts meanwhile finds the old one or the new
// one. The jobs are started by this same command, as `atoll run`.
#include <tools/command_line.hpp>
#include <tools/tune/tune.hpp>

#include <CLI/CLI.hpp>
#include <atoll/base/cpu.hpp>
#include <atoll/base/error.hpp>
#include <atoll/base/settings.hpp>
#include <atoll/base/text.hpp>
#include <atoll/coll/settings.hpp>
#include <atoll/coll/tuned/machine.hpp>
#include <tools/run/program.hpp>
#include <tools/tune/rules.hpp>

#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <utility>

namespace atl::tools {

namespace {

using clock = std::chrono::steady_clock;
namespace fs = std::filesystem;

struct tune_options {
  std::vector<unsigned> ranks;
  std::string hosts, rsh;
  std::vector<std::string> sizes, collectives;
  double seconds = 120;
  unsigned rounds = 16;
  unsigned passes = 3;
  bool in_flight = false;
  bool all = false;
  bool fresh = false;
  std::string output = coll::user_table_path();
  std::string records;
};

// 2, 4, ... up to twice as many as there are cores.
std::vector<unsigned> usual_ranks() {
  std::vector<unsigned> list;
  for (unsigned ranks = 2; ranks <= std::clamp(2 * cores_available(), 2u, 64u); ranks *= 2) {
    list.push_back(ranks);
  }
  return list;
}

std::string joined(const std::vector<std::string>& words) {
  std::string list;
  for (const std::string& each : words) list += (list.empty() ? "" : ",") + each;
  return list;
}

std::vector<std::string> job_words(const tune_options& chosen, unsigned ranks, unsigned pass,
                                   double seconds) {
  const fs::path command = fs::read_symlink("/proc/self/exe");
  const fs::path program =
      command.parent_path().parent_path() / "libexec" / "atoll" / "atoll_tune_measure";
  if (!fs::exists(program)) {
    throw launch_refusal{
        125, program.string() + " is missing; install Atoll as a whole (cmake --install)"};
  }
  std::vector<std::string> words{command, "run", "-n", std::to_string(ranks)};
  const auto add = [&](const char* option, const std::string& value) {
    if (!value.empty()) words.insert(words.end(), {option, value});
  };
  add("--hosts", chosen.hosts);
  add("--rsh", chosen.rsh);
  if (chosen.hosts.empty() && ranks <= cores_available()) add("--bind", "core");
  add("-e", std::string(setting::coll_table.name) + "=off");
  words.push_back(program);
  add("--records", chosen.records);
  add("--seconds", std::to_string(seconds));
  add("--rounds", std::to_string(chosen.rounds));
  add("--pass", std::to_string(pass));
  add("--sizes", joined(chosen.sizes));
  add("--collectives", joined(chosen.collectives));
  if (chosen.in_flight) words.emplace_back("--in-flight");
  if (chosen.all) words.emplace_back("--all");
  return words;
}

/// Runs a program and returns its exit status: its code, or 128 plus the signal that ended it.
int status_of(std::vector<std::string> words) {
  std::vector<char*> pointers;
  for (std::string& each : words) pointers.push_back(each.data());
  pointers.push_back(nullptr);
  const pid_t child = fork();
  if (child < 0) throw error("atoll tune", errno_text(errno), "are there too many processes?");
  if (child == 0) {
    execv(pointers.front(), pointers.data());
    _exit(127);
  }
  int status = 0;
  while (waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

// Measures one pass within the time that is left; later passes have what remains.
void measure_pass(const tune_options& chosen, unsigned pass, clock::time_point end) {
  for (std::size_t i = 0; i < chosen.ranks.size(); ++i) {
    const double left = std::chrono::duration<double>(end - clock::now()).count();
    if (pass != 0 && left <= 0) return;
    const double share = std::max(left, 0.0) / static_cast<double>(chosen.ranks.size() - i);
    const int status = status_of(job_words(chosen, chosen.ranks[i], pass, share));
    if (status != 0) {
      throw launch_refusal{status, text("the job of ", chosen.ranks[i], " ranks failed; ",
                                        "what was measured is kept in ", chosen.records)};
    }
  }
}

void measure(const tune_options& chosen) {
  const auto span = std::chrono::duration<double>(chosen.seconds);
  const auto end = clock::now() + std::chrono::duration_cast<clock::duration>(span);
  for (unsigned pass = 0; pass < chosen.passes; ++pass) measure_pass(chosen, pass, end);
}

void write_table(const coll::tuned_table& table, const std::string& path) {
  const std::string beside = path + ".new";
  std::ofstream file(beside);
  file << coll::text_of(table);
  file.close();
  std::error_code failed;
  if (file) fs::rename(beside, path, failed);
  if (!file || failed) throw error(path, "the table cannot be written", "name a place by --output");
}

int tune(tune_options chosen) {
  if (chosen.output.empty()) {
    throw launch_refusal{2, "there is no HOME to keep the table in; name a file by --output"};
  }
  if (chosen.ranks.empty()) chosen.ranks = usual_ranks();
  if (chosen.records.empty()) chosen.records = chosen.output + ".records";
  std::error_code ignored;  // if it is a failure, the file cannot be written
  fs::create_directories(fs::path(chosen.output).parent_path(), ignored);
  if (chosen.fresh) fs::remove(chosen.records, ignored);
  measure(chosen);
  const tuned_points found = rules_of(read_records(chosen.records));
  if (found.points == 0) {
    throw launch_refusal{1, "no records in " + chosen.records +
                                "; rank 0 writes them, so the first host must be this one"};
  }
  write_table(found.table, chosen.output);
  std::printf("%zu points measured; at %zu another algorithm is faster than the built-in one",
              found.points, found.changed);
  if (found.changed != 0) {
    std::printf(", %.2f times in the mean", std::exp(found.log_gain / double(found.changed)));
  }
  std::printf("\n%s: %zu rules\n", chosen.output.c_str(), found.table.rules.size());
  return 0;
}

void add_options(CLI::App& app, tune_options& chosen) {
  app.add_option("-n,--ranks", chosen.ranks,
                 "numbers of ranks (default: 2, 4, ... to twice the cores)")
      ->delimiter(',')
      ->check(CLI::Range(2u, 16384u));
  app.add_option("-H,--hosts", chosen.hosts, "as of atoll run; the first is this host");
  app.add_option("--rsh", chosen.rsh, "as of atoll run");
  app.add_option("--sizes", chosen.sizes, "bytes of a block (default: 12 from 8 to 1 MiB)")
      ->delimiter(',');
  app.add_option("--collectives", chosen.collectives, "which ones (default: all)")->delimiter(',');
  app.add_option("--seconds", chosen.seconds, "for all of it (default: 120)");
  app.add_option("--rounds", chosen.rounds, "most rounds of a point (default: 16)")
      ->check(CLI::Range(4u, 1000u));
  app.add_option("--passes", chosen.passes,
                 "how often all points are measured, while there is time (default: 3)")
      ->check(CLI::Range(1u, 100u));
  app.add_flag("--in-flight", chosen.in_flight, "also calls that do not block, several at a time");
  app.add_flag("--all", chosen.all, "leave no algorithm out early");
  app.add_option("-o,--output", chosen.output, "the table (default: where jobs look for it)");
  app.add_option("--records", chosen.records,
                 "what is measured, to go on with (default: beside the table)");
  app.add_flag("--fresh", chosen.fresh, "forget earlier records");
}

}  // namespace

int tune_command(std::vector<std::string> words) {
  tune_options chosen;
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
  CLI::App* const check = app.add_subcommand(
      "check", "tell how near a table is to the best at points that were measured");
  check->add_option("file", file, "the table (default: the user's)");
  check->add_option("--records", records, "of atoll tune (default: those beside the table)");
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
  if (check->parsed()) return tune_check(file, records);
  if (page->parsed()) return tune_page(file, records, to.empty() ? file + ".html" : to);
  return tune(std::move(chosen));
}

}  // namespace atl::tools
