// SPDX-License-Identifier: BSD-3-Clause
//
// Copies of many bytes (UPC language specification 1.3, 7.2.5). Each side lies within one thread's
// memory.
#include <upc.h>

#include <atoll_upc/access.h>
#include <front/upc/process_state.hpp>

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstring>

using namespace atl;
using namespace atl::upc;

namespace {

/// Where stores of this thread reach these bytes; null where they do not, also for wrong pointers.
char* find_mapped(atoll_upc_pointer p, std::size_t bytes) noexcept {
  if (p.offset == 0 || p.thread >= static_cast<std::uint32_t>(atoll_upc_threads)) return nullptr;
  const atoll_route& row = atoll_upc_routes[p.thread];
  const bool is_inside = bytes <= row.word_places && p.offset <= row.word_places - bytes;
  return is_inside ? row.local + p.offset : nullptr;
}

}  // namespace

void upc_memcpy(atoll_upc_pointer dst, atoll_upc_pointer src, std::size_t n) {
  atoll_upc_copy(dst, src, n);
}

void upc_memget(void* dst, atoll_upc_pointer src, std::size_t n) { atoll_upc_get(dst, src, n); }

void upc_memput(atoll_upc_pointer dst, const void* src, std::size_t n) {
  atoll_upc_put(dst, src, n);
}

void upc_memset(atoll_upc_pointer dst, int c, std::size_t n) {
  if (n == 0) return;
  if (char* const mapped = find_mapped(dst, n); mapped != nullptr) {
    std::memset(mapped, c, n);
    return;
  }
  std::array<char, 8192> filled;
  filled.fill(static_cast<char>(c));
  for (std::size_t done = 0; done < n; done += filled.size()) {
    atoll_upc_put({dst.offset + done, dst.thread, 0}, filled.data(),
                  std::min(n - done, filled.size()));
  }
}
