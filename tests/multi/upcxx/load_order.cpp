// SPDX-License-Identifier: BSD-3-Clause
//
// Functions of libraries that ranks load at different times: even ranks load the first library
// before init() and the second after it, odd ranks the other way round. Each calls the functions of
// both at its neighbour. The argument is a folder in which the odd ranks find another build of the
// second library, or none; then the job must end with a message. Ranks may also run two programs
// that differ in the build id (`other_program`).
#include <dlfcn.h>
#include <upcxx/upcxx.hpp>

#include <cstdio>
#include <cstdlib>
#include <string>

namespace {

using function = int (*)(int);

function load(const std::string& path) {
  void* const library = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) return nullptr;
  return reinterpret_cast<function>(dlsym(library, "atoll_test_answer"));
}

int failures = 0;

void expect(int value, int wanted, const char* name) {
  if (value == wanted) return;
  std::printf("rank %d: %s is %d and not %d\n", upcxx::rank_me(), name, value, wanted);
  ++failures;
}

}  // namespace

int main(int argc, char** argv) {
  const char* const rank = std::getenv("ATOLL_RANK");
  const bool odd = rank != nullptr && std::atoi(rank) % 2 != 0;
  const std::string folder = ATOLL_TEST_LIBRARIES;
  const std::string first_library = folder + "/libupcxx_loaded_one.so";
  const std::string second_library =
      (odd && argc > 1 ? argv[1] : folder) + "/libupcxx_loaded_two.so";
  const function early = load(odd ? second_library : first_library);
  upcxx::init();
  const function late = load(odd ? first_library : second_library);
  upcxx::barrier();
  const function answers_1 = odd ? late : early;
  const function answers_2 = odd ? early : late;
  const int next = (upcxx::rank_me() + 1) % upcxx::rank_n();
  for (int i = 0; i < 100; ++i) {
    if (answers_1 != nullptr) expect(upcxx::rpc(next, answers_1, i).wait(), i + 1, "answer of one");
    if (answers_2 != nullptr) expect(upcxx::rpc(next, answers_2, i).wait(), i + 2, "answer of two");
  }
  upcxx::barrier();
  upcxx::finalize();
  std::puts(failures == 0 ? "all answers are right" : "not refused");
  return failures == 0 ? 0 : 1;
}
