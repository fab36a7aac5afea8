// SPDX-License-Identifier: BSD-3-Clause
//
// spin for UPC: the same iteration, options and report; the vectors and the products of H with them
// are in UPC (product.h). A thread has every THREADS-th block of the states.
#include <apps/spin/upc/product.h>
#include <apps/spin/comparison.hpp>
#include <apps/spin/solve.hpp>
#include <atoll/base/error.hpp>
#include <atoll/base/text.hpp>

#include <bit>
#include <iostream>

namespace spin {
namespace {

constexpr int wrong_answer = 1;
constexpr int refused = 2;
constexpr std::size_t block_states = SPIN_UPC_BLOCK;

std::vector<std::string> variant_names() {
  std::vector<std::string> names;
  for (const char* const* each = spin_upc_variants; *each != nullptr; ++each)
    names.emplace_back(*each);
  return names;
}

unsigned variant_number(const std::string& name) {
  unsigned number = 0;
  while (name != spin_upc_variants[number]) ++number;
  return number;
}

class sums_of_threads final : public reducer {
 public:
  double sum(double value) override { return spin_upc_sum(value); }
};

/// Which of the two vectors begins at this address.
unsigned which(const double* part) { return part == spin_upc_part(0) ? 0 : 1; }

double dot_product(const double* a, const double* b) {
  double sum = 0;
  for (std::size_t first = 0; first < spin_upc_count(); first += block_states) {
    double part[4] = {};
    for (std::size_t place = first; place < first + block_states; place += 4)
      for (std::size_t lane = 0; lane < 4; ++lane) part[lane] += a[place + lane] * b[place + lane];
    sum += (part[0] + part[1]) + (part[2] + part[3]);
  }
  return sum;
}

class upc_matrix final : public matrix {
 public:
  double start(double* vector) override {
    for (std::size_t block = 0; block < spin_upc_count() / block_states; ++block)
      spin_upc_offer(which(vector), block);
    return dot_product(vector, vector);
  }
  double apply(double* out, const double* in, apply_factors factors) override {
    spin_upc_apply(which(out), which(in), factors.scale, factors.previous);
    return dot_product(out, in);
  }
  double subtract(double* out, const double* in, double factor) override {
    for (std::size_t block = 0; block < spin_upc_count() / block_states; ++block) {
      const std::size_t first = block * block_states;
      for (std::size_t place = first; place < first + block_states; ++place)
        out[place] -= factor * in[place];
      spin_upc_offer(which(out), block);
    }
    return dot_product(out, out);
  }
  void settle() override {}
  std::int64_t waited_ns() const noexcept override { return spin_upc_waited_ns(); }
  std::uint64_t moved_bytes() const noexcept override { return spin_upc_moved_bytes(); }
};

void fill_own_blocks(const options& chosen, double* vector) {
  for (std::size_t block = 0; block < spin_upc_count() / block_states; ++block) {
    const local_states states{.first = spin_upc_first_state(block),
                              .local_bits = std::countr_zero(block_states)};
    fill_start(chosen.model, states, chosen.seed, vector + block * block_states);
  }
}

outcome run_variant(const options& chosen, const division& plan, const std::string& name,
                    report& out) {
  const spin_upc_chain model{.sites = chosen.model.sites,
                             .coupling = chosen.model.coupling,
                             .flip = chosen.model.flip(),
                             .periodic = chosen.model.periodic};
  if (spin_upc_open(&model, variant_number(name)) == 0) {
    throw atl::error("memory of spin_upc", "a thread has not enough for the vectors and buffers",
                     "use fewer sites, or more of the machine's memory");
  }
  fill_own_blocks(chosen, spin_upc_part(0));
  upc_matrix h;
  sums_of_threads sums;
  outcome result = search(chosen, h, sums, {spin_upc_part(0), spin_upc_part(1)}, out);
  result.ranks = 1U << plan.exchange.partners;
  spin_upc_close();
  return result;
}

void check_blocks(const options& chosen, const division& plan, unsigned threads) {
  if (plan.states.count() >= block_states) return;
  throw atl::error(atl::text("spin_upc on ", threads, " threads"),
                   atl::text("each has a block of ", block_states, " states at least, and ",
                             chosen.model.sites, " sites have ", chosen.model.states()),
                   "use more sites or fewer threads");
}

int run(const options& chosen, unsigned thread, unsigned threads) {
  const bool first = thread == 0;
  try {
    const division plan = divide(chosen, thread, threads);
    check_blocks(chosen, plan, threads);
    const auto by_name = [&](const std::string& name, report& out) {
      return run_variant(chosen, plan, name, out);
    };
    const implementation upc{"atoll-upc", variant_names(), by_name};
    return run_variants(chosen, plan, upc, first) ? 0 : wrong_answer;
  } catch (const atl::error& refusal) {
    if (first) std::cerr << "spin_upc: " << refusal.what() << '\n';
    return refused;
  }
}

}  // namespace
}  // namespace spin

int spin_upc_main(int argc, char** argv, unsigned thread, unsigned threads) {
  spin::options chosen;
  int exit_code = 0;
  const spin::program self{
      .name = "spin_upc", .variants = spin::variant_names(), .speaks = thread == 0};
  if (spin::parse(argc, argv, self, chosen, exit_code))
    exit_code = spin::run(chosen, thread, threads);
  std::cout.flush();
  return exit_code;
}
