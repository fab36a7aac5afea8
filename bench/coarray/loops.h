/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The procedures of loops.f90. In a job of one image it is its own target. */
#pragma once

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Fills the arrays; collective. */
void coarray_loop_prepare(void);
int coarray_loop_image(void);
int coarray_loop_images(void);
/* A number of 64 bits that is a coarray. */
int64_t* coarray_loop_flag(void);

void coarray_loop_sync_all(void);
/* Called by all images; those after the second do nothing. */
void coarray_loop_event_round_trip(void);

/* An assignment from or to a section of image `target`, and the loop for arrays of this image. */
void coarray_loop_remote(int which, int target);
void coarray_loop_local(int which);

void coarray_loop_gets(int64_t count, int target);
void coarray_loop_puts(int64_t count, int target);

#ifdef __cplusplus
}
#endif
