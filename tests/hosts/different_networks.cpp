// SPDX-License-Identifier: BSD-3-Clause
//
// Starts a program with different networks on each rank: rank n uses the nth list, ranks beyond the
// last list use the last. The program is in the same folder.
//
//     different_networks LIST... -- PROGRAM ARGUMENTS...
#include <atoll/base/settings.hpp>

#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>

int main(int argc, char** argv) {
  const std::string rank(atl::foreign_variable("ATOLL_RANK"));
  char** const end = argv + argc;
  char** const mark =
      std::find_if(argv, end, [](const char* word) { return !std::strcmp(word, "--"); });
  const auto lists = mark - argv - 1;
  if (rank.empty() || lists < 1 || mark == end || mark + 1 == end) {
    std::fprintf(stderr, "different_networks LIST... -- PROGRAM ARGUMENTS..., under atoll run\n");
    return 2;
  }
  const auto number = std::min<long>(std::strtol(rank.c_str(), nullptr, 10), lists - 1);
  ::setenv("ATOLL_OFI_PROVIDER", argv[1 + number], 1);
  std::string program = argv[0];
  program.replace(program.rfind('/') + 1, std::string::npos, mark[1]);
  ::execv(program.c_str(), mark + 1);
  std::perror(program.c_str());
  return 2;
}
