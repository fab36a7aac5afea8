// SPDX-License-Identifier: BSD-3-Clause
//
// Sizes for people, computed in integers: a double would lose the low bits of the largest sizes and
// round 1023.96 KiB to "1024 KiB".
#include <atoll/base/text.hpp>

namespace atl {

std::string bytes_text(std::uint64_t size_bytes) {
  constexpr std::array<std::string_view, 7> units = {"B", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB"};
  if (size_bytes < 1024) return text(size_bytes, " B");
  std::size_t unit = 1;
  while (unit + 1 < units.size() && (size_bytes >> (10 * unit)) >= 1024) ++unit;
  auto tenths_of = [&](std::size_t of_unit) {
    const std::uint64_t thousandths = size_bytes >> (10 * (of_unit - 1));  // 1024 of them are one
    return thousandths / 1024 * 10 + (thousandths % 1024 * 10 + 512) / 1024;
  };
  std::uint64_t tenths = tenths_of(unit);
  if (tenths >= 10240 && unit + 1 < units.size()) tenths = tenths_of(++unit);
  if (tenths % 10 == 0) return text(tenths / 10, " ", units[unit]);
  return text(tenths / 10, ".", tenths % 10, " ", units[unit]);
}

}  // namespace atl
