// SPDX-License-Identifier: BSD-3-Clause
//
// Making sections, and walking two of them side by side. The innermost dimension goes to a loop for
// its pair of types (convert.hpp).
#include <front/coarray/section.hpp>

#include <front/coarray/convert.hpp>

#include <algorithm>
#include <cstdint>
#include <cstring>

namespace atl::coarray {

std::size_t section::count() const noexcept {
  std::size_t product = 1;
  for (int d = 0; d < rank; ++d) product *= dim[d].count;
  return product;
}

bool section::has_vectors() const noexcept {
  return std::any_of(dim.begin(), dim.begin() + rank,
                     [](const section_dimension& each) { return each.offsets != nullptr; });
}

bool section::is_contiguous() const noexcept {
  auto next = static_cast<std::ptrdiff_t>(item.bytes);
  for (int d = 0; d < rank; ++d) {
    if (dim[d].offsets != nullptr) return false;
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
    std::ptrdiff_t low = std::min<std::ptrdiff_t>(0, each.offset(each.count - 1));
    std::ptrdiff_t high = std::max<std::ptrdiff_t>(0, each.offset(each.count - 1));
    if (each.offsets != nullptr) {
      const auto [least, most] = std::minmax_element(each.offsets, each.offsets + each.count);
      low = *least;
      high = *most;
    }
    found.low += low;
    found.high += high;
  }
  return found;
}

section section_of(const gfortran::descriptor& described, int kind) noexcept {
  section made;
  made.base = described.data;
  made.item = {described.dtype.type, kind, described.dtype.element_bytes};
  made.rank = static_cast<unsigned char>(described.dtype.rank);
  const std::ptrdiff_t span = described.span != 0
                                  ? described.span
                                  : static_cast<std::ptrdiff_t>(described.dtype.element_bytes);
  for (int d = 0; d < made.rank; ++d) {
    made.dim[d] = {static_cast<std::size_t>(described.dim[d].extent()),
                   described.dim[d].stride * span, nullptr};
  }
  return made;
}

std::ptrdiff_t index_at(const void* indices, int kind, std::size_t position) noexcept {
  switch (kind) {
    case 1:
      return static_cast<const std::int8_t*>(indices)[position];
    case 2:
      return static_cast<const std::int16_t*>(indices)[position];
    case 4:
      return static_cast<const std::int32_t*>(indices)[position];
    default:
      return static_cast<const std::int64_t*>(indices)[position];
  }
}

void apply_subscripts(section& to, const gfortran::descriptor& described,
                      const gfortran::subscripts* chosen, offset_lists& lists) {
  for (int d = 0; d < to.rank; ++d) {
    section_dimension& each = to.dim[d];
    const std::ptrdiff_t lower = described.dim[d].lower;
    if (chosen[d].count == 0) {
      const auto& [first, last, step] = chosen[d].range;
      const std::ptrdiff_t count = step == 0 ? 0 : (last - first + step) / step;
      to.base += (first - lower) * each.stride_bytes;
      each = {static_cast<std::size_t>(std::max<std::ptrdiff_t>(count, 0)),
              step * each.stride_bytes, nullptr};
      continue;
    }
    std::vector<std::ptrdiff_t>& offsets = lists[d];
    offsets.resize(chosen[d].count);
    for (std::size_t i = 0; i < offsets.size(); ++i) {
      const std::ptrdiff_t index = index_at(chosen[d].vector.indices, chosen[d].vector.kind, i);
      offsets[i] = (index - lower) * each.stride_bytes;
    }
    each.count = offsets.size();
    each.offsets = offsets.data();
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
    made.dim[d] = {shape.dim[d].count, stride, nullptr};
    stride *= static_cast<std::ptrdiff_t>(shape.dim[d].count);
  }
  return made;
}

// --- assignment

namespace {

/// The next position in dimensions 1 and higher; false after the last.
bool advance(std::array<std::size_t, gfortran::max_rank>& position, const section& shape) noexcept {
  for (int d = 1; d < shape.rank; ++d) {
    if (++position[d] < shape.dim[d].count) return true;
    position[d] = 0;
  }
  return false;
}

std::byte* row_at(const section& part,
                  const std::array<std::size_t, gfortran::max_rank>& position) noexcept {
  std::byte* row = part.base;
  for (int d = 1; d < part.rank; ++d) row += part.dim[d].offset(position[d]);
  return row;
}

/// Elements of one type that vectors choose on one side or both.
template <class Word>
void copy_chosen(const section_dimension& to, std::byte* to_row, const section_dimension& from,
                 const std::byte* from_row) noexcept {
  for (std::size_t i = 0; i < to.count; ++i)
    std::memcpy(to_row + to.offset(i), from_row + from.offset(i), sizeof(Word));
}

void convert_row(const section& to, std::byte* to_row, const section& from, std::byte* from_row,
                 convert_function convert) noexcept {
  const std::size_t count = to.rank == 0 ? 1 : to.dim[0].count;
  const std::ptrdiff_t from_stride = from.rank == 0 ? 0 : from.dim[0].stride_bytes;
  const bool has_vector = (to.rank != 0 && to.dim[0].offsets != nullptr) ||
                          (from.rank != 0 && from.dim[0].offsets != nullptr);
  if (!has_vector) {
    const std::ptrdiff_t to_stride = to.rank == 0 ? 0 : to.dim[0].stride_bytes;
    convert({to_row, to_stride, to.item}, {from_row, from_stride, from.item}, count);
    return;
  }
  if (from.rank != 0 && to.item.is_same(from.item)) {
    if (to.item.bytes == 8)
      return copy_chosen<std::uint64_t>(to.dim[0], to_row, from.dim[0], from_row);
    if (to.item.bytes == 4)
      return copy_chosen<std::uint32_t>(to.dim[0], to_row, from.dim[0], from_row);
  }
  for (std::size_t i = 0; i < count; ++i) {
    const std::ptrdiff_t from_offset = from.rank == 0 ? 0 : from.dim[0].offset(i);
    convert({to_row + to.dim[0].offset(i), 0, to.item}, {from_row + from_offset, 0, from.item}, 1);
  }
}

}  // namespace

void assign(const section& to, const section& from) noexcept {
  if (to.count() == 0) return;
  const convert_function convert = find_conversion(to.item, from.item);
  std::array<std::size_t, gfortran::max_rank> position{};
  do {
    convert_row(to, row_at(to, position), from, row_at(from, position), convert);
  } while (advance(position, to));
}

bool is_convertible(const element& to, const element& from) noexcept {
  return find_conversion(to, from) != nullptr;
}

}  // namespace atl::coarray
