// SPDX-License-Identifier: BSD-3-Clause
//
// kv: joins the job, does what the command line asks, and tells by its exit code whether all was
// right. All ranks refuse the same command lines, and rank 0 says why before any of them leaves:
// the launcher ends a job when its first rank has failed.
#include <apps/kv/options.hpp>
#include <apps/kv/run.hpp>
#include <atoll/base/error.hpp>
#include <atoll/base/system/memory_limits.hpp>
#include <upcxx/upcxx.hpp>

#include <iostream>

namespace kv {
namespace {

constexpr int wrong_answer = 1;
constexpr int refused = 2;

int run(const options& chosen, bool first) {
  try {
    check_memory(chosen, upcxx::broadcast(atl::read_available_memory(), 0).wait());
    const bool right = chosen.text_path.empty() ? compare_ways(chosen) : count_words(chosen);
    return right ? 0 : wrong_answer;
  } catch (const atl::error& refusal) {
    if (first) std::cerr << "kv: " << refusal.what() << '\n';
    return refused;
  }
}

}  // namespace
}  // namespace kv

int main(int argc, char** argv) {
  upcxx::init();
  const bool first = upcxx::rank_me() == 0;
  kv::options chosen;
  int exit_code = 0;
  if (kv::parse(argc, argv, first, chosen, exit_code)) exit_code = kv::run(chosen, first);
  std::cout.flush();
  upcxx::finalize();  // with a barrier
  return exit_code;
}
