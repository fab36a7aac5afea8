// SPDX-License-Identifier: BSD-3-Clause
//
// Coindexed reads and writes through chains of components, x(i)[p]%a(j)%b(k:l), with parts that are
// allocatable or pointers. The chain is walked in the memory of the image that has it: the image's
// own descriptors say where data lies, which may be anywhere in its memory. In a mapped image each
// step is a load.
#pragma once

#include <front/coarray/access/transfer.hpp>
#include <front/coarray/data/gfortran.hpp>
#include <front/coarray/memory/coarray.hpp>

namespace atl::coarray {

/// An object in the memory of an image; `type` and `kind` are those of its elements.
struct referenced {
  const coarray* object;
  int image;
  const gfortran::reference* chain;
  int kind;
  gfortran::type_code type;
};

/// `may_allocate`: whether the local side is allocatable and takes the shape of the data read.
void get_by_reference(const local_side& to, const referenced& from, bool may_allocate) noexcept;
void send_by_reference(const referenced& to, const local_side& from) noexcept;
/// The same with STAT=.
void get_by_reference(const local_side& to, const referenced& from, bool may_allocate,
                      int& stat) noexcept;
void send_by_reference(const referenced& to, const local_side& from, int& stat) noexcept;

/// Null: the statement has no STAT= on that side.
void sendget_by_reference(const referenced& to, const referenced& from, int* to_stat,
                          int* from_stat) noexcept;

/// ALLOCATED() of a component of another image.
bool is_present(const coarray& object, int image, const gfortran::reference* chain) noexcept;

}  // namespace atl::coarray
