// SPDX-License-Identifier: BSD-3-Clause
//
// Cases that pass, fail and are skipped. counts_test.py chooses which of them run.
#include <tests/support/test_main.cpp>

namespace {

TEST(cases, pass) { SUCCEED(); }
TEST(cases, fail) { FAIL() << "as it must"; }
TEST(cases, are_skipped) { GTEST_SKIP() << "there is no moon"; }

}  // namespace
