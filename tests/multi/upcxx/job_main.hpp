// SPDX-License-Identifier: BSD-3-Clause
//
// main() of a test program that is a job of several ranks: all ranks run all tests in the same
// order, inside of init() and finalize(), and each test ends with a barrier. Only rank 0 prints
// what passes.
#pragma once

#include <tests/support/skipped_cases.hpp>

#include <gtest/gtest.h>
#include <upcxx/barrier.hpp>
#include <upcxx/init.hpp>

namespace atl::support {

class barrier_after_each final : public ::testing::EmptyTestEventListener {
  void OnTestEnd(const ::testing::TestInfo&) override { upcxx::barrier(); }
};

}  // namespace atl::support

int main(int argc, char** argv) {
  ::testing::InitGoogleTest(&argc, argv);
  upcxx::init();
  auto& listeners = ::testing::UnitTest::GetInstance()->listeners();
  if (upcxx::rank_me() != 0) {
    delete listeners.Release(listeners.default_result_printer());
  } else {
    atl::support::tell_skipped_cases();
  }
  listeners.Append(new atl::support::barrier_after_each());
  const int failed = RUN_ALL_TESTS();
  upcxx::finalize();
  return failed;
}
