// SPDX-License-Identifier: BSD-3-Clause
//
// Rows that are copied without a section. Every special case is left to the general way: an object
// that is not mapped, an image that has failed, sides that share memory, and the objects of this
// image, for which gfortran may describe a copy outside of the coarray.
#include <front/coarray/access/row_transfer.hpp>

#include <atoll/core/rma/rma.hpp>
#include <atoll/core/strided/strided_copy.hpp>
#include <front/coarray/data/chosen_rows.hpp>
#include <front/coarray/failures/failed_images.hpp>

#include <algorithm>
#include <utility>

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

  described_row(const gfortran::array_descriptor& described, int kind, std::byte* first) noexcept
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

/// Elements of one side of a statement at equal distances, in one or two dimensions.
struct even_block {
  struct dimension {
    std::size_t count;
    std::ptrdiff_t stride;  // in bytes
  };

  std::byte* first;
  dimension inner;
  dimension outer{1, 0};
  bool is_turned = false;  // the first dimension, which has one element, is the outer one

  even_block(const gfortran::array_descriptor& described, std::byte* first_element) noexcept
      : first(first_element), inner(dimension_of(described, 0)) {
    if (described.dtype.rank == 1) return;
    outer = dimension_of(described, 1);
    is_turned = inner.count == 1;
    if (is_turned) std::swap(inner, outer);
  }

  std::size_t count() const noexcept { return inner.count * outer.count; }
  bool has_shape_of(const even_block& other) const noexcept {
    return inner.count == other.inner.count && outer.count == other.outer.count &&
           is_turned == other.is_turned;
  }
  /// The bytes of the block, which has at least one element.
  byte_range range(std::size_t bytes) const noexcept {
    byte_range found{first, bytes};
    for (const dimension& each : {inner, outer}) {
      const std::ptrdiff_t last = static_cast<std::ptrdiff_t>(each.count - 1) * each.stride;
      if (last < 0) found.low += last;
      found.bytes += static_cast<std::size_t>(last < 0 ? -last : last);
    }
    return found;
  }
  bool is_dense(std::size_t bytes) const noexcept {
    return inner.stride == static_cast<std::ptrdiff_t>(bytes);
  }
  /// All rows of a dense block, each as one run.
  run_row columns(std::size_t bytes) const noexcept {
    return {reinterpret_cast<std::uintptr_t>(first), inner.count * bytes, outer.count,
            outer.stride};
  }
  run_row row(std::size_t position, std::size_t bytes) const noexcept {
    const std::byte* const start = first + static_cast<std::ptrdiff_t>(position) * outer.stride;
    return {reinterpret_cast<std::uintptr_t>(start), bytes, inner.count, inner.stride};
  }

 private:
  static dimension dimension_of(const gfortran::array_descriptor& described, int which) noexcept {
    const std::ptrdiff_t span = described.span != 0
                                    ? described.span
                                    : static_cast<std::ptrdiff_t>(described.dtype.element_bytes);
    return {static_cast<std::size_t>(described.dim[which].extent()),
            described.dim[which].stride * span};
  }
};

// Larger blocks justify a plan, which finds rows that continue each other.
constexpr std::size_t unplanned_bytes = 4096;

bool are_alike(const coindexed& remote, const local_side& local) noexcept {
  const gfortran::array_type& left = remote.described->dtype;
  const gfortran::array_type& right = local.described->dtype;
  return left.element_bytes == right.element_bytes && left.type == right.type &&
         remote.kind == local.kind;
}

/// Copies a row: elements of one type without vector subscripts, so few that each instruction
/// counts. False, and nothing is done, where the sides differ, overlap or lie outside of the
/// coarray.
bool copy_one_row(const coindexed& remote, const local_side& local, const byte_range& object,
                  row_access access) noexcept {
  const described_row remote_row(*remote.described, remote.kind,
                                 const_cast<std::byte*>(object.low) + remote.offset);
  const described_row local_row(*local.described, local.kind, local.described->data);
  const std::size_t count = remote_row.count;
  if (count != local_row.count || count == 0 || !object.contains(remote_row.range()) ||
      object.overlaps(local_row.range()))
    return false;
  const std::size_t bytes = remote_row.elements.item.bytes;
  const auto row = [=](const row_of_elements& side) {
    return run_row{reinterpret_cast<std::uintptr_t>(side.first), bytes, count, side.stride_bytes};
  };
  access == row_access::read ? copy_row(row(local_row.elements), row(remote_row.elements))
                             : copy_row(row(remote_row.elements), row(local_row.elements));
  return true;
}

