// SPDX-License-Identifier: BSD-3-Clause
//
// One loop per pair of types. Elements may lie at any address, so they are read and written by
// memcpy, which compilers turn into plain moves.
#include <front/coarray/data/convert.hpp>

#include <front/coarray/data/number_types.hpp>

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstring>
#include <memory>
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

/// Writes the parts of a complex number one by one, so that compilers write several numbers at
/// once.
template <class T>
void write_number(std::byte* address, const T& value) noexcept {
  if constexpr (is_complex<T>) {
    write(address, value.re);
    write(address + sizeof value.re, value.im);
  } else {
    write(address, value);
  }
}

/// Calls each(target, source) at the first elements of every row.
template <class Each>
[[gnu::always_inline]] inline void for_each_row(const element_run& to, const element_run& from,
                                                const run_shape& shape, Each each) noexcept {
  std::byte* target = to.first;
  const std::byte* source = from.first;
  for (std::size_t row = 0; row < shape.rows; ++row) {
    each(target, source);
    target += to.row_stride_bytes;
    source += from.row_stride_bytes;
  }
}

/// Converts elements that follow each other to such elements; the compiler takes several at once.
/// It is a separate function, since code that is inlined does not profit from __restrict.
template <class To, class From>
[[gnu::noinline]] void convert_dense(std::byte* __restrict target,
                                     const std::byte* __restrict source,
                                     std::size_t count) noexcept {
  for (std::size_t i = 0; i < count; ++i)
    write_number(target + i * sizeof(To), converted<To>(read<From>(source + i * sizeof(From))));
}

constexpr std::size_t vector_bytes = 16;

bool is_aligned(const std::byte* address) noexcept {
  return reinterpret_cast<std::uintptr_t>(address) % vector_bytes == 0;
}

/// The same where both begin at multiples of the processor's vectors, as most arrays do. There
/// arithmetic instructions load their operands themselves, which saves a third of the loop. An
/// iteration takes several vectors, because a short loop takes two thirds longer where it crosses a
/// line of code.
template <class To, class From>
[[gnu::noinline]] void convert_aligned(std::byte* __restrict target,
                                       const std::byte* __restrict source,
                                       std::size_t count) noexcept {
  std::byte* const to = std::assume_aligned<vector_bytes>(target);
  const std::byte* const from = std::assume_aligned<vector_bytes>(source);
#pragma GCC unroll 4
  for (std::size_t i = 0; i < count; ++i)
    write_number(to + i * sizeof(To), converted<To>(read<From>(from + i * sizeof(From))));
}

/// Real and complex numbers of the usual kinds, for which the second loop justifies its size.
template <class T>
inline constexpr bool is_usual_real = std::is_same_v<T, float> || std::is_same_v<T, double>;
template <class Real>
inline constexpr bool is_usual_real<complex_number<Real>> = is_usual_real<Real>;

template <class To, class From>
void convert_packed(std::byte* target, const std::byte* source, std::size_t count) noexcept {
  if constexpr (is_usual_real<To> && is_usual_real<From>) {
    if (is_aligned(target) && is_aligned(source))
      return convert_aligned<To, From>(target, source, count);
  }
  convert_dense<To, From>(target, source, count);
}

/// The same from every other element. It gathers four at once, because a compiler that loads the
/// elements in between must leave the last ones to another loop.
template <class To, class From>
[[gnu::noinline]] void convert_every_other(std::byte* __restrict target,
                                           const std::byte* __restrict source,
                                           std::size_t count) noexcept {
  constexpr std::size_t step = 2 * sizeof(From);
  std::size_t done = 0;
  for (; done + 4 <= count; done += 4) {
    const std::byte* const first = source + done * step;
    const std::array values{
        converted<To>(read<From>(first)), converted<To>(read<From>(first + step)),
        converted<To>(read<From>(first + 2 * step)), converted<To>(read<From>(first + 3 * step))};
    std::memcpy(target + done * sizeof(To), values.data(), sizeof values);
  }
  for (; done < count; ++done)
    write_number(target + done * sizeof(To), converted<To>(read<From>(source + done * step)));
}

template <class To, class From>
void convert_numbers(const element_run& to, const element_run& from,
                     const run_shape& shape) noexcept {
  const std::size_t count = shape.count;
  const bool is_packed = to.stride_bytes == sizeof(To);
  if (is_packed && from.stride_bytes == sizeof(From)) {
    for_each_row(to, from, shape, [count](std::byte* target, const std::byte* source) {
      convert_packed<To, From>(target, source, count);
    });
  } else if (is_packed && from.stride_bytes == 2 * sizeof(From)) {
    for_each_row(to, from, shape, [count](std::byte* target, const std::byte* source) {
      convert_every_other<To, From>(target, source, count);
    });
  } else {
    const std::ptrdiff_t to_step = to.stride_bytes;
    const std::ptrdiff_t from_step = from.stride_bytes;
    for_each_row(to, from, shape, [=](std::byte* target, const std::byte* source) {
      for (std::size_t i = 0; i < count; ++i) {
        write_number(target, converted<To>(read<From>(source)));
        target += to_step;
        source += from_step;
      }
    });
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

void convert_logicals(const element_run& to, const element_run& from,
                      const run_shape& shape) noexcept {
  for_each_row(to, from, shape, [&](std::byte* target, const std::byte* source) {
    for (std::size_t i = 0; i < shape.count; ++i) {
      std::memset(target, 0, to.item.bytes);
      const bool holds = std::any_of(source, source + from.item.bytes,
                                     [](std::byte part) { return part != std::byte{0}; });
      *target = holds ? std::byte{1} : std::byte{0};  // the least significant byte
      target += to.stride_bytes;
      source += from.stride_bytes;
    }
  });
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
void convert_texts(const element_run& to, const element_run& from,
                   const run_shape& shape) noexcept {
  for_each_row(to, from, shape, [&](std::byte* target, const std::byte* source) {
    for (std::size_t i = 0; i < shape.count; ++i) {
      const auto step = static_cast<std::ptrdiff_t>(i);
      convert_text<To, From>(target + step * to.stride_bytes, to.item.bytes / sizeof(To),
                             source + step * from.stride_bytes, from.item.bytes / sizeof(From));
    }
  });
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

void copy_elements(const element_run& to, const element_run& from,
                   const run_shape& shape) noexcept {
  const std::size_t bytes = to.item.bytes;
  const auto dense = static_cast<std::ptrdiff_t>(bytes);
  const bool is_dense = to.stride_bytes == dense && from.stride_bytes == dense;
  for_each_row(to, from, shape, [&](std::byte* target, const std::byte* source) {
    if (is_dense) {
      std::memcpy(target, source, shape.count * bytes);
      return;
    }
    for (std::size_t i = 0; i < shape.count; ++i) {
      std::memcpy(target, source, bytes);
      target += to.stride_bytes;
      source += from.stride_bytes;
    }
  });
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
