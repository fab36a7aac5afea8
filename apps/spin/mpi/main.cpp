// SPDX-License-Identifier: BSD-3-Clause
//
// spin for MPI: the same kernel, iteration and options, with exchanges and sums by MPI. From Atoll
// it uses only parts that know no ranks: clock, errors, text.
#include <apps/spin/aligned.hpp>
#include <apps/spin/comparison.hpp>
#include <apps/spin/mpi/one_sided.hpp>
#include <apps/spin/mpi/opt.hpp>
#include <apps/spin/mpi/two_sided.hpp>
#include <apps/spin/solve.hpp>
#include <atoll/base/clock.hpp>
#include <atoll/base/error.hpp>
#include <bench/mpi/world.hpp>

#include <iostream>
#include <memory>

namespace spin {
namespace {

constexpr int wrong_answer = 1;
constexpr int refused = 2;

/// Gathers the numbers and adds them up in the order of ranks, so that the bits are the same.
class gathered final : public reducer {
 public:
  explicit gathered(unsigned ranks) : numbers_(ranks) {}

  double sum(double value) override {
    const std::int64_t start_ns = atl::now_ns();
    MPI_Allgather(&value, 1, MPI_DOUBLE, numbers_.data(), 1, MPI_DOUBLE, MPI_COMM_WORLD);
    waited_ns_ += atl::now_ns() - start_ns;
    double total = 0;
    for (const double each : numbers_) total += each;
    return total;
  }

 private:
  std::vector<double> numbers_;
};

const std::vector<std::string>& variant_names() {
  static const std::vector<std::string> names = {"opt", "ref", "work", "fence"};
  return names;
}

std::unique_ptr<exchange> make(const std::string& name, const exchange_shape& shape, int rank) {
  if (name == "ref") return std::make_unique<two_sided>(shape, 1, rank);
  if (name == "work") return std::make_unique<two_sided>(shape, 2, rank);
  if (name == "fence") return std::make_unique<one_sided>(shape, rank);
  return std::make_unique<opt>(shape, rank);
}

int run(const options& chosen, const bench::mpi_world& world) {
  try {
    const division plan = divide(chosen, world.rank(), world.ranks());
    const auto by_name = [&](const std::string& name, report& out) {
      const aligned_numbers current(plan.states.count());
      const aligned_numbers other(plan.states.count());
      const auto partners = make(name, plan.exchange, static_cast<int>(world.rank()));
      gathered sums(world.ranks());
      world.barrier();
      return solve(chosen, plan, {*partners, sums, current.data(), other.data()}, out);
    };
    const implementation mpi{world.library(), variant_names(), by_name};
    return run_variants(chosen, plan, mpi, world.acts()) ? 0 : wrong_answer;
  } catch (const atl::error& refusal) {
    if (world.acts()) std::cerr << "spin: " << refusal.what() << '\n';
    return refused;
  }
}

}  // namespace
}  // namespace spin

int main(int argc, char** argv) {
  const bench::mpi_world world(argc, argv);
  spin::options chosen;
  int exit_code = 0;
  const spin::program self{
      .name = "spin_" + world.library(), .variants = spin::variant_names(), .speaks = world.acts()};
  if (!spin::parse(argc, argv, self, chosen, exit_code)) return exit_code;
  return spin::run(chosen, world);
}
