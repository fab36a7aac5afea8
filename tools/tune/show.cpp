// SPDX-License-Identifier: BSD-3-Clause
//
// Tables for the eye: all rules of one, what differs between two, and a copy for other hosts.
#include <tools/tune/tune.hpp>

#include <atoll/base/error.hpp>
#include <atoll/base/text.hpp>
#include <atoll/coll/tuned/machine.hpp>
#include <atoll/coll/tuned/table.hpp>

#include <algorithm>
#include <cstdio>
#include <fstream>
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

std::string line_of(const coll::tuned_rule& rule) {
  std::string algorithm = rule.algorithm;
  if (rule.radix != 0) algorithm += text(":", rule.radix);
  if (rule.piece_bytes != 0) algorithm += text("/", rule.piece_bytes);
  const char* const form = !rule.blocking ? "both" : *rule.blocking ? "blocking" : "in flight";
  char line[200];
  std::snprintf(line, sizeof line, "%-10s %-8s %-14s %-10s %-22s %s", rule.collective.c_str(),
                range_text(rule.ranks).c_str(), place_text(rule).c_str(), form,
                range_text(rule.bytes).c_str(), algorithm.c_str());
  return line;
}

constexpr const char* heading =
    "collective ranks    where          form       bytes                  algorithm";

std::vector<std::string> lines_of(const std::string& path) {
  std::vector<std::string> lines;
  for (const coll::tuned_rule& each : coll::read_tuned_table(path).rules) {
    lines.push_back(line_of(each));
  }
  return lines;
}

void print_missing(const std::vector<std::string>& lines, const std::vector<std::string>& others,
                   char sign) {
  for (const std::string& each : lines) {
    if (std::ranges::find(others, each) == others.end()) std::cout << sign << ' ' << each << '\n';
  }
}

}  // namespace

int tune_show(const std::string& path) {
  const coll::tuned_table table = coll::read_tuned_table(path);
  std::cout << path << "\nmade on " << table.machine
            << (table.machine == coll::machine_text() ? "\n\n" : ", which is not this machine\n\n")
            << heading << '\n';
  for (const coll::tuned_rule& each : table.rules) std::cout << line_of(each) << '\n';
  std::cout << "\nAll other calls use the built-in rules.\n";
  return 0;
}

int tune_compare(const std::string& before, const std::string& after) {
  const std::vector<std::string> left = lines_of(before), right = lines_of(after);
  if (left == right) {
    std::cout << "the same rules\n";
    return 0;
  }
  std::cout << "  " << heading << '\n';
  print_missing(left, right, '-');
  print_missing(right, left, '+');
  return 1;
}

int tune_export(const std::string& path, const std::string& to) {
  const std::string content = coll::text_of(coll::read_tuned_table(path));
  if (to.empty()) {
    std::cout << content;
    return 0;
  }
  std::ofstream file(to);
  file << content;
  file.close();
  if (!file) throw error(to, "the table cannot be written", "name a file that can be");
  return 0;
}

}  // namespace atl::tools
