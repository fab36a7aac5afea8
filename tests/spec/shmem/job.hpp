// SPDX-License-Identifier: BSD-3-Clause
//
// The common part of the programs that test OpenSHMEM: main(), which initializes, runs the same
// cases on all PEs and finalizes, and a few queries. A case that fails on one PE ends its program
// with an error; the launcher ends the others.
#pragma once

#include <gtest/gtest.h>
#include <shmem.h>

#include <cstdlib>

inline int me() { return shmem_my_pe(); }
inline int pes() { return shmem_n_pes(); }
inline int right() { return (me() + 1) % pes(); }
inline int left() { return (me() + pes() - 1) % pes(); }

/// The factor by which tests that repeat something run longer than usual: the program's argument.
inline long scale = 1;

/// Runs the cases; a program defines TEST_MAIN once.
#define TEST_MAIN(LEVEL)                                       \
  int main(int argc, char** argv) {                            \
    ::testing::InitGoogleTest(&argc, argv);                    \
    if (argc > 1) scale = std::atol(argv[1]);                  \
    int provided = -1;                                         \
    if (shmem_init_thread(LEVEL, &provided) != 0) return 2;    \
    const int failed = RUN_ALL_TESTS();                        \
    if (failed != 0) return failed; /* without finalization */ \
    shmem_finalize();                                          \
    return 0;                                                  \
  }
