// SPDX-License-Identifier: BSD-3-Clause
//
// Reports GoogleTest cases that could not be done here: each on a line that begins with `skipped:
// `, which `./dev check` looks for. A program in which all cases were skipped ends with an exit
// code that ctest counts as skipped; GoogleTest alone would end with 0, as if all had passed.
#pragma once

#include <gtest/gtest.h>

#include <cstdio>

namespace atl::support {

/// The exit code of a program that has tested nothing.
inline constexpr int all_skipped = 77;

class skipped_cases final : public ::testing::EmptyTestEventListener {
  void OnTestEnd(const ::testing::TestInfo& test) override {
    const ::testing::TestResult& result = *test.result();
    if (!result.Skipped()) return;
    const char* reason = "";
    for (int i = 0; i < result.total_part_count(); ++i) {
      if (result.GetTestPartResult(i).skipped()) reason = result.GetTestPartResult(i).message();
    }
    std::printf("skipped: %s.%s: %s\n", test.test_suite_name(), test.name(), reason);
    std::fflush(stdout);
  }
};

/// Lists skipped cases from now on.
inline void tell_skipped_cases() {
  ::testing::UnitTest::GetInstance()->listeners().Append(new skipped_cases());
}

/// The exit code of the program, after RUN_ALL_TESTS() has returned `failed`.
inline int status_of(int failed) {
  const ::testing::UnitTest& tests = *::testing::UnitTest::GetInstance();
  if (failed != 0) return failed;
  return tests.skipped_test_count() != 0 && tests.successful_test_count() == 0 ? all_skipped : 0;
}

}  // namespace atl::support
