/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Compiled as C, against nothing but atoll/abi.h.
 */
#include "given_files_inline.h"

int transfer_inline(const atoll_segment* shared, uint32_t rank, uint64_t* remote, uint64_t first,
                    uint64_t second) {
  const uint64_t numbers[2] = {first, second};
  uint64_t got[2] = {0, 0};
  atoll_event done;
  atoll_put(shared, rank, remote, &numbers[0], sizeof numbers[0]);
  done = atoll_put_nb(shared, rank, remote + 1, &numbers[1], sizeof numbers[1]);
  atoll_wait(&done);
  atoll_get(shared, got, rank, remote, sizeof got);
  if (got[0] != first || got[1] != second) return 0;
  return atoll_atomic64(shared, rank, remote, ATOLL_ATOMIC_FETCH_ADD, 5, 0) == first;
}

int is_found_inline(const atoll_segment* shared, uint32_t rank, const void* remote, size_t bytes) {
  return atoll_segment_find(shared, rank, remote, bytes) != NULL;
}
