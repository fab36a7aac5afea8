// SPDX-License-Identifier: BSD-3-Clause
//
// The loops of bench_gex_latency, in C. They alone include gasnetex.h, because a compiler takes
// many minutes for C++ headers with the inlining limits in GASNet-EX's flags. Every loop does
// `count` operations on the acting rank, rank 0, and the target's part on the other.
#pragma once

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

enum { gex_medium_bytes = 65408 };  // most that GASNet-EX's medium holds on shared memory

/// Joins the job and attaches segments; collective.
void gex_join(int* argc, char*** argv);
unsigned gex_rank(void);
unsigned gex_ranks(void);

/// This process's address of the segment of rank 0 or of the target; its memory is zero at first.
void* gex_first_segment(void);
void* gex_target_segment(void);

/// Ends the job.
void gex_leave(int status);

void gex_barriers(uint64_t count);

void gex_put_blocking(uint64_t count);
void gex_put_nb(uint64_t count);
void gex_put_nbi(uint64_t count);
void gex_put_nbi_flood(uint64_t count);
void gex_get_blocking(uint64_t count);
void gex_get_nb(uint64_t count);
void gex_get_nbi(uint64_t count);
void gex_get_nbi_flood(uint64_t count);

/// Fetch-and-add of 64 bits: each is waited for, or all together.
void gex_fetch_adds(uint64_t count);
void gex_fetch_add_flood(uint64_t count);

/// Blocking, of a size that the compiler does not know, repeatedly to the same place: the
/// loops of GASNet-EX's own latency test.
void gex_put_sized(uint64_t count, size_t bytes);
void gex_get_sized(uint64_t count, size_t bytes);

void gex_short_round_trips(uint64_t count);
void gex_medium_round_trips(uint64_t count);
void gex_short_flood(uint64_t count);
void gex_medium_flood(uint64_t count, size_t bytes);

/// Whether all messages to this rank were handled and all its requests answered.
int gex_all_arrived(void);

#ifdef __cplusplus
}
#endif
