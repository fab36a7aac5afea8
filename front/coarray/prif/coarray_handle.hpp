// SPDX-License-Identifier: BSD-3-Clause
//
// A prif_coarray_handle points to a handle: a coarray of the front, the data that this handle sees,
// and its cobounds. Aliases of a coarray have cobounds and data of their own; all handles of a
// coarray share its context. The last upper cobound is not stored: it follows from the number of
// images.
#pragma once

#include <front/coarray/memory/coarray.hpp>
#include <front/coarray/prif/c_descriptor.hpp>

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

namespace atl::coarray::prif {

struct handle;
using cleanup_function = void (*)(handle* coarray);

/// A coarray that was allocated by PRIF. It begins with the front's, so that END TEAM finds it.
struct established {
  coarray object;
  cleanup_function cleanup = nullptr;
  void* context = nullptr;
  handle* first = nullptr;  // what the allocation returned
};

struct handle {
  established* whole;
  std::byte* data;  // of this image
  int corank;
  std::array<std::int64_t, gfortran::max_rank> lower;
  std::array<std::int64_t, gfortran::max_rank> extent;  // not of the last one

  std::size_t bytes() const noexcept { return whole->object.bytes; }

  /// The number of cosubscripts of the last codimension for so many images.
  std::int64_t last_extent(rank_id images) const noexcept;
  std::int64_t upper(int dimension, rank_id images) const noexcept;

  /// The image with the cosubscripts among so many; 0: there is none.
  int image_at(const c_descriptor& subscripts, rank_id images) const noexcept;
  std::int64_t subscript_of(int image, int dimension) const noexcept;
};

/// Sets the cobounds; ends the job where they are invalid. `upper` may lack its last one.
void set_cobounds(handle& of, const c_descriptor& lower, const c_descriptor& upper) noexcept;

/// Calls the program's cleanups, and gives back the data and the handles. Called by all images of
/// the team, once all have come here.
void deallocate(process_state& us, std::span<handle* const> gone) noexcept;

}  // namespace atl::coarray::prif
