// SPDX-License-Identifier: BSD-3-Clause
//
// cholesky in UPC++. For a picture the first variant runs once more, with its times recorded.
#include <apps/cholesky/options.hpp>
#include <apps/cholesky/variants.hpp>
#include <apps/trial/gantt.hpp>
#include <apps/trial/upcxx_job.hpp>
#include <atoll/base/text.hpp>
#include <upcxx/upcxx.hpp>

#include <optional>

namespace {

// On rank 0 the spans of all ranks; on others nothing.
std::vector<std::vector<trial::span>> gather(const trial::journal& own) {
  const upcxx::dist_object<std::vector<trial::span>> journals(own.spans());
  std::vector<std::vector<trial::span>> found;
  for (int rank = 0; upcxx::rank_me() == 0 && rank < upcxx::rank_n(); ++rank)
    found.push_back(journals.fetch(rank).wait());
  upcxx::barrier();
  return found;
}

void draw(const std::string& path, trial::variant& of_variant, trial::journal& times) {
  of_variant.prepare();
  times.open();
  upcxx::barrier();
  of_variant.run();
  upcxx::barrier();
  times.close();
  const auto found = gather(times);
  if (upcxx::rank_me() != 0) return;
  trial::draw_schedule(
      path, of_variant.name(),
      {.title = atl::text("cholesky, ", of_variant.name(), ", with row,column of each tile"),
       .kinds = {"factors a diagonal tile", "solves a tile", "updates a tile"},
       .of_ranks = found});
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
      [&](const trial::variant_list& variants) {
        const std::string& path = program.chosen().picture_path;
        if (!path.empty()) draw(path, *variants.front(), times);
      });
}
