// SPDX-License-Identifier: BSD-3-Clause
//
// The subcommands that read tables: all rules of one, what differs between two, a copy for other
// hosts, what a table is worth at measured points, and a page of it.
#include <tools/tune/tune.hpp>

#include <atoll/base/error.hpp>
#include <atoll/base/system/replace_file.hpp>
#include <atoll/base/text.hpp>
#include <atoll/coll/tuned/machine.hpp>
#include <atoll/coll/tuned/table.hpp>
#include <tools/bench/bench.hpp>
#include <tools/tune/evaluation.hpp>
#include <tools/tune/measuring_program.hpp>

#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cmath>
#include <cstdio>
#include <filesystem>
#include <iostream>

namespace atl::tools {

namespace {

std::string range_text(const coll::tuned_range& range) {
  const coll::tuned_range any;
  if (range.min == any.min && range.max == any.max) return "any";
  if (range.min == range.max) return text(range.min);
  return range.max == any.max ? text(range.min, " and more") : text(range.min, "-", range.max);
}

std::string place_text(const coll::tuned_rule& rule) {
  if (rule.one_host == false) return text("hosts of ", range_text(rule.ranks_per_host));
  if (!rule.oversubscribed.has_value()) return rule.one_host ? "one host" : "anywhere";
  return *rule.oversubscribed ? "shared cores" : "a core each";
}

// The conditions that few rules have.
std::string elements_text(const coll::tuned_rule& rule) {
  std::string words;
  if (rule.element_bytes) words += text("of ", *rule.element_bytes, " bytes");
  if (rule.commutative) {
    words += words.empty() ? "" : ", ";
    words += *rule.commutative ? "commutative" : "in order";
  }
  return words.empty() ? "any" : words;
}

std::string form_text(const coll::tuned_rule& rule) {
  std::string form = !rule.blocking ? "both" : *rule.blocking ? "waited" : "overlapped";
  if (rule.strict) form += *rule.strict ? ", strict" : ", loose";
  return form;
}

std::string line_of(const coll::tuned_rule& rule) {
  const std::string algorithm = algorithm_text(rule);
  char line[240];
  std::snprintf(line, sizeof line, "%-10s %-8s %-14s %-10s %-22s %-11s %s%s%s",
                rule.collective.c_str(), range_text(rule.ranks).c_str(), place_text(rule).c_str(),
                form_text(rule).c_str(), range_text(rule.bytes).c_str(),
                elements_text(rule).c_str(), algorithm.c_str(),
                rule.network.empty() ? "" : ", network ",
                coll::network_text(rule.network, rule.network_ns).c_str());
  return line;
}

constexpr const char* heading =
    "collective ranks    where          form       bytes                  elements    algorithm";

std::vector<std::string> lines_of(const coll::tuned_table& table) {
  std::vector<std::string> lines{"made on " + table.machine};
  for (const coll::tuned_rule& each : table.rules) lines.push_back(line_of(each));
  return lines;
}

void print_missing(const std::vector<std::string>& lines, const std::vector<std::string>& others,
                   char sign) {
  for (const std::string& each : lines) {
    if (std::ranges::find(others, each) == others.end()) std::cout << sign << ' ' << each << '\n';
  }
}

std::vector<evaluated_point> evaluated(const coll::tuned_table& table, const std::string& records) {
  check_records(records);
  if (!std::filesystem::exists(records)) {
    throw error(records, "there are no records",
                "name the file that atoll tune has written with --records");
  }
  std::vector<evaluated_point> points = evaluate(table, read_records(records));
  if (points.empty()) {
    throw error(
        records,
        "it has no records of this version of Atoll on the machine that the table was made on",
        "name the file that atoll tune has written with --records");
  }
  return points;
}

/// The path of an anonymous file with this content, which stays open across exec.
std::string file_of(const std::string& content) {
  const int memory = ::memfd_create("points", 0);
  if (memory < 0 ||
      ::write(memory, content.data(), content.size()) != static_cast<ssize_t>(content.size())) {
    throw error("the points of the page", errno_text(errno), "is there enough memory?");
  }
  return text("/proc/self/fd/", memory);
}

}  // namespace

int tune_show(const std::string& path) {
  const coll::tuned_table table = read_usable_table(path);
  std::cout << path << "\nmade on " << table.machine
            << (table.machine == coll::machine_text() ? "\n\n" : ", which is not this machine\n\n")
            << heading << '\n';
  for (const coll::tuned_rule& each : table.rules) std::cout << line_of(each) << '\n';
  std::cout << "\nAll other calls use the built-in rules.\n";
  return 0;
}

int tune_compare(const std::string& before, const std::string& after) {
  const coll::tuned_table old_table = read_usable_table(before);
  const coll::tuned_table new_table = read_usable_table(after);
  const std::vector<std::string> left = lines_of(old_table), right = lines_of(new_table);
  if (coll::text_of(old_table) == coll::text_of(new_table)) {
    std::cout << "the same rules\n";
    return 0;
  }
  std::cout << "  " << heading << '\n';
  print_missing(left, right, '-');
  print_missing(right, left, '+');
  const auto sorted = [](std::vector<std::string> lines) {
    std::ranges::sort(lines);
    return lines;
  };
  if (sorted(left) == sorted(right)) std::cout << "the same rules in another order\n";
  return 1;
}

int tune_export(const std::string& path, const std::string& to) {
  const std::string content = coll::text_of(read_usable_table(path));
  if (to.empty()) {
    std::cout << content;
    return 0;
  }
  replace_file(to, content);
  return 0;
}

int tune_check(const std::string& path, const std::string& records) {
  const evaluation found = summary_of(evaluated(read_usable_table(path), records));
  const auto share = [&](std::size_t count) {
    return 100.0 * static_cast<double>(count) / static_cast<double>(found.points);
  };
  std::printf("%zu points measured    with the table  built-in\n", found.points);
  std::printf("within  5 %% of the best %8.1f %% %8.1f %%\n", share(found.table_within_5),
              share(found.built_in_within_5));
  std::printf("within 10 %% of the best %8.1f %% %8.1f %%\n", share(found.table_within_10),
              share(found.built_in_within_10));
  if (found.unmeasured != 0) {
    std::printf("at %zu points the table's choice was left out early or not measured\n",
                found.unmeasured);
  }
  if (found.differs == 0) {
    std::printf("the table takes the built-in choice everywhere\n");
    return 0;
  }
  std::printf("at %zu points the table differs: %.2f of the time in the geometric mean",
              found.differs, std::exp(found.log_ratio / static_cast<double>(found.differs)));
  std::printf("; of all points %.2f\n",
              std::exp(found.log_ratio / static_cast<double>(found.points - found.unmeasured)));
  if (!found.worst.empty()) {
    std::printf("at worst %.2f: %s\n", found.worst_ratio, found.worst.c_str());
  }
  return 0;
}

int tune_page(const std::string& path, const std::string& records, const std::string& to) {
  const coll::tuned_table table = read_usable_table(path);
  return bench_command(
      {"regions", file_of(text_of(evaluated(table, records), table, path)), "--output", to});
}

}  // namespace atl::tools
