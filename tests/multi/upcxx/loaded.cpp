// SPDX-License-Identifier: BSD-3-Clause
//
// A library that a rank loads while it runs. Several are made from this file and differ only in the
// answer, so a function that is found in the wrong library exists and gives a wrong answer.
extern "C" int atoll_test_answer(int to) { return to + ATOLL_TEST_ANSWER; }
