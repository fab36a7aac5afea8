// SPDX-License-Identifier: BSD-3-Clause
//
// kv: joins the job, does what the command line asks, and tells by its exit code whether all was
// right. What is refused is refused on all ranks alike, and rank 0 says why.
#include <apps/kv/options.hpp>
#include <apps/kv/run.hpp>
#include <atoll/base/error.hpp>
#include <atoll/base/memory_limits.hpp>
#include <atoll/base/settings.hpp>
#include <upcxx/upcxx.hpp>

#include <iostream>

namespace kv {
namespace {

constexpr int wrong_answer = 1;
constexpr int refused = 2;

int run(const options& chosen, bool first) {
  upcxx::init();
  int exit_code = 0;
  try {
    check_memory(chosen, upcxx::broadcast(atl::read_available_memory(), 0).wait());
    const bool right = chosen.text_path.empty() ? compare_ways(chosen) : count_words(chosen);
    exit_code = right ? 0 : wrong_answer;
  } catch (const atl::error& refusal) {
    if (first) std::cerr << refusal.what() << '\n';
    exit_code = refused;
  }
  upcxx::finalize();
  return exit_code;
}

}  // namespace
}  // namespace kv

int main(int argc, char** argv) {
  try {
    const auto settings = atl::settings::from_environment();
    const auto rank = settings.text(atl::setting::rank);
    const bool first = rank.empty() || rank == "0";
    kv::options chosen;
    int exit_code = 0;
    if (!kv::parse(argc, argv, first, chosen, exit_code)) return exit_code;
    return kv::run(chosen, first);
  } catch (const atl::error& refusal) {
    std::cerr << "kv: " << refusal.what() << '\n';
    return kv::refused;
  }
}
