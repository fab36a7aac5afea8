// SPDX-License-Identifier: BSD-3-Clause
//
// Ranks split the states by their high bits, so their number is a power of two, and every rank
// keeps at least four states. A ring holds the whole vector where that is at most 2 MiB, so that a
// rank can go on while its partner is not running, which matters with more ranks than cores.
#include <CLI/CLI.hpp>
#include <apps/spin/options.hpp>
#include <apps/trial/choice.hpp>
#include <atoll/base/error.hpp>
#include <atoll/base/text.hpp>

#include <algorithm>
#include <bit>
#include <cmath>
#include <iostream>

namespace spin {
namespace {

constexpr const char* about =
    "spin: the ground-state energy of a quantum spin chain,\n"
    "    H = J sum Sz_i Sz_(i+1) + Gamma sum Sx_i,   S = sigma / 2,\n"
    "by Lanczos iteration on all 2^n states, distributed over the ranks of the job, and checked\n"
    "against the exact energy. Fails when the relative difference is above 1e-10.\n\n"
    "    atoll run -n 4 spin --sites 20";
constexpr std::size_t vectors = 2;

constexpr unsigned local_bits_min = 2;
constexpr std::size_t ring_bytes_max = std::size_t{2} << 20;

void add_options(CLI::App& app, options& into) {
  app.add_option("-n,--sites", into.model.sites, "number of spins")
      ->check(CLI::Range(sites_min, sites_max))
      ->capture_default_str();
  app.add_option("-J,--coupling", into.model.coupling, "J; positive is antiferromagnetic")
      ->check(CLI::Range(-1e6, 1e6))
      ->capture_default_str();
  app.add_option("-g,--gamma", into.model.field, "Gamma, the transverse field")
      ->check(CLI::Range(-1e6, 1e6))
      ->capture_default_str();
  trial::add_choice(app, "-b,--boundary", into.model.periodic,
                    {{"periodic", true}, {"open", false}}, "periodic or open (default: periodic)");
  app.add_option("-i,--iterations", into.iterations, "most iterations")
      ->check(CLI::Range(1U, 100000U))
      ->capture_default_str();
  app.add_option("-t,--tolerance", into.tolerance,
                 "relative residual to stop at; the energy's error is about its square")
      ->check(CLI::Range(1e-14, 1e-2))
      ->capture_default_str();
  app.add_option("-s,--seed", into.seed, "of the start vector")->capture_default_str();
  app.add_option("--buffers", into.buffers,
                 "blocks of 32 KiB in each receive ring (default: chosen)")
      ->check(CLI::Range(std::size_t{1}, std::size_t{1} << 20));
  app.add_option("-r,--rounds", into.rounds, "how often each variant runs, in turns")
      ->check(CLI::Range(1U, 1000U))
      ->capture_default_str();
  app.add_option("--steps", into.steps, "iterate so often, converged or not: to measure")
      ->check(CLI::Range(1U, 100000U));
  app.add_flag("-q,--quiet", into.quiet, "print only the result, in one line");
  app.add_option("--json", into.json_path, "write the result and timings to this file")
      ->option_text("FILE");
}

void check(const options& chosen) {
  if (!std::isfinite(chosen.model.coupling) || !std::isfinite(chosen.model.field))
    throw CLI::ValidationError("J and Gamma must be numbers from -1e6 to 1e6");
  if (chosen.model.coupling == 0 && chosen.model.field == 0)
    throw CLI::ValidationError("J and Gamma are both 0: there is nothing to compute");
}

}  // namespace

bool parse(int argc, char** argv, const program& traits, options& into, int& exit_code) {
  CLI::App app(about);
  add_options(app, into);
  std::vector<std::string> words = traits.variants;
  words.insert(words.begin(), "all");
  const std::string default_name = traits.variants.empty() ? "" : traits.variants.front();
  app.add_option("-v,--variant", into.variant, "how vectors are exchanged, or all in turns")
      ->check(CLI::IsMember(words))
      ->option_text("WORD (default: " + default_name + ")");
  try {
    app.parse(argc, argv);
    check(into);
    return true;
  } catch (const CLI::Success&) {
    exit_code = 0;
    if (traits.speaks) std::cout << app.help();
  } catch (const CLI::ParseError& mistake) {
    exit_code = 2;
    if (traits.speaks)
      std::cerr << traits.name << ": " << mistake.what() << "; see " << traits.name << " --help\n";
  }
  return false;
}

division divide(const options& chosen, atl::rank_id rank, atl::rank_id ranks) {
  const unsigned sites = chosen.model.sites;
  const atl::rank_id most = atl::rank_id{1} << (sites - local_bits_min);
  if (!std::has_single_bit(ranks) || ranks > most) {
    const atl::rank_id below = std::min(std::bit_floor(ranks), most);
    const atl::rank_id above = std::bit_ceil(ranks);
    throw atl::error(
        atl::text("spin on ", ranks, " ranks"),
        atl::text(sites, " sites are divided by a power of two of ranks, at most ", most),
        atl::text("use ", below, above <= most ? atl::text(" or ", above) : "", " ranks"));
  }
  const auto rank_bits = static_cast<unsigned>(std::countr_zero(ranks));
  division plan{.states = {.local_bits = sites - rank_bits}};
  plan.states.first = state_id{rank} << plan.states.local_bits;
  const unsigned block_bits = std::min(block_bits_max, plan.states.local_bits);
  exchange_shape& shape = plan.exchange;
  shape = {.partners = rank_bits,
           .block_elements = std::size_t{1} << block_bits,
           .blocks = plan.states.count() >> block_bits};
  const std::size_t chosen_buffers = ring_bytes_max / (shape.block_elements * sizeof(double));
  shape.buffers = std::min(shape.blocks, chosen.buffers != 0 ? chosen.buffers : chosen_buffers);
  plan.bytes = vectors * plan.states.count() * sizeof(double);
  return plan;
}

}  // namespace spin
