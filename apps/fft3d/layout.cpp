// SPDX-License-Identifier: BSD-3-Clause
//
// Middle and spectrum differ by swapped dimensions 0 and 1, so one function describes the movement
// between them in both directions.
#include <apps/fft3d/layout.hpp>
#include <atoll/base/rounding.hpp>

#include <algorithm>

namespace fft3d {

packing packing_of(const redistribution& movement, std::size_t parts) {
  const std::size_t planes = atl::pieces_of(movement.planes_max, parts);
  const std::size_t block = planes * movement.piece_max;
  if (block == 0) return {.planes_of_part = planes};  // pieces are empty
  return {.planes_of_part = planes,
          .parts = atl::pieces_of(movement.planes_max, planes),
          .block = block};
}

layout::layout(const extent& size, trial::grid ranks, unsigned rank)
    : size_(size), ranks_(ranks), row_(rank / ranks.columns), column_(rank % ranks.columns) {}

std::size_t layout::box_size_max() const {
  const std::size_t i0 = atl::pieces_of(size_.n0, ranks_.rows);
  const std::size_t i1 = atl::pieces_of(size_.n1, ranks_.rows);
  const std::size_t i2 = atl::pieces_of(size_.n2, ranks_.columns);
  return std::max({i0 * atl::pieces_of(size_.n1, ranks_.columns) * size_.n2, i0 * size_.n1 * i2,
                   i1 * size_.n0 * i2});
}

redistribution layout::field_to_middle() const {
  const std::size_t planes = i0(row_).count;
  return {.planes_max = planes,
          .piece_max =
              atl::pieces_of(size_.n1, ranks_.columns) * atl::pieces_of(size_.n2, ranks_.columns),
          .plane_size = field().i1.count * size_.n2,
          .planes = [=](unsigned) { return planes; },
          .piece_of =
              [this](unsigned sender, std::size_t plane, unsigned receiver) {
                const range lines = part(size_.n1, ranks_.columns, sender);
                const range band = i2(receiver);
                return piece{.rows = lines.count,
                             .length = band.count,
                             .from = band.first,
                             .from_stride = size_.n2,
                             .to = (plane * size_.n1 + lines.first) * band.count,
                             .to_stride = band.count};
              }};
}

redistribution layout::middle_to_field() const {
  const std::size_t planes = i0(row_).count;
  return {.planes_max = planes,
          .piece_max =
              atl::pieces_of(size_.n1, ranks_.columns) * atl::pieces_of(size_.n2, ranks_.columns),
          .plane_size = size_.n1 * i2(column_).count,
          .planes = [=](unsigned) { return planes; },
          .piece_of =
              [this](unsigned sender, std::size_t plane, unsigned receiver) {
                const range lines = part(size_.n1, ranks_.columns, receiver);
                const range band = i2(sender);
                return piece{.rows = lines.count,
                             .length = band.count,
                             .from = lines.first * band.count,
                             .from_stride = band.count,
                             .to = plane * lines.count * size_.n2 + band.first,
                             .to_stride = size_.n2};
              }};
}

redistribution layout::middle_to_spectrum() const { return across_rows(size_.n0, size_.n1); }

redistribution layout::spectrum_to_middle() const { return across_rows(size_.n1, size_.n0); }

redistribution layout::across_rows(std::size_t n_planes, std::size_t n_bands) const {
  const std::size_t width = i2(column_).count;
  const unsigned members = ranks_.rows;
  return {.planes_max = atl::pieces_of(n_planes, members),
          .piece_max = atl::pieces_of(n_bands, members) * width,
          .plane_size = n_bands * width,
          .planes = [=](unsigned sender) { return part(n_planes, members, sender).count; },
          .piece_of =
              [=](unsigned sender, std::size_t plane, unsigned receiver) {
                const range band = part(n_bands, members, receiver);
                const range planes = part(n_planes, members, sender);
                return piece{.rows = band.count,
                             .length = width,
                             .from = band.first * width,
                             .from_stride = width,
                             .to = (planes.first + plane) * width,
                             .to_stride = n_planes * width};
              }};
}

}  // namespace fft3d
