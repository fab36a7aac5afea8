// SPDX-License-Identifier: BSD-3-Clause
//
// The indices of a vector subscript: integers of any kind, which stay where the program has them.
// Only the range of a list is found beforehand. If all indices are in known bounds, as they must
// be, the bounds count as the range: checking that takes a small part of the time of a copy.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>

namespace atl::coarray {

/// Not initialised; empty with {}.
struct index_list {
  const std::byte* first;  // null: there is no vector subscript
  int kind;                // the bytes of an index
  std::ptrdiff_t lower;    // the index of the first place of the dimension
  std::ptrdiff_t least;    // no index is smaller
  std::ptrdiff_t most;     // none is greater

  bool is_given() const noexcept { return first != nullptr; }

  std::size_t bytes(std::size_t count) const noexcept {
    return count * static_cast<unsigned>(kind);
  }

  /// Sets `least` and `most` to the smallest and the largest of the indices.
  void find_range(std::size_t count) noexcept;

  std::ptrdiff_t at(std::size_t position) const noexcept {
    switch (kind) {
      case 1:
        return load<std::int8_t>(position);
      case 2:
        return load<std::int16_t>(position);
      case 4:
        return load<std::int32_t>(position);
      default:
        return load<std::int64_t>(position);
    }
  }

 private:
  template <class Index>
  std::ptrdiff_t load(std::size_t position) const noexcept {
    Index index;
    std::memcpy(&index, first + position * static_cast<unsigned>(kind), sizeof index);
    return index;
  }
};

/// The smallest and the largest index of an array.
struct index_bounds {
  std::ptrdiff_t least;
  std::ptrdiff_t most;
};

/// Whether all indices are in the bounds. Also false for indices of kinds other than 4 and 8, which
/// are not examined.
bool are_in_bounds(const index_list& list, std::size_t count, const index_bounds& bounds) noexcept;

/// The indices that choose `count` elements of a dimension whose first place has index `lower`.
index_list list_indices(const void* indices, int kind, std::size_t count, std::ptrdiff_t lower,
                        const index_bounds& bounds) noexcept;

}  // namespace atl::coarray
