// SPDX-License-Identifier: BSD-3-Clause
//
// bench_startup: the time of a whole command, for jobs of 2 and of many ranks that do nothing, and
// for ranks that join and leave. `atoll run` is compared with bare fork and exec, and with the
// launchers of Open MPI and MPICH where they are installed, all in the same rounds. Start it
// without a launcher.
#include <bench/harness/command_line.hpp>
#include <bench/harness/options.hpp>
#include <bench/harness/suite.hpp>
#include <bench/startup/commands.hpp>

#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <exception>

namespace {

using bench::command;

struct launcher {
  std::string name;
  command start;        // up to the number of ranks
  std::string joining;  // the program for this launcher that joins and leaves
  bool many = true;     // whether large jobs of empty programs end within seconds
};

std::vector<launcher> installed_launchers() {
  const auto folder = bench::own_folder() + "/";
  std::vector<launcher> found{{.name = "atoll",
                               .start = {bench::atoll_command(), "run", "-n"},
                               .joining = folder + "startup_joined"}};
  if (const auto mpich = bench::find_on_path("mpiexec.mpich"); !mpich.empty())
    found.push_back(
        {.name = "mpich", .start = {mpich, "-n"}, .joining = folder + "startup_joined_mpich"});
  if (const auto openmpi = bench::find_on_path("mpirun.openmpi"); !openmpi.empty()) {
    command start{openmpi, "--oversubscribe"};
    if (geteuid() == 0) start.push_back("--allow-run-as-root");
    start.push_back("-n");
    // Open MPI 4.1 took more than 40 s for 64 ranks that never call MPI, on two cores.
    found.push_back({.name = "openmpi",
                     .start = start,
                     .joining = folder + "startup_joined_openmpi",
                     .many = false});
  }
  return found;
}

command job_of(const launcher& launcher, unsigned ranks, const std::string& program) {
  command arguments = launcher.start;
  arguments.push_back(std::to_string(ranks));
  arguments.push_back(program);
  return arguments;
}

void add_case(bench::suite& suite, const std::string& name, std::uint64_t operations,
              command arguments, unsigned copies = 1) {
  suite.add({.name = name, .operations = operations, .run = [=](std::uint64_t count) {
               double taken_ns = 0;
               for (std::uint64_t i = 0; i < count; ++i)
                 taken_ns += bench::time_of_command(arguments, copies);
               return taken_ns;
             }});
}

void add_cases(bench::suite& suite, unsigned many) {
  const auto empty = bench::own_folder() + "/startup_empty";
  const auto large = "_" + std::to_string(many);
  add_case(suite, "fork_exec_2", 10, {empty}, 2);
  for (const auto& each : installed_launchers()) {
    const std::uint64_t often = each.name == "atoll" ? 10 : 1;
    add_case(suite, each.name + "_2", often, job_of(each, 2, empty));
    if (access(each.joining.c_str(), X_OK) == 0)
      add_case(suite, each.name + "_2_joined", often, job_of(each, 2, each.joining));
    if (each.many) add_case(suite, each.name + large, 1, job_of(each, many, empty));
    if (each.name == "atoll")
      add_case(suite, "atoll" + large + "_joined", 1, job_of(each, many, each.joining));
    else  // the goal is relative to Open MPI's mpirun
      suite.compare({.numerator = "atoll_2",
                     .denominator = each.name + "_2",
                     .at_most = each.name == "openmpi" ? 0.2 : 0});
  }
  suite.compare({.numerator = "atoll_2", .denominator = "fork_exec_2"});
}

}  // namespace

int main(int argc, char** argv) {
  bench::options chosen;
  unsigned many = 256;
  bench::command_line line(
      "Start and end of jobs: atoll run beside fork and exec, Open MPI and MPICH", chosen);
  line.add_number("--many", many, "Ranks of the large jobs", 1u, 4096u);
  line.parse(argc, argv);
  if (chosen.rounds == 0) chosen.rounds = chosen.quick ? 1 : 10;
  if (chosen.quick) many = std::min(many, 8u);
  try {
    bench::suite suite({.benchmark = "startup", .implementation = "launchers"}, chosen, [] {});
    suite.fit([](std::uint64_t value) { return value; });
    add_cases(suite, many);
    suite.run();
    return 0;
  } catch (const std::exception& problem) {
    std::fprintf(stderr, "bench_startup: %s\n", problem.what());
    return 1;
  }
}
