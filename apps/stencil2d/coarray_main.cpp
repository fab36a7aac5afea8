// SPDX-License-Identifier: BSD-3-Clause
//
// stencil2d_coarray: the variants in Fortran with coarrays, of the same kernel, with the same
// options and the same report. The main program is here, so that options and report are those of
// the other programs; the first call of a procedure of the Fortran module starts the images.
#include <apps/stencil2d/coarray_group.hpp>
#include <apps/stencil2d/options.hpp>
#include <apps/stencil2d/report.hpp>
#include <atoll/base/error.hpp>

#include <iostream>
#include <optional>

namespace stencil2d {
namespace {

constexpr int wrong_answer = 1;
constexpr int refused = 2;

/// A run on the first images, which are a team meanwhile.
struct team_run {
  const options& chosen;
  const report& out;
  unsigned total;
  std::optional<outcome> result;

  static void start(void* context) { static_cast<team_run*>(context)->compare(); }

 private:
  void compare() {
    coarray_group group;
    const setting given = setting_for(chosen, group.rank(), group.size(), total);
    out.heading(given, group.size());
    result = compare_variants(group, given, chosen.variants, chosen.rounds);
    out.table(*result);
  }
};

int run(const options& chosen, const program_traits& program) {
  const auto total = static_cast<unsigned>(coarray_num_images());
  const bool first = coarray_this_image() == 1;
  const report out(chosen, program, first);
  std::vector<outcome> outcomes;
  bool right = true;
  for (const unsigned count : counts_for(chosen, total)) setting_for(chosen, 0, count, total);
  for (const unsigned count : counts_for(chosen, total)) {
    team_run members{chosen, out, total, {}};
    coarray_run_on_first(static_cast<int>(count), team_run::start, &members);
    if (!members.result) continue;
    right = right && members.result->right;
    outcomes.push_back(std::move(*members.result));
  }
  if (first) {
    out.growth(outcomes);
    out.verdict(outcomes);
    if (!chosen.json_path.empty()) write_json(chosen, "atoll-coarray", outcomes);
  }
  return right ? 0 : wrong_answer;
}

int parse_and_run(int argc, char** argv) {
  const bool first = coarray_this_image() == 1;
  const program_traits program{"stencil2d_coarray", coarray_variants(), false};
  options chosen;
  try {
    if (const auto end = parse(argc, argv, program, first, chosen)) return *end;
    return run(chosen, program);
  } catch (const atl::error& refusal) {
    if (first) std::cerr << program.name << ": " << refusal.what() << '\n';
    return refused;
  }
}

}  // namespace
}  // namespace stencil2d

int main(int argc, char** argv) { return stencil2d::parse_and_run(argc, argv); }
