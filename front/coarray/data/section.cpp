// SPDX-License-Identifier: BSD-3-Clause
//
// Making sections, and walking two of them side by side. Elements of one type that no vector
// subscript chooses are copied as a block of the core. Else the innermost dimension goes to a loop
// for its pair of types (convert.hpp), or for elements that indices choose (chosen_rows.hpp).
#include <front/coarray/data/section.hpp>

#include <atoll/core/strided/strided_copy.hpp>
#include <front/coarray/data/chosen_rows.hpp>
#include <front/coarray/data/convert.hpp>

#include <algorithm>

namespace atl::coarray {

std::size_t section::count() const noexcept {
  std::size_t product = 1;
  for (int d = 0; d < rank; ++d) product *= dim[d].count;
  return product;
}

bool section::has_vectors() const noexcept {
  return std::any_of(dim.begin(), dim.begin() + rank,
                     [](const section_dimension& each) { return each.chosen.is_given(); });
}

bool section::is_contiguous() const noexcept {
  auto next = static_cast<std::ptrdiff_t>(item.bytes);
  for (int d = 0; d < rank; ++d) {
    if (dim[d].chosen.is_given()) return false;
    if (dim[d].count != 1 && dim[d].stride_bytes != next) return false;
    next *= static_cast<std::ptrdiff_t>(dim[d].count);
  }
  return true;
}

section::reach section::extent() const noexcept {
  reach found{0, static_cast<std::ptrdiff_t>(item.bytes)};
  for (int d = 0; d < rank; ++d) {
    const section_dimension& each = dim[d];
    if (each.count == 0) return {0, 0};
    std::ptrdiff_t first = 0;
    std::ptrdiff_t last = static_cast<std::ptrdiff_t>(each.count - 1);
    if (each.chosen.is_given()) {
      first = each.chosen.least - each.chosen.lower;
      last = each.chosen.most - each.chosen.lower;
    }
    const auto [low, high] = std::minmax({first * each.stride_bytes, last * each.stride_bytes});
    found.low += low;
    found.high += high;
  }
  return found;
}

section section_of(const gfortran::array_descriptor& described, int kind) noexcept {
  section made;
  made.base = described.data;
  made.item = {described.dtype.type, kind, described.dtype.element_bytes};
  made.rank = static_cast<unsigned char>(described.dtype.rank);
  const std::ptrdiff_t span = described.span != 0
                                  ? described.span
                                  : static_cast<std::ptrdiff_t>(described.dtype.element_bytes);
  for (int d = 0; d < made.rank; ++d) {
    made.dim[d] = {
        static_cast<std::size_t>(described.dim[d].extent()), described.dim[d].stride * span, {}};
  }
  return made;
}

index_bounds bounds_in(const section::reach& room, std::ptrdiff_t lower, std::ptrdiff_t stride,
                       std::size_t element_bytes) noexcept {
  if (stride <= 0) return {lower, lower - 1};
  return {lower + room.low / stride,
          lower + (room.high - static_cast<std::ptrdiff_t>(element_bytes)) / stride};
}

void apply_subscripts(section& to, const gfortran::array_descriptor& described,
                      const gfortran::subscripts* chosen, const section::reach& room) noexcept {
  for (int d = 0; d < to.rank; ++d) {
    section_dimension& each = to.dim[d];
    const std::ptrdiff_t lower = described.dim[d].lower;
    if (chosen[d].count == 0) {
      const auto& [first, last, step] = chosen[d].range;
      const std::ptrdiff_t count = step == 0 ? 0 : (last - first + step) / step;
      to.base += (first - lower) * each.stride_bytes;
      each = {static_cast<std::size_t>(std::max<std::ptrdiff_t>(count, 0)),
              step * each.stride_bytes,
              {}};
      continue;
    }
    each.count = chosen[d].count;
    each.chosen = list_indices(chosen[d].vector.indices, chosen[d].vector.kind, each.count, lower,
                               bounds_in(room, lower, each.stride_bytes, to.item.bytes));
  }
}

void narrow_to_indices(section& part) noexcept {
  for (int d = 0; d < part.rank; ++d) {
    if (part.dim[d].chosen.is_given()) part.dim[d].chosen.find_range(part.dim[d].count);
  }
}

void drop_single_dimensions(section& part, const section& other) noexcept {
  if (other.rank == 0) return;
  int kept = 0;
  int excess = part.rank - other.rank;
  for (int d = 0; d < part.rank; ++d) {
    const bool is_paired = kept < other.rank && part.dim[d].count == other.dim[kept].count;
    if (!is_paired && excess > 0 && part.dim[d].count == 1) {
      --excess;
      part.base += part.dim[d].offset(0);
      continue;
    }
    part.dim[kept++] = part.dim[d];
  }
  part.rank = kept;
}

section packed_like(const section& shape, std::byte* base, const element& item) noexcept {
  section made;
  made.base = base;
  made.item = item;
  made.rank = shape.rank;
  auto stride = static_cast<std::ptrdiff_t>(item.bytes);
  for (int d = 0; d < shape.rank; ++d) {
    made.dim[d] = {shape.dim[d].count, stride, {}};
    stride *= static_cast<std::ptrdiff_t>(shape.dim[d].count);
  }
  return made;
}

// --- assignment

namespace {

using dimension_positions = std::array<std::size_t, gfortran::max_rank>;

/// The next position in the dimensions from `lowest` on; false after the last.
bool advance(dimension_positions& position, const section& shape, int lowest) noexcept {
  for (int d = lowest; d < shape.rank; ++d) {
    if (++position[d] < shape.dim[d].count) return true;
    position[d] = 0;
  }
  return false;
}

/// The first element at a position in the dimensions from `lowest` on.
std::byte* place_at(const section& part, const dimension_positions& position, int lowest) noexcept {
  std::byte* place = part.base;
  for (int d = lowest; d < part.rank; ++d) place += part.dim[d].offset(position[d]);
  return place;
}

/// The innermost dimension of a section, at the place of a row; a single element is a row with a
/// stride of 0.
row_of_elements innermost(const section& part, std::byte* row) noexcept {
  if (part.rank == 0) return {row, 0, part.item, nullptr};
  const section_dimension& first = part.dim[0];
  return {row, first.stride_bytes, part.item, first.chosen.is_given() ? &first.chosen : nullptr};
}

/// Copies elements of one type that no vector subscript chooses; a single one goes to all places.
void copy_as_block(const section& to, const section& from) noexcept {
  if (to.rank == 1) {
    const auto row = [](const section& part, std::size_t count, std::ptrdiff_t stride) {
      return run_row{reinterpret_cast<std::uintptr_t>(part.base), part.item.bytes, count, stride};
    };
    const std::size_t count = to.dim[0].count;
    copy_row(row(to, count, to.dim[0].stride_bytes),
             row(from, count, from.rank != 0 ? from.dim[0].stride_bytes : 0));
    return;
  }
  std::array<std::size_t, gfortran::max_rank> counts;
  std::array<std::ptrdiff_t, gfortran::max_rank> to_strides;
  std::array<std::ptrdiff_t, gfortran::max_rank> from_strides;
  for (int d = 0; d < to.rank; ++d) {
    counts[d] = to.dim[d].count;
    to_strides[d] = to.dim[d].stride_bytes;
    from_strides[d] = from.rank != 0 ? from.dim[d].stride_bytes : 0;
  }
  const auto rank = static_cast<std::size_t>(to.rank);
  const strided_transfer transfer{.to = to.base,
                                  .to_strides = {to_strides.data(), rank},
                                  .from = from.base,
                                  .from_strides = {from_strides.data(), rank},
                                  .element_bytes = to.item.bytes,
                                  .counts = {counts.data(), rank}};
  copy_block(strided_plan(transfer), 0, 0);
}

/// Merges two dimensions whose elements have one distance, on both sides, into one, so that loops
/// are long.
void merge_dimensions(section& to, section& from) noexcept {
  const auto continues = [](const section& part, int below, int above) {
    const section_dimension& inner = part.dim[below];
    return part.dim[above].stride_bytes ==
           inner.stride_bytes * static_cast<std::ptrdiff_t>(inner.count);
  };
  int kept = 0;
  for (int d = 1; d < to.rank; ++d) {
    if (continues(to, kept, d) && continues(from, kept, d)) {
      to.dim[kept].count *= to.dim[d].count;
      from.dim[kept].count *= from.dim[d].count;
    } else {
      ++kept;
      to.dim[kept] = to.dim[d];
      from.dim[kept] = from.dim[d];
    }
  }
  to.rank = from.rank = kept + 1;
}

void assign_rows(const section& to, const section& from) noexcept {
  const convert_function convert = find_conversion(to.item, from.item);
  const std::size_t count = to.rank == 0 ? 1 : to.dim[0].count;
  dimension_positions position{};
  do {
    assign_row(innermost(to, place_at(to, position, 1)),
               innermost(from, place_at(from, position, 1)), count, convert);
  } while (advance(position, to, 1));
}

/// Converts sections of one rank of at least 2 without vector subscripts, by two dimensions at a
/// time.
void convert_planes(const section& to, const section& from) noexcept {
  const convert_function convert = find_conversion(to.item, from.item);
  const run_shape shape{to.dim[0].count, to.dim[1].count};
  dimension_positions position{};
  const auto plane = [&position](const section& part) {
    return element_run{place_at(part, position, 2), part.dim[0].stride_bytes, part.item,
                       part.dim[1].stride_bytes};
  };
  do {
    convert(plane(to), plane(from), shape);
  } while (advance(position, to, 2));
}

}  // namespace

void assign(const section& to, const section& from) noexcept {
  if (to.count() == 0) return;
  if (to.has_vectors() || from.has_vectors()) return assign_rows(to, from);
  if (to.item.is_same(from.item)) return copy_as_block(to, from);
  if (to.rank < 2 || from.rank != to.rank) return assign_rows(to, from);
  section target = to;
  section source = from;
  merge_dimensions(target, source);
  if (target.rank < 2) return assign_rows(target, source);
  convert_planes(target, source);
}

bool is_convertible(const element& to, const element& from) noexcept {
  return find_conversion(to, from) != nullptr;
}

}  // namespace atl::coarray
