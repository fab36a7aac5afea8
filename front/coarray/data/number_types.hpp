// SPDX-License-Identifier: BSD-3-Clause
//
// The C++ types of Fortran's numbers, by type and kind. Kind 10 of reals is the processor's format
// of 80 bits in 16 bytes.
#pragma once

#include <front/coarray/data/gfortran.hpp>

#include <complex>
#include <cstdint>

namespace atl::coarray {

__extension__ using integer_128 = __int128;
__extension__ using real_128 = __float128;

/// A complex number: two reals one after the other.
template <class Real>
struct complex_number {
  Real re;
  Real im;
};

/// Calls use(zero of the type) and returns true; false for a kind that the library does not know.
template <class Use>
bool with_integer(int kind, Use use) {
  switch (kind) {
    case 1:
      use(std::int8_t{});
      return true;
    case 2:
      use(std::int16_t{});
      return true;
    case 4:
      use(std::int32_t{});
      return true;
    case 8:
      use(std::int64_t{});
      return true;
    case 16:
      use(integer_128{});
      return true;
    default:
      return false;
  }
}

template <class Use>
bool with_real(int kind, Use use) {
  switch (kind) {
    case 4:
      use(float{});
      return true;
    case 8:
      use(double{});
      return true;
    case 10:
      use(static_cast<long double>(0));
      return true;
    case 16:
      use(real_128{});
      return true;
    default:
      return false;
  }
}

/// The same for integers, reals and complex numbers.
template <class Use>
bool with_number(gfortran::type_code type, int kind, Use use) {
  switch (type) {
    case gfortran::type_code::integer:
      return with_integer(kind, use);
    case gfortran::type_code::real:
      return with_real(kind, use);
    case gfortran::type_code::complex:
      return with_real(kind, [&]<class Real>(Real) { use(complex_number<Real>{}); });
    default:
      return false;
  }
}

}  // namespace atl::coarray
