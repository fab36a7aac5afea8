// SPDX-License-Identifier: BSD-3-Clause
//
// Runs a program in UPC++. Rank 0 prints everything before any rank leaves, since the end of the
// job is a barrier.
#include <apps/trial/options.hpp>
#include <apps/trial/run.hpp>
#include <apps/trial/upcxx_job.hpp>
#include <atoll/base/error.hpp>
#include <atoll/base/system/memory_limits.hpp>
#include <atoll/base/text.hpp>
#include <upcxx/upcxx.hpp>

#include <iostream>

namespace trial {
namespace {

class world_group final : public group {
 public:
  unsigned rank() const override { return static_cast<unsigned>(upcxx::rank_me()); }
  unsigned size() const override { return static_cast<unsigned>(upcxx::rank_n()); }
  void barrier() override { upcxx::barrier(); }
  void add(std::span<double> numbers) override {
    upcxx::reduce_all(numbers.data(), numbers.data(), numbers.size(), upcxx::op_fast_add).wait();
  }
  double greatest(double number) override {
    return upcxx::reduce_all(number, upcxx::op_fast_max).wait();
  }
  void broadcast(std::span<double> numbers) override {
    upcxx::broadcast(numbers.data(), numbers.size(), 0).wait();
  }
};

// Refuses when the host with the least memory per rank has too little.
void check_memory(const work& given) {
  const auto host_ranks = static_cast<std::uint64_t>(upcxx::local_team().rank_n());
  const std::uint64_t each = atl::read_available_memory() / host_ranks;
  const std::uint64_t available = upcxx::reduce_all(each, upcxx::op_fast_min).wait() *
                                  static_cast<std::uint64_t>(upcxx::rank_n());
  if (given.bytes_in_all <= available) return;
  throw atl::error("memory",
                   atl::text(atl::bytes_text(given.bytes_in_all),
                             " are needed and the machine has now ", atl::bytes_text(available)),
                   "use a smaller problem or a machine with more memory");
}

}  // namespace

int run_in_upcxx(int argc, char** argv, program& given, const upcxx_variants& make,
                 const upcxx_afterwards& afterwards) {
  upcxx::init();
  options chosen;
  const auto end = parse(argc, argv, given, upcxx::rank_me() == 0, chosen);
  world_group ranks;
  const platform used{
      .implementation = "atoll",
      .check_memory = check_memory,
      .make = [&](const std::vector<std::string>& names) { return make(ranks, names); },
      .afterwards = afterwards};
  const int exit_code = end ? *end : run_program(ranks, given, chosen, used);
  std::cout.flush();
  upcxx::finalize();
  return exit_code;
}

}  // namespace trial
