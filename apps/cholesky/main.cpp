// SPDX-License-Identifier: BSD-3-Clause
//
// cholesky in UPC++. For a picture the first variant runs once more, with its times recorded.
#include <apps/cholesky/options.hpp>
#include <apps/cholesky/variants.hpp>
#include <apps/trial/gantt.hpp>
#include <apps/trial/upcxx_job.hpp>
#include <atoll/base/text.hpp>

#include <optional>

namespace {

trial::schedule described(std::string_view variant) {
  using trial::work_colour;
  std::vector<trial::kind_of_work> kinds(3);
  kinds[cholesky::factoring] = {"factors a diagonal tile", work_colour::yellow};
  kinds[cholesky::solving] = {"solves a tile", work_colour::orange};
  kinds[cholesky::updating] = {"updates a tile", work_colour::violet};
  return {.title = atl::text("cholesky, ", variant, ", with row,column of each tile"),
          .kinds = std::move(kinds),
          .of_ranks = {}};
}

}  // namespace

int main(int argc, char** argv) {
  cholesky::program program(cholesky::upcxx_variants(), true);
  std::optional<cholesky::problem> problem;  // lives longer than the variants
  trial::journal times;
  return trial::run_in_upcxx(
      argc, argv, program,
      [&](trial::group& ranks, const std::vector<std::string>& names) {
        problem.emplace(ranks, program.chosen().n);
        return cholesky::make_upcxx_variants(*problem, cholesky::tile_size(program.chosen()), times,
                                             names);
      },
      [&](trial::group& ranks, const trial::variant_list& variants) {
        const std::string& path = program.chosen().picture_path;
        if (path.empty()) return;
        trial::variant& first = *variants.front();
        trial::draw_run(ranks, first, times, path, described(first.name()));
      });
}
