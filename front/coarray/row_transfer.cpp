// SPDX-License-Identifier: BSD-3-Clause
//
// Rows that are copied without a section. All that could make a difference is left to the general
// way: an object that is not mapped, an image that has failed, sides that share memory, and the
// objects of this image, of which gfortran may describe a copy that is not in the coarray.
#include <front/coarray/row_transfer.hpp>

#include <atoll/core/rma/rma.hpp>
#include <atoll/core/strided/strided_copy.hpp>
#include <front/coarray/chosen_rows.hpp>
#include <front/coarray/failed_images.hpp>

#include <algorithm>

namespace atl::coarray {
namespace {

struct byte_range {
  const std::byte* low;
  std::size_t bytes;

  bool overlaps(const byte_range& other) const noexcept {
    return low < other.low + other.bytes && other.low < low + bytes;
  }
  bool contains(const byte_range& part) const noexcept {
    return part.low >= low && part.low + part.bytes <= low + bytes;
  }
};

struct described_row {
  row_of_elements elements;
  std::size_t count;

  described_row(const gfortran::descriptor& described, int kind, std::byte* first) noexcept
      : elements{first,
                 described.dim[0].stride *
                     (described.span != 0
                          ? described.span
                          : static_cast<std::ptrdiff_t>(described.dtype.element_bytes)),
                 {described.dtype.type, kind, described.dtype.element_bytes},
                 nullptr},
        count(static_cast<std::size_t>(described.dim[0].extent())) {}

  /// Of the elements at equal distances, of which there is at least one.
  byte_range range() const noexcept {
    const std::ptrdiff_t last = static_cast<std::ptrdiff_t>(count - 1) * elements.stride_bytes;
    const std::ptrdiff_t low = std::min<std::ptrdiff_t>(last, 0);
    return {
        elements.first + low,
        static_cast<std::size_t>(std::max<std::ptrdiff_t>(last, 0) - low) + elements.item.bytes};
  }
};

void copy_even(const row_of_elements& to, const row_of_elements& from, std::size_t count,
               convert_function convert) noexcept {
  if (!to.item.is_same(from.item)) return assign_row(to, from, count, convert);
  const auto row = [count](const row_of_elements& side) {
    return run_row{reinterpret_cast<std::uintptr_t>(side.first), side.item.bytes, count,
                   side.stride_bytes};
  };
  copy_row(row(to), row(from));
}

/// Of the elements at equal distances that one side of a statement describes.
struct even_row {
  std::byte* first;
  std::ptrdiff_t stride;
  std::size_t count;

  even_row(const gfortran::descriptor& described, std::byte* first_element) noexcept
      : first(first_element),
        stride(described.dim[0].stride *
               (described.span != 0 ? described.span
                                    : static_cast<std::ptrdiff_t>(described.dtype.element_bytes))),
        count(static_cast<std::size_t>(described.dim[0].extent())) {}
  byte_range range(std::size_t bytes) const noexcept {
    const std::ptrdiff_t last = static_cast<std::ptrdiff_t>(count - 1) * stride;
    return {last < 0 ? first + last : first,
            static_cast<std::size_t>(last < 0 ? -last : last) + bytes};
  }
  run_row run(std::size_t bytes) const noexcept {
    return {reinterpret_cast<std::uintptr_t>(first), bytes, count, stride};
  }
};

/// Rows of one type without vector subscripts, which are short enough that each instruction counts.
/// False: not done, for whatever reason.
bool copy_alike(const coindexed& remote, const local_side& local, const byte_range& object,
                row_access access) noexcept {
  const gfortran::descriptor& there = *remote.described;
  const gfortran::descriptor& own = *local.described;
  const std::size_t bytes = there.dtype.element_bytes;
  if (bytes != own.dtype.element_bytes || there.dtype.type != own.dtype.type ||
      remote.kind != local.kind)
    return false;
  const even_row remote_row(there, const_cast<std::byte*>(object.low) + remote.offset);
  const even_row local_row(own, own.data);
  if (remote_row.count != local_row.count || local_row.count == 0 ||
      !object.contains(remote_row.range(bytes)) || object.overlaps(local_row.range(bytes)))
    return false;
  const run_row outside = remote_row.run(bytes);
  const run_row inside = local_row.run(bytes);
  access == row_access::read ? copy_row(inside, outside) : copy_row(outside, inside);
  return true;
}

void fence_after(row_access access) noexcept {
  access == row_access::read ? fence_loads() : fence_stores();
}

bool copy_by_indices(const coindexed& side, const described_row& remote, const described_row& local,
                     const byte_range& object, row_access access,
                     convert_function convert) noexcept {
  const gfortran::subscripts& subscript = *side.vectors;
  const std::ptrdiff_t lower = side.described->dim[0].lower;
  const auto part_offset = static_cast<std::ptrdiff_t>(side.offset);
  const index_bounds bounds =
      bounds_in({-part_offset, static_cast<std::ptrdiff_t>(side.object->bytes) - part_offset},
                lower, remote.elements.stride_bytes, remote.elements.item.bytes);
  const index_list chosen{static_cast<const std::byte*>(subscript.vector.indices),
                          subscript.vector.kind, lower, bounds.least, bounds.most};
  const byte_range indices{chosen.first, chosen.bytes(remote.count)};
  if (indices.overlaps(access == row_access::read ? local.range() : object)) return false;
  row_of_elements picked = remote.elements;
  picked.chosen = &chosen;
  return access == row_access::read
             ? assign_row_in_range(local.elements, picked, remote.count, convert)
             : assign_row_in_range(picked, local.elements, remote.count, convert);
}

}  // namespace

bool transfer_row(process& us, rank_id rank, const coindexed& remote, const local_side& local,
                  row_access access) noexcept {
  const bool is_chosen = remote.vectors != nullptr;
  if (remote.described->dtype.rank != 1 || local.described->dtype.rank != 1 ||
      (is_chosen && remote.vectors->count == 0) || rank == us.runtime.rank() ||
      has_failed(us, rank))
    return false;
  std::byte* const mapped = us.heaps.routes()[rank].direct(
      us.remote_address(rank, remote.object->memory), remote.object->bytes);
  if (mapped == nullptr) return false;
  const byte_range object{mapped, remote.object->bytes};
  if (!is_chosen && copy_alike(remote, local, object, access)) {
    fence_after(access);
    return true;
  }
  described_row remote_row(*remote.described, remote.kind, mapped + remote.offset);
  if (is_chosen) remote_row.count = remote.vectors->count;
  described_row local_row(*local.described, local.kind, local.described->data);
  const row_of_elements& to = access == row_access::read ? local_row.elements : remote_row.elements;
  const row_of_elements& from =
      access == row_access::read ? remote_row.elements : local_row.elements;
  const convert_function convert = find_conversion(to.item, from.item);
  if (remote_row.count != local_row.count || local_row.count == 0 || convert == nullptr ||
      object.overlaps(local_row.range()))
    return false;
  if (is_chosen) {
    if (!copy_by_indices(remote, remote_row, local_row, object, access, convert)) return false;
  } else {
    if (!object.contains(remote_row.range())) return false;
    copy_even(to, from, local_row.count, convert);
  }
  fence_after(access);
  return true;
}

}  // namespace atl::coarray
