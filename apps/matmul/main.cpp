// SPDX-License-Identifier: BSD-3-Clause
//
// matmul on Atoll. For a picture the first variant runs once more, with its times recorded.
#include <apps/matmul/summa.hpp>
#include <apps/trial/gantt.hpp>
#include <apps/trial/job.hpp>
#include <atoll/base/text.hpp>

#include <algorithm>
#include <optional>

namespace {

// On rank 0 the spans of all ranks; on others nothing.
std::vector<std::vector<trial::span>> gather(atl::team& world, const trial::journal& own) {
  const std::uint64_t count = own.spans().size();
  std::vector<std::uint64_t> counts(world.size());
  atl::coll::allgather(world, counts.data(), &count, sizeof count);
  const std::uint64_t most = *std::ranges::max_element(counts);
  const bool first = world.rank() == 0;
  std::vector<trial::span> sent = own.spans();
  sent.resize(most);
  std::vector<trial::span> received(first ? most * world.size() : 0);
  atl::coll::gather(world, 0, received.data(), sent.data(), most * sizeof(trial::span));
  std::vector<std::vector<trial::span>> found;
  for (atl::rank_id rank = 0; first && rank < world.size(); ++rank) {
    const trial::span* const begin = received.data() + rank * most;
    found.emplace_back(begin, begin + counts[rank]);
  }
  return found;
}

void draw(const std::string& path, atl::team& world, trial::variant& of_variant,
          trial::journal& times) {
  of_variant.prepare();
  times.open();
  world.barrier();
  of_variant.run();
  world.barrier();
  times.close();
  const auto found = gather(world, times);
  if (world.rank() != 0) return;
  trial::draw_schedule(
      path, of_variant.name(),
      {.title = atl::text("matmul, ", of_variant.name(), ", with the number of each panel"),
       .kinds = {"", "starts panels and waits", "multiplies"},
       .of_ranks = found});
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
        return matmul::make_job_variants(world, *problem, matmul::panel_width(program.chosen()), times,
                                         names);
      },
      [&](atl::team& world, const trial::variant_list& variants) {
        const std::string& path = program.chosen().picture_path;
        if (!path.empty()) draw(path, world, *variants.front(), times);
      });
}
