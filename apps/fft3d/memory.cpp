// SPDX-License-Identifier: BSD-3-Clause
//
// Variants with the same grid share their arrays, and all share two buffers for messages. The last
// rank has the largest part of each dimension, so its layout has the largest buffers.
#include <apps/fft3d/kinds.hpp>
#include <apps/fft3d/layout.hpp>
#include <apps/fft3d/memory.hpp>
#include <atoll/base/rounding.hpp>

#include <algorithm>

namespace fft3d {
namespace {

// Numbers in one buffer for all exchanges of a kind.
std::size_t buffer_size(const layout& places, const kind& variant) {
  std::size_t largest = 0;
  const auto add = [&](const redistribution& movement, unsigned members) {
    if (variant.by != transport::puts) {
      const std::size_t parts = variant.by == transport::blocking ? 1 : parts_of_slabs;
      largest = std::max(largest, packing_of(movement, parts).buffer_size(members));
    } else if (variant.timing == overlap::late) {
      largest = std::max(largest, movement.planes_max * movement.plane_size);
    }
  };
  add(places.middle_to_spectrum(), places.ranks().rows);
  add(places.spectrum_to_middle(), places.ranks().rows);
  if (places.has_slabs()) return largest;
  add(places.field_to_middle(), places.ranks().columns);
  add(places.middle_to_field(), places.ranks().columns);
  return largest;
}

}  // namespace

memory_plan memory_of(const extent& size, unsigned ranks, const std::vector<std::string>& names) {
  constexpr std::uint64_t bytes = sizeof(complex);
  memory_plan needed;
  if (has_reference(size)) needed.own += size.points() * bytes;
  bool has_arrays[2] = {false, false};  // of slabs, of pencils
  std::size_t buffer = 0;
  bool needs_both = false;
  for (const std::string& name : names) {
    if (name == elegant_name) {
      const std::size_t rows =
          atl::pieces_of(size.n0, ranks) * size.n1 + atl::pieces_of(size.n1, ranks) * size.n0;
      needed.shared += rows * size.n2 * bytes;
    }
    const kind* const variant = find_kind(name);
    if (variant == nullptr) continue;
    const layout places(size, grid_of(ranks, variant->has_pencils), ranks - 1);
    if (!has_arrays[variant->has_pencils ? 1 : 0])
      needed.shared += places.array_count() * places.box_size_max() * bytes;
    has_arrays[variant->has_pencils ? 1 : 0] = true;
    buffer = std::max(buffer, buffer_size(places, *variant));
    needs_both = needs_both || variant->by != transport::puts;
  }
  needed.own += (needs_both ? 2 : 1) * buffer * bytes;
  return needed;
}

}  // namespace fft3d
