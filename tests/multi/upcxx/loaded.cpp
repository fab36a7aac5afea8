// SPDX-License-Identifier: BSD-3-Clause
//
// A library that a rank loads while it runs. Several are made of this file, which differ in the
// answer and in nothing else: a function that is taken from the wrong one is there, and answers
// wrongly.
extern "C" int atoll_test_answer(int to) { return to + ATOLL_TEST_ANSWER; }
