// SPDX-License-Identifier: BSD-3-Clause
//
// The places of numbers. Ranks form a grid of rows and columns. At first a rank has a pencil of the
// field along dimension 2, in the middle of a transform one along dimension 1, at the end one along
// dimension 0:
//
//     field     [i0 of the row][i1 of the column][all i2]
//     middle    [i0 of the row][all i1][i2 of the column]
//     spectrum  [i1 of the row][all i0][i2 of the column]
//
// With one column the pencils are slabs, and the field is the middle. Dimension 2 is contiguous
// everywhere, so between two of these arrays numbers move in pieces of rows. A rank sends plane by
// plane: the first dimension of its array counts planes, and every receiver gets a piece of each.
#pragma once

#include <apps/fft3d/problem.hpp>

#include <functional>

namespace fft3d {

/// Rows of equal length: their places in a plane of the sender and in the array of the receiver.
/// In numbers.
struct piece {
  std::size_t rows = 0;
  std::size_t length = 0;
  std::size_t from = 0;         // in the plane
  std::size_t from_stride = 0;  // from row to row
  std::size_t to = 0;           // in the receiver's array
  std::size_t to_stride = 0;
};

/// A movement of all numbers among the members of a row or a column of the grid.
struct redistribution {
  std::size_t planes_max = 0;  // of any member
  std::size_t piece_max = 0;   // numbers of the largest piece
  std::size_t plane_size = 0;  // numbers of a plane of this rank
  std::function<std::size_t(unsigned sender)> planes;
  std::function<piece(unsigned sender, std::size_t plane, unsigned receiver)> piece_of;
};

/// The division of a redistribution's planes among all-to-alls. These have blocks of one size, so
/// every piece gets the space of the largest.
struct packing {
  std::size_t planes_of_part = 0;  // planes that travel in one
  std::size_t parts = 0;
  std::size_t block = 0;  // numbers of a part for one receiver

  std::size_t part_size(std::size_t members) const { return block * members; }
  /// Numbers that a member sends, and as many that it receives.
  std::size_t buffer_size(std::size_t members) const { return parts * part_size(members); }
};

/// About `parts` parts; none when there is nothing to move.
packing packing_of(const redistribution& movement, std::size_t parts);

/// The all-to-alls that one exchange in slabs is divided into.
inline constexpr std::size_t parts_of_slabs = 8;

class layout {
 public:
  layout(const extent& size, trial::grid ranks, unsigned rank);

  trial::grid ranks() const { return ranks_; }
  bool has_slabs() const { return ranks_.columns == 1; }
  /// Arrays of a rank: with slabs the field is the middle.
  std::size_t array_count() const { return has_slabs() ? 2 : 3; }
  unsigned row() const { return row_; }
  unsigned column() const { return column_; }
  const extent& size() const { return size_; }

  box field() const { return {i0(row_), part(size_.n1, ranks_.columns, column_), {0, size_.n2}}; }
  box middle() const { return {i0(row_), {0, size_.n1}, i2(column_)}; }
  box spectrum() const { return {{0, size_.n0}, i1(row_), i2(column_)}; }

  /// The size of the largest of all ranks' boxes: arrays of this size have equal offsets on all
  /// ranks.
  std::size_t box_size_max() const;

  /// Among the ranks of a row of the grid, whose members are its columns.
  redistribution field_to_middle() const;
  redistribution middle_to_field() const;
  /// Among the ranks of a column of the grid, whose members are its rows.
  redistribution middle_to_spectrum() const;
  redistribution spectrum_to_middle() const;

 private:
  static range part(std::size_t length, unsigned parts, unsigned index) {
    return trial::part_of(length, parts, index);
  }
  range i0(unsigned row) const { return part(size_.n0, ranks_.rows, row); }
  range i1(unsigned row) const { return part(size_.n1, ranks_.rows, row); }
  range i2(unsigned column) const { return part(size_.n2, ranks_.columns, column); }
  redistribution across_rows(std::size_t n_planes, std::size_t n_bands) const;

  extent size_;
  trial::grid ranks_;
  unsigned row_;
  unsigned column_;
};

}  // namespace fft3d
