// SPDX-License-Identifier: BSD-3-Clause
//
// Data as gfortran lays it out in memory: array descriptors, lists of vector subscripts, and chains
// of references to components. The compiler writes these, and coarray libraries only read them,
// except the data address of a descriptor that is registered. Descriptors are those of gfortran 8
// to 16, the rest those of 8 to 14.
//
// An element of an array lies at `data` + the sum over dimensions of (index - lower bound) *
// stride * span. The codimensions' bounds follow those of the dimensions; they belong to the
// compiler.
#pragma once

#include <cstddef>
#include <cstdint>

namespace atl::coarray::gfortran {

inline constexpr int max_rank = 15;

/// The type of an element, as descriptors and calls name it.
enum class type_code : std::int8_t {
  unknown,
  integer,
  logical,
  real,
  complex,
  derived,
  character,
  class_object,
  procedure,
  hollerith,
  void_pointer,
  assumed,
  union_object,
  boz,
  unsigned_integer  // of gfortran 15 and later
};

struct array_type {
  std::size_t element_bytes;
  std::int32_t version;
  std::int8_t rank;
  type_code type;
  std::int16_t attribute;
};

struct dimension {
  std::ptrdiff_t stride;  // in spans
  std::ptrdiff_t lower;
  std::ptrdiff_t upper;

  std::ptrdiff_t extent() const noexcept { return upper < lower ? 0 : upper - lower + 1; }
};

struct array_descriptor {
  std::byte* data;
  std::size_t offset;
  array_type dtype;
  std::ptrdiff_t span;
  dimension dim[max_rank];  // as many as there are dimensions and codimensions

  static constexpr std::size_t bytes_for(int rank) noexcept {
    return offsetof(array_descriptor, dim) + static_cast<std::size_t>(rank) * sizeof(dimension);
  }
};
static_assert(offsetof(array_descriptor, dim) == 40);

/// The subscripts of one dimension of a section: a vector of indices, or a triplet if `count` is 0.
struct subscripts {
  struct index_vector {
    const void* indices;
    int kind;
  };
  struct triplet {
    std::ptrdiff_t lower;
    std::ptrdiff_t upper;
    std::ptrdiff_t stride;
  };
  std::size_t count;
  union {
    index_vector vector;
    triplet range;
  };
};

enum class reference_kind : int { component, array, static_array };

/// The subscript of one dimension in a reference to an array.
enum class subscript_mode : unsigned char {
  end,
  vector,
  full,
  range,
  single,
  open_end,
  open_start
};

/// One step of a chain like x(i)%a(j:k)%b. `item_bytes` is the size of an element of the part.
/// Subscripts of a static array count elements from its first one, already multiplied by all
/// dimensions before them; those of other arrays are indices.
struct reference {
  struct component_step {
    std::ptrdiff_t offset;
    std::ptrdiff_t token_offset;  // not 0: allocatable or a pointer
  };
  struct range {
    std::ptrdiff_t start;
    std::ptrdiff_t end;
    std::ptrdiff_t stride;
  };
  struct index_vector {
    const void* indices;
    std::size_t count;
    int kind;
  };
  union subscript {
    range triplet;
    index_vector vector;
  };
  struct array_step {
    subscript_mode mode[max_rank];
    int static_type;
    subscript dim[max_rank];
  };

  const reference* next;
  reference_kind kind;
  std::size_t item_bytes;
  union {
    component_step component;
    array_step array;
  };
};

}  // namespace atl::coarray::gfortran
