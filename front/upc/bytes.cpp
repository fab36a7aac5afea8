// SPDX-License-Identifier: BSD-3-Clause
//
// Copies of many bytes (UPC language specification 1.3, 7.2.5). Each side lies within one thread's
// memory.
#include <upc.h>

#include <atoll_upc/access.h>
#include <front/upc/process_state.hpp>

#include <algorithm>
#include <array>
#include <cstring>

using namespace atl;
using namespace atl::upc;

void upc_memcpy(atoll_upc_pointer dst, atoll_upc_pointer src, std::size_t n) {
  atoll_upc_copy(dst, src, n);
}

void upc_memget(void* dst, atoll_upc_pointer src, std::size_t n) { atoll_upc_get(dst, src, n); }

void upc_memput(atoll_upc_pointer dst, const void* src, std::size_t n) {
  atoll_upc_put(dst, src, n);
}

void upc_memset(atoll_upc_pointer dst, int c, std::size_t n) {
  if (n == 0) return;
  const atoll_route& row = atoll_upc_routes[dst.thread];
  if (dst.offset != 0 && n <= row.word_places && dst.offset <= row.word_places - n) {
    std::memset(row.local + dst.offset, c, n);
    return;
  }
  std::array<char, 8192> filled;
  filled.fill(static_cast<char>(c));
  for (std::size_t done = 0; done < n; done += filled.size()) {
    atoll_upc_put({dst.offset + done, dst.thread, 0}, filled.data(),
                  std::min(n - done, filled.size()));
  }
}
