// SPDX-License-Identifier: BSD-3-Clause
//
// A program has parts of this library compiled in: sizes of objects, inline functions that reach
// into them. One that was compiled with other headers than the libatoll.so that it runs with would
// fail somewhere, or hang. So the headers make a number of what they lay out, the program hands its
// own over when it starts, and the library compares it with its own before it touches anything.
//
// The number covers sizes and alignments by itself. What keeps those and still must change on both
// sides at once (the order of members, what an inline function does to a flag) is told by counting
// the interface up. Each side computes its number when it is compiled, as the value of a constexpr
// variable: a function that is called when the program runs could be the program's own in both
// places, since a symbol of the program goes before the library's.
#pragma once

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <string_view>

namespace atl {

/// The stamp of these classes and this count of the interface.
template <class... Classes>
constexpr std::uint64_t layout_stamp(std::uint64_t interface) {
  std::uint64_t stamp = interface + 0x9e37'79b9'7f4a'7c15u;
  for (const std::size_t each : {sizeof(Classes)..., alignof(Classes)...}) {
    stamp = (stamp ^ each) * 0x100'0000'01b3u;  // the step of FNV-1a
    stamp ^= stamp >> 32;
  }
  return stamp;
}

/// Throws `atl::error` when the layout that the program was compiled for is not the library's.
void need_layout(std::string_view who, std::uint64_t program, std::uint64_t library);

}  // namespace atl
