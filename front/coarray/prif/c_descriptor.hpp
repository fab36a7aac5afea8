// SPDX-License-Identifier: BSD-3-Clause
//
// Descriptors of ISO_Fortran_binding.h, by which compilers pass to C arrays of any shape, and
// characters whose length the caller decides. gfortran and flang lay out the same parts in another
// order and number types differently; the version tells which compiler made a descriptor.
#pragma once

#include <front/coarray/data/gfortran.hpp>

#include <cstddef>
#include <cstdint>

namespace atl::coarray::prif {

struct c_descriptor {
  struct dimension {
    std::ptrdiff_t lower_bound;
    std::ptrdiff_t extent;
    std::ptrdiff_t stride_bytes;
  };

  std::byte* base;
  std::size_t element_bytes;
  std::int32_t version;
  std::uint8_t rank;
  std::uint8_t compiler_words[3];  // type and attribute
  dimension dim[gfortran::max_rank];

  std::size_t extent(int dimension_index) const noexcept {
    return static_cast<std::size_t>(dim[dimension_index].extent);
  }
};
static_assert(offsetof(c_descriptor, dim) == 24);

/// The type and, where the compiler gives it, the kind of an element; kind 0: by its size.
struct element_type {
  gfortran::type_code code;
  int kind = 0;
};
element_type type_of(const c_descriptor& array) noexcept;

/// The same array as gfortran describes it to its own library.
gfortran::array_descriptor described(const c_descriptor& array) noexcept;

/// An array of bytes or of elements at an address.
gfortran::array_descriptor described(void* base, std::size_t element_bytes,
                                     std::size_t count) noexcept;

/// An element of an array of one dimension.
template <class T>
T& element_at(const c_descriptor& array, std::size_t index) noexcept {
  return *reinterpret_cast<T*>(array.base +
                               static_cast<std::ptrdiff_t>(index) * array.dim[0].stride_bytes);
}

}  // namespace atl::coarray::prif