/// The same for some rows. False also if there are too many.
[[gnu::noinline]] bool copy_some_rows(const coindexed& remote, const local_side& local,
                                      const byte_range& object, row_access access) noexcept {
  const gfortran::array_descriptor& remote_section = *remote.described;
  const gfortran::array_descriptor& local_section = *local.described;
  const std::size_t bytes = remote_section.dtype.element_bytes;
  const even_block remote_block(remote_section, const_cast<std::byte*>(object.low) + remote.offset);
  const even_block local_block(local_section, local_section.data);
  if (!remote_block.has_shape_of(local_block) || remote_block.count() == 0 ||
      (remote_block.outer.count != 1 && remote_block.count() * bytes > unplanned_bytes) ||
      !object.contains(remote_block.range(bytes)) || object.overlaps(local_block.range(bytes)))
    return false;
  const even_block& to = access == row_access::read ? local_block : remote_block;
  const even_block& from = access == row_access::read ? remote_block : local_block;
  if (to.is_dense(bytes) && from.is_dense(bytes)) {
    copy_row(to.columns(bytes), from.columns(bytes));
  } else {
    for (std::size_t i = 0; i < to.outer.count; ++i) copy_row(to.row(i, bytes), from.row(i, bytes));
  }
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

/// Transfers a row of elements that indices choose, or that are converted.
[[gnu::noinline]] bool transfer_other_row(const coindexed& remote, const local_side& local,
                                          const byte_range& object, row_access access) noexcept {
  described_row remote_row(*remote.described, remote.kind,
                           const_cast<std::byte*>(object.low) + remote.offset);
  if (remote.vectors != nullptr) remote_row.count = remote.vectors->count;
  const described_row local_row(*local.described, local.kind, local.described->data);
  const row_of_elements& to = access == row_access::read ? local_row.elements : remote_row.elements;
  const row_of_elements& from =
      access == row_access::read ? remote_row.elements : local_row.elements;
  const convert_function convert = find_conversion(to.item, from.item);
  if (remote_row.count != local_row.count || local_row.count == 0 || convert == nullptr ||
      object.overlaps(local_row.range()))
    return false;
  if (remote.vectors != nullptr) {
    if (!copy_by_indices(remote, remote_row, local_row, object, access, convert)) return false;
  } else {
    if (!object.contains(remote_row.range())) return false;
    copy_even(to, from, local_row.count, convert);
  }
  fence_after(access);
  return true;
}

}  // namespace

bool transfer_row(process_state& us, rank_id rank, const coindexed& remote, const local_side& local,
                  row_access access) noexcept {
  const bool is_chosen = remote.vectors != nullptr;
  const int dimensions = remote.described->dtype.rank;
  if (dimensions < 1 || dimensions > 2 || local.described->dtype.rank != dimensions ||
      (is_chosen && (dimensions == 2 || remote.vectors->count == 0)) || rank == us.runtime.rank() ||
      has_failed(us, rank))
    return false;
  std::byte* const mapped = us.heaps.routes()[rank].direct(
      us.remote_address(rank, remote.object->memory), remote.object->bytes);
  if (mapped == nullptr) return false;
  const byte_range object{mapped, remote.object->bytes};
  if (!is_chosen && are_alike(remote, local)) {
    const bool is_copied = dimensions == 1 ? copy_one_row(remote, local, object, access)
                                           : copy_some_rows(remote, local, object, access);
    if (is_copied) fence_after(access);
    return is_copied;
  }
  if (dimensions == 2) return false;
  return transfer_other_row(remote, local, object, access);
}

}  // namespace atl::coarray
