// SPDX-License-Identifier: BSD-3-Clause
//
// A section of an array, whichever compiler described it: the place of its first element, the type
// of the elements, and for each dimension their number and their distance. Where a vector subscript
// selects them, the indices stay in the program's memory until the elements are copied.
#pragma once

#include <front/coarray/data/gfortran.hpp>
#include <front/coarray/data/index_list.hpp>

#include <algorithm>
#include <array>
#include <cstddef>

namespace atl::coarray {

/// The type of an element. `kind` is the compiler's: bytes of a number or of a character.
struct element {
  gfortran::type_code type = gfortran::type_code::unknown;
  int kind = 0;
  std::size_t bytes = 0;

  /// Elements of one type are copied as they are.
  bool is_same(const element& other) const noexcept {
    return type == other.type && bytes == other.bytes &&
           (kind == other.kind || type == gfortran::type_code::derived);
  }
};

/// Not initialised, because most of a section's dimensions are never used.
struct section_dimension {
  std::size_t count;
  std::ptrdiff_t stride_bytes;
  index_list chosen;  // the indices of a vector subscript

  std::ptrdiff_t offset(std::size_t position) const noexcept {
    const std::ptrdiff_t steps = chosen.is_given() ? chosen.at(position) - chosen.lower
                                                   : static_cast<std::ptrdiff_t>(position);
    return steps * stride_bytes;
  }
};

struct section {
  std::byte* base = nullptr;  // by the addresses of the image that has it
  element item;
  int rank = 0;
  std::array<section_dimension, gfortran::max_rank> dim;

  section() noexcept = default;
  section(const section& other) noexcept { *this = other; }
  /// Copies only the dimensions that are used.
  section& operator=(const section& other) noexcept {
    base = other.base;
    item = other.item;
    rank = other.rank;
    std::copy_n(other.dim.begin(), rank, dim.begin());
    return *this;
  }
  ~section() = default;

  std::size_t count() const noexcept;
  bool has_vectors() const noexcept;
  bool is_contiguous() const noexcept;

  /// The bytes that the elements take before the base and from the base on.
  struct reach {
    std::ptrdiff_t low = 0;
    std::ptrdiff_t high = 0;
  };
  reach extent() const noexcept;
};

/// The section that a descriptor describes, with elements of the type and with this base.
section section_of(const gfortran::array_descriptor& described, int kind) noexcept;

/// The indices whose elements lie in the room around the element of index `lower`; none if the
/// stride is negative.
index_bounds bounds_in(const section::reach& room, std::ptrdiff_t lower, std::ptrdiff_t stride,
                       std::size_t element_bytes) noexcept;

/// Applies the subscripts of a section with vectors, of which some may be triplets: the compiler
/// then describes the whole array, but with the counts of the section. `room` has the bytes before
/// and behind the first element.
void apply_subscripts(section& to, const gfortran::array_descriptor& described,
                      const gfortran::subscripts* chosen, const section::reach& room) noexcept;

/// Finds the exact ranges of all indices, if the bounds of the object were taken for them.
void narrow_to_indices(section& part) noexcept;

/// Drops dimensions of one element that the other side does not have, because the compiler makes a
/// triplet of a single index beside a vector subscript.
void drop_single_dimensions(section& part, const section& other) noexcept;

/// A section of the same shape whose elements follow each other at `base`.
section packed_like(const section& shape, std::byte* base, const element& item) noexcept;

/// Copies the elements of `from`, converted to the type of `to`. Where `from` is one element, it
/// goes to all of `to`. The two do not overlap.
void assign(const section& to, const section& from) noexcept;

/// Whether the elements of one type can become those of another.
bool is_convertible(const element& to, const element& from) noexcept;

}  // namespace atl::coarray
