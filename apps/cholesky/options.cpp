// SPDX-License-Identifier: BSD-3-Clause
//
// The options of cholesky, and the memory that it needs. Ranks keep room for tiles above the
// diagonal too, and all ranks as much as the one with the most tiles.
#include <CLI/CLI.hpp>
#include <apps/cholesky/options.hpp>
#include <apps/trial/ranges.hpp>
#include <atoll/base/rounding.hpp>
#include <atoll/base/text.hpp>

namespace cholesky {
namespace {

constexpr double error_max = 1e-12;

// Measured on x86-64, rounded up.
constexpr std::uint64_t future_bytes = 256;      // of a tile, on each rank
constexpr std::uint64_t coroutine_bytes = 1400;  // of a tile, on its rank
constexpr std::uint64_t update_bytes = 640;      // of an update of a tile that waits in a future

/// The memory of all ranks besides that of the matrix. With small tiles it is the larger part.
std::uint64_t waiting_bytes(std::uint64_t tiles_in_row, unsigned ranks,
                            const std::vector<std::string>& names) {
  const std::uint64_t tiles = tiles_in_row * tiles_in_row;
  std::uint64_t bytes = 0;
  for (const std::string& name : names) {
    if (name == "coroutines") bytes += tiles / 2 * coroutine_bytes;
    if (name == "futures") bytes += tiles * tiles_in_row / 6 * update_bytes;
    const bool has_futures = name == "coroutines" || name == "futures" || name == "steps";
    if (has_futures) bytes += tiles * ranks * future_bytes;
  }
  return bytes;
}

}  // namespace

std::string_view program::about() const {
  return "cholesky: A = L L^T of a symmetric positive definite matrix, dealt over a grid of ranks "
         "in\n"
         "tiles, in several ways. Fails when A x differs from L (L^T x) for a random vector x.";
}

void program::add_options(CLI::App& app) {
  app.add_option("-n,--size", chosen_.n, "rows and columns of the matrix")
      ->check(CLI::Range(std::size_t{1}, std::size_t{200'000}))
      ->capture_default_str();
  app.add_option("--tile", chosen_.tile, "rows and columns of a tile")
      ->check(CLI::Range(std::size_t{1}, std::size_t{10'000}))
      ->capture_default_str();
  if (!draws_) return;
  app.add_option("--png", chosen_.picture_path,
                 "draw into this file when each rank did what, in one more run of the first "
                 "variant: tiles\n"
                 "factored in yellow, solved in orange, updated in violet; dark: nothing")
      ->option_text("FILE");
}

trial::work program::plan(unsigned ranks, const std::vector<std::string>& names) const {
  const auto n = static_cast<double>(chosen_.n);
  const std::size_t tile = tile_size(chosen_);
  const std::size_t count = atl::pieces_of(chosen_.n, tile);
  const trial::grid grid = trial::square_grid(ranks);
  const std::uint64_t bytes = atl::pieces_of(count, grid.rows) *
                              atl::pieces_of(count, grid.columns) * tile * tile * sizeof(double);
  return {.title = atl::text(chosen_.n, "x", chosen_.n, " doubles in tiles of ", tile),
          .tasks = {{.operations = n * n * n / 3, .error_max = error_max}},
          .bytes_of_rank = bytes,
          .bytes_in_all = bytes * ranks + waiting_bytes(count, ranks, names),
          .facts = {{"n", chosen_.n}, {"tile", tile}}};
}

}  // namespace cholesky
