// SPDX-License-Identifier: BSD-3-Clause
//
// The report, in columns written by printf.
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

double rate(const work& given, const figure& each) {
  return given.operations / std::max(each.seconds, 1e-9) * 1e-9;
}

}  // namespace

progress progress_on_terminal(bool speak) {
  if (!speak || ::isatty(STDERR_FILENO) == 0) return [](const std::string&) {};
  return [](const std::string& line) { std::fprintf(stderr, "\r\033[K%s", line.c_str()); };
}

bool print(std::string_view app, const work& given, const options& chosen, const outcome& result) {
  const std::string name(app);
  if (!chosen.quiet) {
    if (::isatty(STDERR_FILENO) != 0) std::fprintf(stderr, "\r\033[K");
    std::printf("%s: %s, %u rank%s\n\n", name.c_str(), given.title.c_str(), result.ranks,
                result.ranks == 1 ? "" : "s");
    std::printf("  variant                    ms     +/-   GFLOP/s     error\n");
    for (const figure& each : result.figures) {
      std::printf("  %-18s %10.3f %7.3f %9.2f   %.1e%s\n", each.name.c_str(), each.seconds * 1e3,
                  each.mad * 1e3, rate(given, each), each.error, each.right ? "" : "  WRONG");
    }
    std::printf("\n");
  }
  if (result.right()) {
    std::printf("%s: right: no error above %.0e\n", name.c_str(), given.error_max);
  } else {
    std::printf("%s: WRONG: an error above %.0e\n", name.c_str(), given.error_max);
  }
  if (std::fflush(stdout) == 0 && std::ferror(stdout) == 0) return true;
  std::fprintf(stderr, "%s: the report cannot be written; is the disk full?\n", name.c_str());
  return false;
}

void write_json(std::string_view app, std::string_view implementation, const work& given,
                const options& chosen, const outcome& result) {
  nlohmann::json variants = nlohmann::json::array();
  for (const figure& each : result.figures) {
    variants.push_back({{"name", each.name},
                        {"seconds", each.seconds},
                        {"mad", each.mad},
                        {"rate", rate(given, each)},
                        {"unit", "GFLOP/s"},
                        {"error", each.error},
                        {"right", each.right}});
  }
  nlohmann::json written = {{"app", app},
                            {"implementation", implementation},
                            {"version", ATOLL_VERSION_STRING},
                            {"build", ATOLL_BUILD_STRING},
                            {"ranks", result.ranks},
                            {"rounds", result.rounds},
                            {"right", result.right()},
                            {"variants", variants}};
  for (const auto& [key, value] : given.facts) written[key] = value;
  std::ofstream file(chosen.json_path);
  file << written.dump(2) << '\n';
  file.close();
  if (!file)
    throw atl::error("--json " + chosen.json_path, "the file cannot be written",
                     "name a file in a folder that exists and may be written");
}

bool write_json_if_named(std::string_view app, std::string_view implementation, const work& given,
                         const options& chosen, const outcome& result) {
  if (chosen.json_path.empty()) return true;
  try {
    write_json(app, implementation, given, chosen, result);
    return true;
  } catch (const atl::error& refusal) {
    std::cerr << app << ": " << refusal.what() << '\n';
    return false;
  }
}

}  // namespace trial
