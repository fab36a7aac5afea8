// SPDX-License-Identifier: BSD-3-Clause
//
// spin for OpenSHMEM: the same kernel, iteration and options, with exchanges and sums by OpenSHMEM.
// From Atoll it uses only parts that know no ranks: clock, errors, text.
#include <apps/spin/aligned.hpp>
#include <apps/spin/comparison.hpp>
#include <apps/spin/shmem/variants.hpp>
#include <apps/spin/solve.hpp>
#include <atoll/base/clock.hpp>
#include <atoll/base/error.hpp>

#include <shmem.h>

#include <iostream>
#include <memory>

namespace spin {
namespace {

constexpr int wrong_answer = 1;
constexpr int refused = 2;

/// Gathers the numbers and adds them up in the order of PEs, so that the bits are the same. Two
/// places are used in turn: when sum c + 1 is complete on a PE, all PEs have finished reading sum
/// c, whose place sum c + 2 may overwrite.
class gathered final : public reducer {
 public:
  explicit gathered(std::size_t pes) : pes_(pes), own_(2), numbers_(2 * pes) {}

  double sum(double value) override {
    const std::int64_t start_ns = atl::now_ns();
    const std::size_t turn = count_++ % 2;
    double* const numbers = numbers_.data() + turn * pes_;
    own_[turn] = value;
    shmem_double_fcollect(SHMEM_TEAM_WORLD, numbers, &own_[turn], 1);
    waited_ns_ += atl::now_ns() - start_ns;
    double total = 0;
    for (std::size_t pe = 0; pe < pes_; ++pe) total += numbers[pe];
    return total;
  }

 private:
  std::size_t pes_;
  symmetric<double> own_;
  symmetric<double> numbers_;
  std::uint64_t count_ = 0;
};

int run(const options& chosen, bool first) {
  const auto pes = static_cast<atl::rank_id>(shmem_n_pes());
  try {
    const division plan = divide(chosen, static_cast<atl::rank_id>(shmem_my_pe()), pes);
    const auto by_name = [&](const std::string& name, report& out) {
      const aligned_numbers current(plan.states.count());
      const aligned_numbers other(plan.states.count());
      const auto partners = shm::make(name, plan.exchange);
      gathered sums(pes);
      shmem_barrier_all();  // from here on partners write to the rings
      const outcome result =
          solve(chosen, plan, {*partners, sums, current.data(), other.data()}, out);
      shmem_barrier_all();  // no PE uses the rings any more
      return result;
    };
    const implementation shmem{"atoll-shmem", shm::variant_names(), by_name};
    return run_variants(chosen, plan, shmem, first) ? 0 : wrong_answer;
  } catch (const atl::error& refusal) {
    if (first) std::cerr << "spin: " << refusal.what() << '\n';
    return refused;
  }
}

}  // namespace
}  // namespace spin

int main(int argc, char** argv) {
  shmem_init();
  spin::options chosen;
  int exit_code = 0;
  const bool first = shmem_my_pe() == 0;
  const spin::program self{
      .name = "spin_shmem", .variants = spin::shm::variant_names(), .speaks = first};
  if (spin::parse(argc, argv, self, chosen, exit_code)) exit_code = spin::run(chosen, first);
  std::cout.flush();
  shmem_finalize();
  return exit_code;
}
