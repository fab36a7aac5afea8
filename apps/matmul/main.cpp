// SPDX-License-Identifier: BSD-3-Clause
//
// matmul on Atoll. For a picture the first variant runs once more, with its times recorded.
#include <apps/matmul/summa.hpp>
#include <apps/trial/gantt.hpp>
#include <apps/trial/job.hpp>
#include <atoll/base/text.hpp>

#include <optional>

namespace {

trial::schedule described(std::string_view variant) {
  std::vector<trial::kind_of_work> kinds(2);
  kinds[matmul::moving] = {"starts panels and waits", trial::work_colour::orange};
  kinds[matmul::multiplying] = {"multiplies", trial::work_colour::violet};
  return {.title = atl::text("matmul, ", variant, ", with the number of each panel"),
          .kinds = std::move(kinds),
          .of_ranks = {}};
}

}  // namespace

int main(int argc, char** argv) {
  matmul::program program(matmul::job_variants(), matmul::job_measures());
  std::optional<matmul::problem> problem;  // lives longer than the variants
  trial::journal times;
  return trial::run_in_job(
      argc, argv, program,
      [&](atl::team& world, trial::group& ranks, const std::vector<std::string>& names) {
        problem.emplace(ranks, program.chosen().n);
        return matmul::make_job_variants(world, *problem, matmul::panel_width(program.chosen()),
                                         times, names);
      },
      [&](trial::group& ranks, const trial::variant_list& variants) {
        const std::string& path = program.chosen().picture_path;
        if (path.empty()) return;
        trial::variant& first = *variants.front();
        trial::draw_run(ranks, first, times, path, described(first.name()));
      });
}
