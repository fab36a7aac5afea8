// SPDX-License-Identifier: BSD-3-Clause
//
// Functions on pointers-to-shared (UPC language specification 1.3, 7.2.3). They only take the
// struct apart, so they work before the start of a program too, as initialisers need.
#include <upc.h>

#include <algorithm>

std::size_t upc_threadof(atoll_upc_pointer ptr) { return ptr.thread; }
std::size_t upc_phaseof(atoll_upc_pointer ptr) { return ptr.phase; }
std::size_t upc_addrfield(atoll_upc_pointer ptr) { return ptr.offset; }
atoll_upc_pointer upc_resetphase(atoll_upc_pointer ptr) { return atoll_upc_reset_phase(ptr); }

// Each thread has one block in each whole row of blocks. In the last row the first threads have
// whole blocks, one has what is left, and the others have nothing.
std::size_t upc_affinitysize(std::size_t totalsize, std::size_t nbytes, std::size_t threadid) {
  if (nbytes == 0) return threadid == 0 ? totalsize : 0;
  const std::size_t row_bytes = nbytes * static_cast<std::size_t>(atoll_upc_threads);
  const std::size_t last_row = totalsize % row_bytes;
  const std::size_t begin = threadid * nbytes;
  const std::size_t in_last_row = last_row > begin ? std::min(last_row - begin, nbytes) : 0;
  return totalsize / row_bytes * nbytes + in_last_row;
}
