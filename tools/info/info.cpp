// SPDX-License-Identifier: BSD-3-Clause
//
// The options of `atoll info`, and the report as text. Printing only: each function prints one
// section of the report that report.cpp gathered, and nothing here looks at the machine.
#include <CLI/CLI.hpp>
#include <atoll/base/text.hpp>
#include <tools/command_line.hpp>
#include <tools/info/info.hpp>
#include <tools/info/memory_opener.hpp>
#include <tools/info/report.hpp>
#include <tools/run/program.hpp>

#include <algorithm>
#include <iostream>
#include <utility>

namespace atl::tools {

using json = nlohmann::ordered_json;

namespace {

std::string size_text(const json& bytes) { return bytes_text(bytes.get<std::uint64_t>()); }

std::string padded(std::string word, std::size_t width) {
  word.resize(std::max(width, word.size() + 1), ' ');
  return word;
}

/// "0-3,8" for a list of numbers in order.
std::string ranges_text(const json& numbers) {
  std::string list;
  for (std::size_t i = 0; i < numbers.size();) {
    std::size_t last = i;
    while (last + 1 < numbers.size() &&
           numbers[last + 1].get<unsigned>() == numbers[last].get<unsigned>() + 1)
      ++last;
    if (!list.empty()) list += ',';
    list += numbers[i].dump();
    if (last > i) list += '-' + numbers[last].dump();
    i = last + 1;
  }
  return list;
}

void print_transports(const json& transports) {
  std::cout << "\nTransports\n";
  for (const auto& each : transports)
    std::cout << "  " << padded(each["name"], 10) << (each["usable"] ? "yes  " : "no   ")
              << each["why"].get<std::string>() << '\n';
}

void print_machine(const json& machine) {
  std::cout << "\nMachine\n  " << machine["processor"].get<std::string>() << '\n'
            << "  packages " << machine["packages"] << ", cores " << machine["cores"]
            << ", processors " << machine["processors"] << "; this process may use "
            << machine["cores_available"] << '\n';
  for (const auto& cache : machine["caches"])
    std::cout << "  level " << cache["level"] << " cache: " << size_text(cache["size_bytes"])
              << " x " << cache["instances"] << ", shared by " << cache["shared_by_processors"]
              << '\n';
  for (const auto& node : machine["numa_nodes"])
    std::cout << "  NUMA node " << node["number"] << ": " << size_text(node["memory_bytes"])
              << ", processors " << ranges_text(node["processors"]) << '\n';
}

void print_memory(const json& memory) {
  std::cout << "\nMemory\n  total " << size_text(memory["total_bytes"]) << ", available "
            << size_text(memory["available_bytes"]) << '\n';
  std::cout << "  heaps of a job: up to " << size_text(memory["host_heap_limit_bytes"])
            << " per host, a rank up to " << size_text(memory["rank_heap_limit_bytes"]) << '\n';
  if (memory["control_group_limit_bytes"] != 0)
    std::cout << "  control group: " << size_text(memory["control_group_usage_bytes"]) << " of "
              << size_text(memory["control_group_limit_bytes"]) << " used\n";
}

void print_collectives(const json& tuned) {
  const auto table = tuned["table"].get<std::string>(), reason = tuned["why"].get<std::string>();
  const auto rules = tuned["rules"].get<std::size_t>();
  const auto ranks = tuned["ranks"].get<std::string>();
  std::cout << "\nTuned collectives\n  " << (table.empty() ? "no table" : table) << ", "
            << (reason.empty() ? text(rules, rules == 1 ? " rule" : " rules")
                               : "not used: " + reason)
            << (ranks.empty() ? "" : " for " + ranks + " ranks") << '\n';
  const auto others = tuned["other_algorithms"].get<std::string>();
  if (!others.empty()) std::cout << "  " << others << '\n';
  for (const json& each : tuned["networks"]) {
    const auto count = each["rules"].get<std::size_t>();
    std::cout << "  over hosts, " << each["network"].get<std::string>() << ": "
              << text(count, count == 1 ? " rule" : " rules") << '\n';
  }
}

void print_device(const json& device) {
  std::cout << "    " << device["number"] << ": " << device["name"].get<std::string>() << ", "
            << size_text(device["memory_bytes"]) << ", " << device["uuid"].get<std::string>();
  if (!device["peers"].empty()) std::cout << ", reaches " << ranges_text(device["peers"]);
  std::cout << '\n';
  for (const auto& [key, problem] : {std::pair("refusal", "cannot be opened: "),
                                     std::pair("export_refusal", "exports no memory: "),
                                     std::pair("open_refusal", "memory is not opened: "),
                                     std::pair("pin_refusal", "no pinned memory: ")}) {
    const auto words = device[key].get<std::string>();
    if (!words.empty()) std::cout << "       " << problem << words << '\n';
  }
}

void print_directions(const json& directions) {
  for (const auto& each : directions) {
    std::cout << "    " << each["operation"].get<std::string>() << ' '
              << padded(each["from"].get<std::string>() + " to " + each["to"].get<std::string>(),
                        17)
              << each["between_ranks_of_a_host"].get<std::string>() << "\n"
              << "      other hosts         " << each["between_hosts"].get<std::string>() << '\n';
  }
}

void print_devices(const json& drivers) {
  std::cout << "\nDevices\n";
  for (const auto& each : drivers) {
    const bool usable = each["usable"].get<bool>();
    std::cout << "  " << padded(each["kind"], 10) << (usable ? "yes  " : "no   ")
              << (usable ? each["version"].get<std::string>() + " (" +
                               each["library"].get<std::string>() + ")"
                         : each["why"].get<std::string>())
              << '\n';
    for (const auto& device : each["devices"]) print_device(device);
    print_directions(each["directions"]);
  }
}

void print_settings(const json& settings, bool with_help) {
  std::cout << "\nSettings\n";
  for (const auto& each : settings) {
    const auto value = each["value"].get<std::string>();
    std::cout << "  " << padded(each["name"], 24) << padded(value.empty() ? "-" : value, 10) << " ("
              << each["from"].get<std::string>() << ")\n";
    if (!with_help) continue;
    std::cout << "      " << each["help"].get<std::string>() << '\n';
    if (!each["range"].get<std::string>().empty())
      std::cout << "      " << each["range"].get<std::string>() << '\n';
  }
}

void print_problems(const json& problems) {
  if (problems.empty()) return;
  std::cout << "\nProblems\n";
  for (const auto& each : problems)
    for (const auto& [kind, line] : each.items())
      std::cout << "  " << kind << ": " << line.get<std::string>() << '\n';
}

void print_report(const json& report) {
  std::cout << "atoll " << report["version"].get<std::string>() << " ("
            << report["build"].get<std::string>() << ")\n";
  print_transports(report["transports"]);
  print_machine(report["machine"]);
  print_memory(report["memory"]);
  print_collectives(report["collectives"]);
  print_devices(report["devices"]);
  print_settings(report["settings"], false);
  print_problems(report["problems"]);
}

bool has_error(const json& problems) {
  return std::ranges::any_of(problems, [](const json& each) { return each.contains("error"); });
}

}  // namespace

int info_command(std::vector<std::string> words) {
  bool as_json = false;
  bool settings_only = false;
  CLI::App app("Tells what this Atoll is and what it sees on this machine.", "atoll info");
  app.add_flag("--settings", settings_only, "only the settings, each with its help and range");
  app.add_flag("--json", as_json, "as JSON, everything");
  std::string memory;
  app.add_option("--open-memory", memory)->group("");  // for memory_opener.cpp, not in the help
  if (!parse_words(app, std::move(words))) return 0;
  if (!memory.empty()) return open_memory(memory);
  const auto report = gather_report();
  if (as_json) {
    std::cout << report.dump(2) << '\n';
  } else if (settings_only) {
    print_settings(report["settings"], true);
    print_problems(report["problems"]);
  } else {
    print_report(report);
  }
  return has_error(report["problems"]) ? 1 : 0;
}

}  // namespace atl::tools
