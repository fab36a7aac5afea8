// SPDX-License-Identifier: BSD-3-Clause
//
// Rank 0 reports before any rank leaves this function: a job ends with its first rank that fails,
// and an orderly end of the library is a barrier.
#include <apps/trial/report.hpp>
#include <apps/trial/run.hpp>
#include <atoll/base/error.hpp>
#include <atoll/base/text.hpp>

#include <unistd.h>

#include <cerrno>
#include <filesystem>
#include <iostream>

namespace trial {
namespace {

/// The reason why the file could not be opened for writing now; empty if it can. Nothing is made.
std::string obstacle(const std::filesystem::path& path) {
  std::error_code unknown;
  if (std::filesystem::is_directory(path, unknown)) return atl::errno_text(EISDIR);
  const auto folder = path.has_parent_path() ? path.parent_path() : std::filesystem::path(".");
  const bool exists = std::filesystem::exists(path, unknown);
  if (::access(exists ? path.c_str() : folder.c_str(), exists ? W_OK : W_OK | X_OK) == 0) return "";
  return atl::errno_text(errno);
}

/// Refuses files that rank 0 could not write, before the work is done for nothing. Collective.
void check_files(group& ranks, const std::vector<output_file>& files) {
  std::string object;
  std::string reason;
  for (const output_file& each : files) {
    if (ranks.rank() != 0 || each.path.empty() || !reason.empty()) continue;
    object = atl::text(each.option, " ", each.path);
    reason = obstacle(each.path);
  }
  if (ranks.greatest(reason.empty() ? 0 : 1) == 0) return;
  throw atl::error(object, "the file cannot be written: " + reason,
                   "name a file in a folder that exists and may be written");
}

}  // namespace

int run_program(group& ranks, program& program, const options& chosen, const platform& used) {
  const bool first = ranks.rank() == 0;
  const progress show_progress = progress_on_terminal(first && !chosen.quiet);
  try {
    const std::vector<std::string> names =
        chosen.variants.empty() ? program.usual(ranks.size()) : chosen.variants;
    std::vector<output_file> files = program.files();
    files.push_back({"--json", chosen.json_path});
    check_files(ranks, files);
    const work planned = program.plan(ranks.size(), names);
    if (used.memory) check_memory(ranks, planned, used.memory());
    show_progress("preparing");
    const variant_list variants = used.make(names);
    const outcome result = run_rounds(ranks, variants, planned, chosen, show_progress);
    show_progress("");
    bool is_written = !first || print(program.app(), planned, chosen, result);
    if (first && !write_json_if_named(program.app(), used.implementation, planned, chosen, result))
      is_written = false;
    if (used.afterwards && result.right()) used.afterwards(ranks, variants);
    if (!is_written) return refused;
    return result.right() ? 0 : wrong_answer;
  } catch (const atl::error& refusal) {
    show_progress("");
    if (first) std::cerr << program.app() << ": " << refusal.what() << '\n';
    return refused;
  }
}

}  // namespace trial
