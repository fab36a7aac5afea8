// SPDX-License-Identifier: BSD-3-Clause
//
// Collective subroutines on the current team. If `result_image` is 0 all images get the result.
// Arrays that are not contiguous are packed.
#pragma once

#include <atoll/coll/reduction.hpp>
#include <front/coarray/data/gfortran.hpp>
#include <front/coarray/status.hpp>

namespace atl::coarray {

enum class extreme { least, greatest };

/// The user's operation of CO_REDUCE, and the way in which the compiler calls it.
struct user_operation {
  static constexpr int by_reference = 1;     // the result is the first argument
  static constexpr int hidden_length = 2;    // characters have lengths behind the arguments
  static constexpr int arguments_value = 4;  // arguments are passed by value
  static constexpr int by_descriptor = 8;

  void* function;
  int flags;
  int kind = 0;  // of numbers; 0: it follows from their size
};

void co_broadcast(gfortran::array_descriptor& data, int source_image,
                  const status_variables& status) noexcept;

/// Whether the compiler has not set the span of a descriptor, so that it may hold anything. That
/// happens for CO_BROADCAST of an object of a derived type, in the descriptors of its allocatable
/// arrays, whose elements follow each other. To be called by the image that has the argument.
bool lacks_span(const gfortran::array_descriptor& data) noexcept;

/// `kind` of numbers; 0: it follows from their size.
void co_sum(gfortran::array_descriptor& data, int result_image, int kind,
            const status_variables& status) noexcept;

/// Any reduction. False where it never ends, because an image has stopped; it then needs its
/// context for ever.
bool co_reduce_by(gfortran::array_descriptor& data, const char* call,
                  const coll::reduction& combiner, int result_image,
                  const status_variables& status) noexcept;

/// For numbers the kind, as for CO_SUM; for characters their length.
struct ordered_type {
  int kind = 0;
  int length = 0;
};
void co_extreme(gfortran::array_descriptor& data, extreme which, int result_image,
                const ordered_type& type, const status_variables& status) noexcept;

/// `length`: that of characters, in characters.
void co_reduce(gfortran::array_descriptor& data, const user_operation& operation, int result_image,
               int length, const status_variables& status) noexcept;

}  // namespace atl::coarray
