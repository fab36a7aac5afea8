// SPDX-License-Identifier: BSD-3-Clause
//
// Runs a program in UPC++. Rank 0 prints everything before any rank leaves, since the end of the
// job is a barrier.
#include <apps/trial/options.hpp>
#include <apps/trial/run.hpp>
#include <apps/trial/upcxx_job.hpp>
#include <atoll/base/error.hpp>
#include <atoll/base/system/memory_limits.hpp>
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

memory_share own_memory() {
  const auto host_ranks = static_cast<std::uint64_t>(upcxx::local_team().rank_n());
  return {.heap = upcxx::shared_segment_size(), .all = atl::read_available_memory() / host_ranks};
}

// Shared memory can be short although the plan was met, when it lies in pieces.
variant_list make_variants(const upcxx_variants& make, group& ranks,
                           const std::vector<std::string>& names) {
  try {
    return make(ranks, names);
  } catch (const upcxx::bad_shared_alloc&) {
    throw atl::error("shared memory", "a rank has no room for its part",
                     "use a smaller problem, or raise ATOLL_SEGMENT_LIMIT");
  }
}

}  // namespace

int run_in_upcxx(int argc, char** argv, program& program, const upcxx_variants& make,
                 const final_work& afterwards) {
  upcxx::init();
  options chosen;
  const auto end = parse(argc, argv, program, upcxx::rank_me() == 0, chosen);
  world_group ranks;
  const platform used{
      .implementation = "atoll",
      .memory = own_memory,
      .make =
          [&](const std::vector<std::string>& names) { return make_variants(make, ranks, names); },
      .afterwards = afterwards};
  const int exit_code = end ? *end : run_program(ranks, program, chosen, used);
  std::cout.flush();
  upcxx::finalize();
  return exit_code;
}

}  // namespace trial
