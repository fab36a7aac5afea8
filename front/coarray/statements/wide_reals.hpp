// SPDX-License-Identifier: BSD-3-Clause
//
// Reals of 16 bytes. gfortran tells the collective subroutines how many bytes a real takes, but not
// whether these are kind 16 or kind 10, the format of 80 bits that x86 processors compute with. Two
// things tell them apart: a program that computes with kind 16 has functions for that linked into
// it, and the bits of most numbers of one kind make no sensible number of the other.
#pragma once

#include <front/coarray/data/gfortran.hpp>
#include <front/coarray/status.hpp>

#include <cstddef>

namespace atl::coarray {

/// The numbers of elements that are likely to be of one kind and of the other. Elements that could
/// be both count for neither.
struct kind_votes {
  std::size_t kind_10 = 0;
  std::size_t kind_16 = 0;
};

/// The votes of `count` reals of 16 bytes each.
kind_votes votes_of(const std::byte* reals, std::size_t count) noexcept;

/// The kind of the reals of a collective subroutine's argument, the same on all images of the
/// current team; 0 where it follows from their size. Ends the program where it uses both kinds and
/// numbers of kind 10 are seen. -1: an image has stopped or failed, and `status` says so.
int kind_of_reals(const gfortran::array_descriptor& data, const char* call,
                  bool program_has_kind_16, const status_variables& status) noexcept;

}  // namespace atl::coarray
