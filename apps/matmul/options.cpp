// SPDX-License-Identifier: BSD-3-Clause
//
// The options of matmul, and its plan of memory: the variants over one grid share the blocks of
// three matrices, `layers` has blocks of its own, each variant has two buffers for panels, and
// `library` has three whole matrices on rank 0.
#include <CLI/CLI.hpp>
#include <apps/matmul/options.hpp>
#include <apps/matmul/panels.hpp>
#include <atoll/base/rounding.hpp>
#include <atoll/base/text.hpp>

namespace matmul {
namespace {

constexpr double error_max = 1e-11;  // n roundings of sums of n products

struct memory_plan {
  std::uint64_t shared = 0;  // of a rank, in memory that others reach
  std::uint64_t own = 0;     // of a rank besides
  std::uint64_t alone = 0;   // of rank 0 besides
};

memory_plan memory_of(const setting& chosen, unsigned ranks,
                      const std::vector<std::string>& names) {
  memory_plan needed;
  bool shares_blocks = false;
  for (const std::string& name : names) {
    if (name == library_name) {
      needed.alone += 3 * chosen.n * chosen.n * sizeof(double);
      continue;
    }
    const bool has_layers = name == layers_name;
    const trial::grid grid = trial::square_grid(has_layers ? ranks / layers_of(ranks) : ranks);
    const std::size_t rows = atl::pieces_of(chosen.n, grid.rows);
    const std::size_t columns = atl::pieces_of(chosen.n, grid.columns);
    if (has_layers || !shares_blocks) needed.shared += 3 * rows * columns * sizeof(double);
    shares_blocks = shares_blocks || !has_layers;
    needed.own += 2 * (rows + columns) * panel_width(chosen) * sizeof(double);
  }
  return needed;
}

}  // namespace

std::string_view program::about() const {
  return "matmul: C = A B of square matrices of doubles, divided into blocks over a grid of ranks, "
         "in\n"
         "several ways. Fails when C x differs from A (B x) for a random vector x (Freivalds' "
         "check).";
}

void program::add_options(CLI::App& app) {
  app.add_option("-n,--size", chosen_.n, "rows and columns of the matrices")
      ->check(CLI::Range(std::size_t{1}, std::size_t{200'000}))
      ->capture_default_str();
  app.add_option("--panel", chosen_.panel, "columns of A and rows of B that travel at a time")
      ->check(CLI::Range(std::size_t{1}, std::size_t{200'000}))
      ->capture_default_str();
  if (!draws_) return;
  app.add_option(
         "--png", chosen_.picture_path,
         "draw into this file when each rank did what, in one more run of the first variant:\n"
         "products in violet, starting panels and waiting for them in orange; dark: nothing")
      ->option_text("FILE");
}

trial::work program::plan(unsigned ranks, const std::vector<std::string>& names) const {
  const auto n = static_cast<double>(chosen_.n);
  const memory_plan memory = memory_of(chosen_, ranks, names);
  return {.title = atl::text(chosen_.n, "x", chosen_.n, " doubles"),
          .tasks = {{.operations = 2 * n * n * n, .error_max = error_max}},
          .bytes_of_rank = memory.shared,
          .bytes_in_all = (memory.shared + memory.own) * ranks + memory.alone,
          .facts = {{"n", chosen_.n}, {"panel", chosen_.panel}}};
}

}  // namespace matmul
