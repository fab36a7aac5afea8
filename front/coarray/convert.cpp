// SPDX-License-Identifier: BSD-3-Clause
//
// One loop per pair of types. Elements may lie at any address, so they are read and written by
// memcpy, which compilers turn into plain moves.
#include <front/coarray/convert.hpp>

#include <front/coarray/number_types.hpp>

#include <algorithm>
#include <cstring>
#include <type_traits>

namespace atl::coarray {
namespace {

template <class T>
T read(const std::byte* address) noexcept {
  T value;
  std::memcpy(&value, address, sizeof value);
  return value;
}

template <class T>
void write(std::byte* address, const T& value) noexcept {
  std::memcpy(address, &value, sizeof value);
}

// --- numbers

template <class T>
inline constexpr bool is_complex = false;
template <class Real>
inline constexpr bool is_complex<complex_number<Real>> = true;

template <class To, class From>
To converted(const From& value) noexcept {
  if constexpr (is_complex<To> && is_complex<From>) {
    using real = decltype(To::re);
    return {static_cast<real>(value.re), static_cast<real>(value.im)};
  } else if constexpr (is_complex<To>) {
    using real = decltype(To::re);
    return {static_cast<real>(value), real{}};
  } else if constexpr (is_complex<From>) {
    return static_cast<To>(value.re);
  } else {
    return static_cast<To>(value);
  }
}

/// The parts of a complex number one by one: then several numbers are written at once.
template <class T>
void write_number(std::byte* address, const T& value) noexcept {
  if constexpr (is_complex<T>) {
    write(address, value.re);
    write(address + sizeof value.re, value.im);
  } else {
    write(address, value);
  }
}

/// To elements one behind the other; the compiler knows the distances, and takes several at once.
template <class To, class From, std::size_t FromStep>
void convert_dense(std::byte* __restrict target, const std::byte* __restrict source,
                   std::size_t count) noexcept {
  for (std::size_t i = 0; i < count; ++i)
    write_number(target + i * sizeof(To), converted<To>(read<From>(source + i * FromStep)));
}

template <class To, class From>
void convert_numbers(const element_run& to, const element_run& from, std::size_t count) noexcept {
  if (to.stride_bytes == sizeof(To)) {
    if (from.stride_bytes == sizeof(From))
      return convert_dense<To, From, sizeof(From)>(to.first, from.first, count);
    if (from.stride_bytes == 2 * sizeof(From))
      return convert_dense<To, From, 2 * sizeof(From)>(to.first, from.first, count);
  }
  std::byte* target = to.first;
  const std::byte* source = from.first;
  for (std::size_t i = 0; i < count; ++i) {
    write_number(target, converted<To>(read<From>(source)));
    target += to.stride_bytes;
    source += from.stride_bytes;
  }
}

bool is_number(const element& item) noexcept {
  return item.type == gfortran::type_code::integer || item.type == gfortran::type_code::real ||
         item.type == gfortran::type_code::complex;
}

convert_function find_numbers(const element& to, const element& from) noexcept {
  convert_function found = nullptr;
  with_number(to.type, to.kind, [&]<class To>(To) {
    with_number(from.type, from.kind, [&]<class From>(From) { found = convert_numbers<To, From>; });
  });
  return found;
}

// --- logicals

void convert_logicals(const element_run& to, const element_run& from, std::size_t count) noexcept {
  std::byte* target = to.first;
  const std::byte* source = from.first;
  for (std::size_t i = 0; i < count; ++i) {
    std::memset(target, 0, to.item.bytes);
    const bool holds = std::any_of(source, source + from.item.bytes,
                                   [](std::byte part) { return part != std::byte{0}; });
    *target = holds ? std::byte{1} : std::byte{0};  // the least significant byte
    target += to.stride_bytes;
    source += from.stride_bytes;
  }
}

// --- characters

constexpr std::uint32_t not_representable = '?';

template <class To, class From>
void convert_text(std::byte* to, std::size_t to_length, const std::byte* from,
                  std::size_t from_length) noexcept {
  for (std::size_t i = 0; i < to_length; ++i) {
    std::uint32_t letter = i < from_length ? read<From>(from + i * sizeof(From)) : ' ';
    if (sizeof(To) < sizeof(From) && letter > 255) letter = not_representable;
    write(to + i * sizeof(To), static_cast<To>(letter));
  }
}

template <class To, class From>
void convert_texts(const element_run& to, const element_run& from, std::size_t count) noexcept {
  for (std::size_t i = 0; i < count; ++i) {
    const auto step = static_cast<std::ptrdiff_t>(i);
    convert_text<To, From>(to.first + step * to.stride_bytes, to.item.bytes / sizeof(To),
                           from.first + step * from.stride_bytes, from.item.bytes / sizeof(From));
  }
}

convert_function find_texts(const element& to, const element& from) noexcept {
  if (to.kind == 4) {
    return from.kind == 4 ? convert_texts<std::uint32_t, std::uint32_t>
                          : convert_texts<std::uint32_t, std::uint8_t>;
  }
  return from.kind == 4 ? convert_texts<std::uint8_t, std::uint32_t>
                        : convert_texts<std::uint8_t, std::uint8_t>;
}

// --- elements of one type

void copy_elements(const element_run& to, const element_run& from, std::size_t count) noexcept {
  const auto bytes = static_cast<std::ptrdiff_t>(to.item.bytes);
  if (to.stride_bytes == bytes && from.stride_bytes == bytes) {
    std::memcpy(to.first, from.first, count * to.item.bytes);
    return;
  }
  std::byte* target = to.first;
  const std::byte* source = from.first;
  for (std::size_t i = 0; i < count; ++i) {
    std::memcpy(target, source, to.item.bytes);
    target += to.stride_bytes;
    source += from.stride_bytes;
  }
}

}  // namespace

convert_function find_conversion(const element& to, const element& from) noexcept {
  if (to.is_same(from)) return copy_elements;
  if (is_number(to) && is_number(from)) return find_numbers(to, from);
  if (to.type != from.type) return nullptr;
  if (to.type == gfortran::type_code::character) return find_texts(to, from);
  if (to.type == gfortran::type_code::logical) return convert_logicals;
  return nullptr;
}

}  // namespace atl::coarray
