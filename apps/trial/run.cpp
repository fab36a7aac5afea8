// SPDX-License-Identifier: BSD-3-Clause
//
// Rank 0 reports before any rank leaves this function: a job ends with its first rank that fails,
// and an orderly end of the library is a barrier.
#include <apps/trial/report.hpp>
#include <apps/trial/run.hpp>
#include <atoll/base/error.hpp>

#include <iostream>

namespace trial {

int run_program(group& ranks, program& given, const options& chosen, const platform& used) {
  const bool first = ranks.rank() == 0;
  try {
    const std::vector<std::string> names =
        chosen.variants.empty() ? given.usual(ranks.size()) : chosen.variants;
    const work planned = given.plan(ranks.size(), names);
    if (used.check_memory) used.check_memory(planned);
    const variant_list variants = used.make(names);
    const outcome result =
        run_rounds(ranks, variants, planned, chosen, progress_on_terminal(first && !chosen.quiet));
    bool is_written = !first || print(given.app(), planned, chosen, result);
    if (first && !write_json_if_named(given.app(), used.implementation, planned, chosen, result))
      is_written = false;
    if (used.afterwards && result.right()) used.afterwards(variants);
    if (!is_written) return refused;
    return result.right() ? 0 : wrong_answer;
  } catch (const atl::error& refusal) {
    if (first) std::cerr << given.app() << ": " << refusal.what() << '\n';
    return refused;
  }
}

}  // namespace trial
