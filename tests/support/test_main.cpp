// SPDX-License-Identifier: BSD-3-Clause
//
// The main() of most tests: as GoogleTest's, except that skipped cases do not count as passed.
#include <tests/support/skipped_cases.hpp>

int main(int argc, char** argv) {
  ::testing::InitGoogleTest(&argc, argv);
  atl::support::tell_skipped_cases();
  return atl::support::status_of(RUN_ALL_TESTS());
}
