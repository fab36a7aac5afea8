// SPDX-License-Identifier: BSD-3-Clause
//
// The calls of NVIDIA's library gdrapi (GDRCopy) that Atoll makes, declared here so that no build
// needs it. Its public documentation is its header,
// https://github.com/NVIDIA/gdrcopy/blob/master/include/gdrapi.h.
#pragma once

#include <cstddef>
#include <cstdint>

namespace atl::memory::gdr {

using library = void*;  // gdr_t
struct pinned {         // gdr_mh_t
  unsigned long number = 0;
};

inline constexpr std::size_t page_bytes = std::size_t{1} << 16;  // GPU_PAGE_SIZE
inline constexpr const char* library_name = "libgdrapi.so.2";

// CALL(member, returns, symbol, parameters)
#define ATOLL_GDR_CALLS(CALL)                                                        \
  CALL(open, library, gdr_open, ())                                                  \
  CALL(pin, int, gdr_pin_buffer,                                                     \
       (library, unsigned long, std::size_t, std::uint64_t, std::uint32_t, pinned*)) \
  CALL(unpin, int, gdr_unpin_buffer, (library, pinned))                              \
  CALL(map, int, gdr_map, (library, pinned, void**, std::size_t))                    \
  CALL(unmap, int, gdr_unmap, (library, pinned, void*, std::size_t))

}  // namespace atl::memory::gdr
