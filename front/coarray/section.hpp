// SPDX-License-Identifier: BSD-3-Clause
//
// A section of an array, whichever compiler described it: where its first element lies, the type of
// the elements, and for each dimension how many there are and how far apart, or a list of their
// distances from the first place where a vector subscript selects them.
#pragma once

#include <front/coarray/gfortran.hpp>

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

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
  const std::ptrdiff_t* offsets;  // of a vector subscript, by element, in bytes

  std::ptrdiff_t offset(std::size_t index) const noexcept {
    return offsets != nullptr ? offsets[index] : static_cast<std::ptrdiff_t>(index) * stride_bytes;
  }
};

struct section {
  std::byte* base = nullptr;  // by the addresses of the image that has it
  element item;
  int rank = 0;
  std::array<section_dimension, gfortran::max_rank> dim;

  std::size_t count() const noexcept;
  bool has_vectors() const noexcept;
  bool is_contiguous() const noexcept;

  /// Bytes before the base and behind it that the elements take, the first one included.
  struct reach {
    std::ptrdiff_t low = 0;
    std::ptrdiff_t high = 0;
  };
  reach extent() const noexcept;
};

/// Storage for the distances of vector subscripts, which sections point into.
using offset_lists = std::vector<std::vector<std::ptrdiff_t>>;

/// The section that a descriptor describes, with elements of the type and with this base.
section section_of(const gfortran::descriptor& described, int kind) noexcept;

/// Applies the subscripts of a section with vectors, of which some may be triplets: the compiler
/// then describes the whole array. `lists` must have room for one list per dimension.
void apply_subscripts(section& to, const gfortran::descriptor& described,
                      const gfortran::subscripts* chosen, offset_lists& lists);

/// Drops dimensions of one element that the other side does not have: the compiler makes a triplet
/// of a single index beside a vector subscript.
void drop_single_dimensions(section& part, const section& other) noexcept;

/// The indices of a vector subscript, of integers of any kind.
std::ptrdiff_t index_at(const void* indices, int kind, std::size_t position) noexcept;

/// A section of the same shape whose elements follow each other at `base`.
section packed_like(const section& shape, std::byte* base, const element& item) noexcept;

/// Copies the elements of `from`, converted to the type of `to`. Where `from` is one element, it
/// goes to all of `to`. The two do not overlap.
void assign(const section& to, const section& from) noexcept;

/// Whether the elements of one type can become those of another.
bool is_convertible(const element& to, const element& from) noexcept;

}  // namespace atl::coarray
