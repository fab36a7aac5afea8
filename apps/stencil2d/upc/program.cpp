// SPDX-License-Identifier: BSD-3-Clause
//
// stencil2d_upc: the variants in UPC, of the same kernel, with the same options and the same
// report.
#include <apps/stencil2d/upc/fields.h>
#include <apps/stencil2d/options.hpp>
#include <apps/stencil2d/report.hpp>
#include <apps/stencil2d/upc/group.hpp>
#include <atoll/base/error.hpp>

#include <iostream>
#include <optional>

namespace stencil2d {
namespace {

constexpr int wrong_answer = 1;
constexpr int refused = 2;

int run(const options& chosen, const program_traits& program, unsigned thread, unsigned threads) {
  if (chosen.growing != series::single) {
    throw atl::error("stencil2d: --series", "UPC has no groups of threads",
                     "start the program with one number of threads after the other");
  }
  const report out(chosen, program, thread == 0);
  const setting given = setting_for(chosen, thread, threads, threads);
  const upc_fields fields(given);
  upc_group group(thread, threads);
  out.heading(given, threads);
  std::vector<outcome> outcomes;
  outcomes.push_back(compare_variants(group, given, chosen.variants, chosen.rounds));
  out.table(outcomes.back());
  if (thread == 0) {
    out.verdict(outcomes);
    if (!chosen.json_path.empty()) write_json(chosen, "atoll-upc", outcomes);
  }
  return outcomes.back().right ? 0 : wrong_answer;
}

int parse_and_run(int argc, char** argv, unsigned thread, unsigned threads) {
  const program_traits program{"stencil2d_upc", upc_variants(), false};
  options chosen;
  try {
    if (const auto end = parse(argc, argv, program, thread == 0, chosen)) return *end;
    return run(chosen, program, thread, threads);
  } catch (const atl::error& refusal) {
    if (thread == 0) std::cerr << program.name << ": " << refusal.what() << '\n';
    return refused;
  }
}

}  // namespace
}  // namespace stencil2d

int stencil_upc_main(int argc, char** argv, unsigned thread, unsigned threads) {
  const int exit_code = stencil2d::parse_and_run(argc, argv, thread, threads);
  std::cout.flush();
  return exit_code;
}
