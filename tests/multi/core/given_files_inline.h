/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Transfers by the inline code of C, in a part of a segment of another rank.
 */
#ifndef ATOLL_TESTS_GIVEN_FILES_INLINE_H
#define ATOLL_TESTS_GIVEN_FILES_INLINE_H

#include <atoll/abi.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Puts two numbers at `remote`, gets them back, and adds to the first one. 1: all went as it
   should; then the numbers are `first` + 5 and `second`. */
int transfer_inline(const atoll_segment* shared, uint32_t rank, uint64_t* remote, uint64_t first,
                    uint64_t second);

/* Whether inline code finds these bytes in this process. */
int is_found_inline(const atoll_segment* shared, uint32_t rank, const void* remote, size_t bytes);

#ifdef __cplusplus
}
#endif
#endif
