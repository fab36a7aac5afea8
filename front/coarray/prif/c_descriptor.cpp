// SPDX-License-Identifier: BSD-3-Clause
//
// Types in the descriptors of two compilers. gfortran's code has the type in its low byte and the
// kind above it; flang numbers the types of C one by one.
#include <front/coarray/prif/c_descriptor.hpp>

#include <cstring>

namespace atl::coarray::prif {
namespace {

using gfortran::type_code;

constexpr std::int32_t version_of_gfortran = 1;

element_type type_of_gfortran(const c_descriptor& array) noexcept {
  std::int16_t code;
  std::memcpy(&code, array.compiler_words + 1, sizeof code);
  if (code < 0) return {type_code::unknown};
  const int kind = code >> 8;
  switch (code & 0xff) {
    case 1:
      return {type_code::integer, kind};
    case 2:
      return {type_code::logical, kind};
    case 3:
      return {type_code::real};  // real(10) comes as real(16)
    case 4:
      return {type_code::complex};
    case 5:
      return {type_code::character, kind};
    default:
      return {type_code::derived};
  }
}

element_type type_of_flang(const c_descriptor& array) noexcept {
  static constexpr int extended_real = 29;
  static constexpr int extended_complex = 36;
  const int code = static_cast<std::int8_t>(array.compiler_words[0]);
  if (code >= 1 && code <= 24) return {type_code::integer};
  if (code == extended_real) return {type_code::real, 10};
  if (code == extended_complex) return {type_code::complex, 10};
  if (code >= 25 && code <= 31) return {type_code::real};
  if (code >= 32 && code <= 38) return {type_code::complex};
  if (code == 39) return {type_code::logical};
  if (code == 40) return {type_code::character, 1};
  if (code == 44) return {type_code::character, 4};
  return {type_code::derived};
}

}  // namespace

element_type type_of(const c_descriptor& array) noexcept {
  return array.version == version_of_gfortran ? type_of_gfortran(array) : type_of_flang(array);
}

gfortran::array_descriptor described(const c_descriptor& array) noexcept {
  gfortran::array_descriptor made{};
  made.data = array.base;
  made.dtype = {array.element_bytes, 0, static_cast<std::int8_t>(array.rank), type_of(array).code,
                0};
  made.span = 1;
  for (int d = 0; d < array.rank; ++d)
    made.dim[d] = {array.dim[d].stride_bytes, 1, array.dim[d].extent};
  return made;
}

gfortran::array_descriptor described(void* base, std::size_t element_bytes,
                                     std::size_t count) noexcept {
  gfortran::array_descriptor made{};
  made.data = static_cast<std::byte*>(base);
  made.dtype = {element_bytes, 0, 1, type_code::derived, 0};
  made.span = static_cast<std::ptrdiff_t>(element_bytes);
  made.dim[0] = {1, 1, static_cast<std::ptrdiff_t>(count)};
  return made;
}

}  // namespace atl::coarray::prif
