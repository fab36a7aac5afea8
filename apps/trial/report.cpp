// SPDX-License-Identifier: BSD-3-Clause
//
// The report, in columns written by printf. Lines of code have a column where they are counted.
#include <apps/trial/report.hpp>
#include <atoll/base/error.hpp>

#include <unistd.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <cstdio>
#include <fstream>
#include <iostream>

namespace trial {
namespace {

double rate(const figure& each) {
  return each.done.operations / std::max(each.seconds, 1e-9) * 1e-9;
}

void print_table(const outcome& result) {
  const bool has_lines =
      std::ranges::any_of(result.figures, [](const figure& each) { return each.done.lines != 0; });
  std::printf("  variant                    ms     +/-       rate         %s     error\n",
              has_lines ? "  lines" : "");
  for (const figure& each : result.figures) {
    std::printf("  %-18s %10.3f %7.3f %10.3f %-8s", each.name.c_str(), each.seconds * 1e3,
                each.mad * 1e3, rate(each), std::string(each.done.unit).c_str());
    if (has_lines) std::printf("%7u", each.done.lines);
    std::printf("   %.1e%s\n", each.error, each.right ? "" : "  WRONG");
  }
}

// The limit in words: the number where it is the same for all variants.
std::string limit_of(const outcome& result) {
  const double first = result.figures.empty() ? 0 : result.figures.front().done.error_max;
  const bool is_common = std::ranges::all_of(
      result.figures, [&](const figure& each) { return each.done.error_max == first; });
  if (!is_common) return "its limit";
  char text[32];
  std::snprintf(text, sizeof text, "%.0e", first);
  return text;
}

}  // namespace

progress progress_on_terminal(bool speak) {
  if (!speak || ::isatty(STDERR_FILENO) == 0) return [](const std::string&) {};
  return [](const std::string& line) {
    std::fprintf(stderr, "\r\033[K%s", line.c_str());
    std::fflush(stderr);
  };
}

bool print(std::string_view app, const work& planned, const options& chosen,
           const outcome& result) {
  const std::string name(app);
  if (!chosen.quiet) {
    std::printf("%s: %s, %u rank%s\n\n", name.c_str(), planned.title.c_str(), result.ranks,
                result.ranks == 1 ? "" : "s");
    print_table(result);
    std::printf("\n");
  }
  std::printf("%s: %s error above %s\n", name.c_str(), result.right() ? "right: no" : "WRONG: an",
              limit_of(result).c_str());
  if (std::fflush(stdout) == 0 && std::ferror(stdout) == 0) return true;
  std::fprintf(stderr, "%s: the report cannot be written; is the disk full?\n", name.c_str());
  return false;
}

void write_json(std::string_view app, std::string_view implementation, const work& planned,
                const options& chosen, const outcome& result) {
  nlohmann::json variants = nlohmann::json::array();
  for (const figure& each : result.figures) {
    variants.push_back({{"name", each.name},
                        {"seconds", each.seconds},
                        {"mad", each.mad},
                        {"rate", rate(each)},
                        {"unit", each.done.unit},
                        {"error", each.error},
                        {"error_max", each.done.error_max},
                        {"right", each.right}});
    if (each.done.lines != 0) variants.back()["lines"] = each.done.lines;
  }
  nlohmann::json written = {{"app", app},
                            {"implementation", implementation},
                            {"version", ATOLL_VERSION_STRING},
                            {"build", ATOLL_BUILD_STRING},
                            {"ranks", result.ranks},
                            {"rounds", result.rounds},
                            {"right", result.right()},
                            {"variants", variants}};
  for (const auto& [key, value] : planned.facts) written[key] = value;
  std::ofstream file(chosen.json_path);
  file << written.dump(2) << '\n';
  file.close();
  if (!file)
    throw atl::error("--json " + chosen.json_path, "the file cannot be written",
                     "name a file in a folder that exists and may be written");
}

bool write_json_if_named(std::string_view app, std::string_view implementation, const work& planned,
                         const options& chosen, const outcome& result) {
  if (chosen.json_path.empty()) return true;
  try {
    write_json(app, implementation, planned, chosen, result);
    return true;
  } catch (const atl::error& refusal) {
    std::cerr << app << ": " << refusal.what() << '\n';
    return false;
  }
}

}  // namespace trial
