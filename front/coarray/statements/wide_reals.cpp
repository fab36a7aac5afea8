// SPDX-License-Identifier: BSD-3-Clause
//
// The formats of reals of 16 bytes. A real of kind 10 has its leading bit, which is 1, in bit 63,
// sign and exponent in the two bytes behind it, and six bytes of padding that may hold anything. A
// real of kind 16 has sign and exponent in its last two bytes. Both have the same bias of
// exponents. Numbers with plausible exponents, those of a double with some room, count as usual.
#include <front/coarray/statements/wide_reals.hpp>

#include <front/coarray/data/section.hpp>
#include <front/coarray/process_state.hpp>
#include <front/coarray/statements/collectives.hpp>
#include <front/coarray/statements/operations.hpp>

#include <array>
#include <cfloat>
#include <cstdint>
#include <cstring>
#include <memory>

namespace atl::coarray {
namespace {

using gfortran::type_code;

constexpr std::size_t real_bytes = 16;
constexpr bool has_kind_10 = LDBL_MANT_DIG == 64;

struct wide_real {
  std::uint64_t significand;  // of kind 10
  std::uint16_t exponent_10;  // with the sign
  std::uint16_t padding;      // of kind 10
  std::uint16_t padding_high;
  std::uint16_t exponent_16;
};
static_assert(sizeof(wide_real) == real_bytes);

constexpr int exponent_bits = 0x7fff;

bool is_usual(std::uint16_t exponent) noexcept {
  constexpr int zero = 16383;
  constexpr int most = 1200;
  const int power = (exponent & exponent_bits) - zero;
  return power >= -most && power <= most;
}

bool has_leading_bit_of_kind_10(const wide_real& number) noexcept {
  return (number.significand >> 63) != 0;
}

/// Whether only kind 10 gives a number that a program may have: as kind 16 it would be below the
/// smallest normal number.
bool is_kind_10(const wide_real& number) noexcept {
  return has_leading_bit_of_kind_10(number) && number.padding == 0 && number.padding_high == 0 &&
         number.exponent_16 == 0;
}

wide_real number_at(const std::byte* reals, std::size_t i) noexcept {
  wide_real number;
  std::memcpy(&number, reals + i * real_bytes, real_bytes);
  return number;
}

bool may_be_kind_10(const gfortran::array_type& type) noexcept {
  if (!has_kind_10) return false;
  return (type.type == type_code::real && type.element_bytes == real_bytes) ||
         (type.type == type_code::complex && type.element_bytes == 2 * real_bytes);
}

/// The sum of the votes of all images.
kind_votes votes_of_team(kind_votes own, const char* call,
                         const status_variables& status) noexcept {
  std::array<std::int64_t, 2> counts{static_cast<std::int64_t>(own.kind_10),
                                     static_cast<std::int64_t>(own.kind_16)};
  constexpr std::size_t bytes = sizeof counts[0];
  gfortran::array_descriptor data{.data = reinterpret_cast<std::byte*>(counts.data()),
                                  .offset = 0,
                                  .dtype = {bytes, 0, 1, type_code::integer, 0},
                                  .span = bytes,
                                  .dim = {{.stride = 1, .lower = 0, .upper = 1}}};
  co_reduce_by(data, call, sum_of(type_code::integer, bytes, bytes), 0, status);
  return {static_cast<std::size_t>(counts[0]), static_cast<std::size_t>(counts[1])};
}

}  // namespace

kind_votes votes_of(const std::byte* reals, std::size_t count) noexcept {
  kind_votes votes;
  for (std::size_t i = 0; i < count; ++i) {
    const wide_real number = number_at(reals, i);
    const bool is_usual_16 = is_usual(number.exponent_16);
    if (has_leading_bit_of_kind_10(number)) {
      ++(is_usual(number.exponent_10) || !is_usual_16 ? votes.kind_10 : votes.kind_16);
    } else if ((number.exponent_10 & exponent_bits) != 0 && is_usual_16) {
      ++votes.kind_16;
    }
  }
  return votes;
}

int kind_of_reals(const gfortran::array_descriptor& data, const char* call,
                  bool program_has_kind_16, const status_variables& status) noexcept {
  if (!may_be_kind_10(data.dtype)) return 0;
  const section given = section_of(data, 1);
  const std::size_t bytes = given.count() * given.item.bytes;
  const std::unique_ptr<std::byte[]> reals(new std::byte[bytes]);
  assign(packed_like(given, reals.get(), given.item), given);
  const std::size_t count = bytes / real_bytes;
  if (program_has_kind_16) {
    for (std::size_t i = 0; i < count; ++i) {
      if (is_kind_10(number_at(reals.get(), i))) {
        refuse(call, "it cannot tell real(10) from real(16) in a program that computes with both",
               "use real(8) or real(16) for this argument");
      }
    }
    return 16;
  }
  const kind_votes votes = votes_of_team(votes_of(reals.get(), count), call, status);
  if (status.stat != nullptr && *status.stat != 0) return -1;
  return votes.kind_10 > votes.kind_16 ? 10 : 16;
}

}  // namespace atl::coarray
