// SPDX-License-Identifier: BSD-3-Clause
//
// Coindexed reads and writes of whole coarrays and their sections: `y = x(...)[p]`, `x(...)[p] = y`
// and `x(...)[p] = z(...)[q]`. One element of one type is loaded from or stored to mapped memory
// before any other case is considered. Reads are complete on return; writes that go by messages are
// complete at the next image control statement (background_writes.hpp).
#pragma once

#include <front/coarray/data/gfortran.hpp>
#include <front/coarray/memory/coarray.hpp>

#include <cstddef>

namespace atl::coarray {

/// The remote side of a transfer. The compiler describes the section by its place in this image's
/// part of the coarray, which begins `offset` bytes behind the begin of the coarray.
struct coindexed {
  const coarray* object;
  std::size_t offset;
  int image;
  const gfortran::array_descriptor* described;
  const gfortran::subscripts* vectors;  // null, or for each dimension
  int kind;
  const image_team* team = nullptr;  // null: the current one
};

/// A side of this image.
struct local_side {
  gfortran::array_descriptor* described;
  int kind;
};

void get(const local_side& to, const coindexed& from) noexcept;
void send(const coindexed& to, const local_side& from) noexcept;
/// The same with STAT=.
void get(const local_side& to, const coindexed& from, int& stat) noexcept;
void send(const coindexed& to, const local_side& from, int& stat) noexcept;

/// Null `stat`: the statement has no STAT=.
void sendget(const coindexed& to, const coindexed& from, int* stat) noexcept;

}  // namespace atl::coarray
