// SPDX-License-Identifier: BSD-3-Clause
//
// The stamp by which the library refuses a program that was compiled with other headers. A program
// has parts of the library compiled in: sizes of objects, and inline functions that reach into
// them. With another libatoll.so than that of its headers it would fail somewhere, or hang. So the
// headers compute a number from their layouts, the program passes its own number when it starts,
// and the library compares it with its own before it touches anything.
//
// The number covers sizes and alignments by itself. Some changes keep those and still must happen
// on both sides at once (the order of members, what an inline function does to a flag); for such a
// change, count the interface number up. Each side computes its number when it is compiled, as the
// value of a constexpr variable. A function that is called at run time could be the program's own
// in both places, since a symbol of the program takes precedence over the library's.
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
void need_layout(std::string_view object, std::uint64_t program, std::uint64_t library);

}  // namespace atl
