// SPDX-License-Identifier: BSD-3-Clause
//
// The subcommands that read tables: all rules of one, what differs between two, a copy for other
// hosts, what a table is worth at measured points, and a page of it.
#include <tools/tune/tune.hpp>

#include <atoll/base/error.hpp>
#include <atoll/base/system/replace_file.hpp>
#include <atoll/base/text.hpp>
#include <atoll/coll/tuned/machine.hpp>
#include <atoll/coll/tuned/network.hpp>
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

std::string padded(std::string words, std::size_t width) {
  words.resize(std::max(words.size(), width), ' ');
  return words + ' ';
}

std::string line_of(const coll::tuned_rule& rule) {
  std::string line = padded(rule.collective, 10) + padded(range_text(rule.ranks), 8) +
                     padded(place_text(rule), 14) + padded(form_text(rule), 10) +
                     padded(range_text(rule.bytes), 22) + padded(elements_text(rule), 11) +
                     algorithm_text(rule);
  const std::string network = coll::network_text(rule.network, rule.network_ns);
  return network.empty() ? line : line + ", network " + network;
}

constexpr const char* heading =
    "collective ranks    where          form       bytes                  elements    algorithm";

// The speed of a network is measured, so two tables of one network hardly ever have the same
// figure.
bool is_same_rule(const coll::tuned_rule& left, coll::tuned_rule right) {
  const auto left_ns = static_cast<double>(left.network_ns);
  const auto right_ns = static_cast<double>(right.network_ns);
  const bool have_speeds = left.network_ns != 0 && right.network_ns != 0;
  if (have_speeds && coll::is_same_network(left_ns, right_ns)) right.network_ns = left.network_ns;
  return left == right;
}

/// The rules of a table that another lacks.
std::vector<coll::tuned_rule> missing(const coll::tuned_table& table,
                                      const coll::tuned_table& other) {
  std::vector<coll::tuned_rule> list, left = other.rules;
  for (const coll::tuned_rule& each : table.rules) {
    const auto found =
        std::ranges::find_if(left, [&](const auto& rule) { return is_same_rule(each, rule); });
    if (found == left.end()) {
      list.push_back(each);
    } else {
      left.erase(found);
    }
  }
  return list;
}

std::vector<evaluated_point> evaluated(const coll::tuned_table& table, const std::string& records) {
  check_records(records);
  if (!std::filesystem::exists(records)) {
    throw error(records, "there are no records",
                "name the file that atoll tune has written with --records");
  }
  std::size_t lines = 0;
  std::vector<evaluated_point> points = evaluate(table, read_records(records, &lines));
  if (lines != 0) std::cerr << "atoll tune: " << lines_left_out_text(records, lines) << '\n';
  if (points.empty()) {
    throw error(records,
                "it has no records of these algorithms on the machine that the table was made on",
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
  const std::string ranks = coll::ranks_text(table);
  const std::string others = coll::other_algorithms_text(table.algorithms);
  std::cout << path << "\nmade on " << table.machine
            << (table.machine == coll::machine_text() ? "" : ", which is not this machine")
            << (ranks.empty() ? "" : "\nfor " + ranks + " ranks")
            << (others.empty() ? "" : '\n' + others) << "\n\n"
            << heading << '\n';
  for (const coll::tuned_rule& each : table.rules) std::cout << line_of(each) << '\n';
  std::cout << "\nAll other calls use the built-in rules.\n";
  return 0;
}

int tune_compare(const std::string& before, const std::string& after) {
  const coll::tuned_table old_table = read_usable_table(before);
  const coll::tuned_table new_table = read_usable_table(after);
  const bool is_same_machine = old_table.machine == new_table.machine;
  if (is_same_machine && std::ranges::equal(old_table.rules, new_table.rules, is_same_rule)) {
    std::cout << "the same rules\n";
    return 0;
  }
  if (!is_same_machine) {
    std::cout << "- made on " << old_table.machine << "\n+ made on " << new_table.machine << '\n';
  }
  const std::vector<coll::tuned_rule> removed = missing(old_table, new_table);
  const std::vector<coll::tuned_rule> added = missing(new_table, old_table);
  if (removed.empty() && added.empty()) {
    std::cout << "the same rules" << (is_same_machine ? " in another order\n" : "\n");
    return 1;
  }
  std::cout << "  " << heading << '\n';
  for (const coll::tuned_rule& each : removed) std::cout << "- " << line_of(each) << '\n';
  for (const coll::tuned_rule& each : added) std::cout << "+ " << line_of(each) << '\n';
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
  if (found.differs + found.unmeasured == 0) {
    std::printf("the table takes the built-in choice everywhere\n");
    return 0;
  }
  std::printf("at %zu points the table differs", found.differs + found.unmeasured);
  if (found.unmeasured != 0) {
    std::printf(", and at %zu of them its choice was left out early or not measured",
                found.unmeasured);
  }
  if (found.differs == 0) {
    std::printf("\n");
    return 0;
  }
  std::printf(found.unmeasured == 0 ? ": " : "; at the others it takes ");
  std::printf("%.2f of the time in the geometric mean",
              std::exp(found.log_ratio / static_cast<double>(found.differs)));
  std::printf("; of all points %.2f\n",
              std::exp(found.log_ratio / static_cast<double>(found.points - found.unmeasured)));
  std::printf("at %zu of them it is slower than the built-in choice, by 2 %% and twice the error\n",
              found.surely_slower);
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
