// SPDX-License-Identifier: BSD-3-Clause
//
// The options of matmul. Memory is planned for all variants together: three matrices over all
// ranks, three more for each of two layers, and panels.
#include <CLI/CLI.hpp>
#include <apps/matmul/options.hpp>
#include <atoll/base/text.hpp>

namespace matmul {
namespace {

constexpr std::uint64_t matrices = 9;  // 3 by blocks, 3 in each of two layers
constexpr double error_max = 1e-11;    // n roundings of sums of n products

}  // namespace

std::string_view program::about() const {
  return "matmul: C = A B of square matrices of doubles, divided into blocks over a grid of ranks, "
         "in\n"
         "several ways. Fails when C x differs from A (B x) for a random vector x (Freivalds' "
         "check).";
}

void program::add_options(CLI::App& app) {
  app.add_option("-n,--size", given_.n, "rows and columns of the matrices")
      ->check(CLI::Range(std::size_t{1}, std::size_t{200'000}))
      ->capture_default_str();
  app.add_option("--panel", given_.panel, "columns of A and rows of B that travel at a time")
      ->check(CLI::Range(std::size_t{1}, std::size_t{200'000}))
      ->capture_default_str();
  if (!draws_) return;
  app.add_option(
         "--png", given_.picture_path,
         "draw into this file when each rank did what, in one more run of the first variant:\n"
         "products in violet, starting panels and waiting for them in orange; dark: nothing")
      ->option_text("FILE");
}

trial::work program::plan(unsigned ranks) const {
  const auto n = static_cast<double>(given_.n);
  const std::uint64_t bytes = matrices * given_.n * given_.n * sizeof(double);
  return {.title = atl::text(given_.n, "x", given_.n, " doubles"),
          .operations = 2 * n * n * n,
          .error_max = error_max,
          .bytes_of_rank = bytes / ranks,
          .bytes_in_all = bytes,
          .facts = {{"n", given_.n}, {"panel", given_.panel}}};
}

}  // namespace matmul
