// SPDX-License-Identifier: BSD-3-Clause
//
// One loop per operation and type. The user's function is called for each pair of elements, as the
// compiler calls such a function; it may be associative only.
#include <front/coarray/statements/operations.hpp>

#include <front/coarray/data/number_types.hpp>

#include <cstdint>
#include <cstring>

namespace atl::coarray {
namespace {

using gfortran::type_code;

/// The kind of a number of so many bytes.
int kind_of(type_code type, std::size_t bytes) noexcept {
  return static_cast<int>(type == type_code::complex ? bytes / 2 : bytes);
}

template <class T>
T add(const T& a, const T& b) noexcept {
  return static_cast<T>(a + b);
}
template <class Real>
complex_number<Real> add(const complex_number<Real>& a, const complex_number<Real>& b) noexcept {
  return {a.re + b.re, a.im + b.im};
}
// Sums of integers wrap.
template <class T, class Bits>
T add_bits(T a, T b) noexcept {
  return static_cast<T>(static_cast<Bits>(a) + static_cast<Bits>(b));
}
std::int8_t add(std::int8_t a, std::int8_t b) noexcept {
  return add_bits<std::int8_t, unsigned>(a, b);
}
std::int16_t add(std::int16_t a, std::int16_t b) noexcept {
  return add_bits<std::int16_t, unsigned>(a, b);
}
std::int32_t add(std::int32_t a, std::int32_t b) noexcept {
  return add_bits<std::int32_t, std::uint32_t>(a, b);
}
std::int64_t add(std::int64_t a, std::int64_t b) noexcept {
  return add_bits<std::int64_t, std::uint64_t>(a, b);
}
__extension__ using bits_128 = unsigned __int128;
integer_128 add(integer_128 a, integer_128 b) noexcept {
  return add_bits<integer_128, bits_128>(a, b);
}

template <class T>
void sum(const void* a, void* b, std::size_t count, const void*) {
  const T* const first = static_cast<const T*>(a);
  T* const second = static_cast<T*>(b);
  for (std::size_t i = 0; i < count; ++i) second[i] = add(first[i], second[i]);
}

template <class T, extreme which>
void take_extreme(const void* a, void* b, std::size_t count, const void*) {
  const T* const first = static_cast<const T*>(a);
  T* const second = static_cast<T*>(b);
  for (std::size_t i = 0; i < count; ++i) {
    const bool is_first = which == extreme::least ? first[i] < second[i] : second[i] < first[i];
    if (is_first) second[i] = first[i];
  }
}

// --- characters

std::uint32_t letter_at(const std::byte* text, std::size_t i, std::size_t letter_bytes) noexcept {
  if (letter_bytes == 1) return std::to_integer<std::uint32_t>(text[i]);
  std::uint32_t letter;
  std::memcpy(&letter, text + i * sizeof letter, sizeof letter);
  return letter;
}

bool is_before(const std::byte* a, const std::byte* b, const text_shape& shape) noexcept {
  for (std::size_t i = 0; i < shape.length; ++i) {
    const std::uint32_t left = letter_at(a, i, shape.letter_bytes);
    const std::uint32_t right = letter_at(b, i, shape.letter_bytes);
    if (left != right) return left < right;
  }
  return false;
}

template <extreme which>
void take_extreme_text(const void* a, void* b, std::size_t count, const void* context) {
  const auto& shape = *static_cast<const text_shape*>(context);
  const std::size_t bytes = shape.length * shape.letter_bytes;
  for (std::size_t i = 0; i < count; ++i) {
    const std::byte* const first = static_cast<const std::byte*>(a) + i * bytes;
    std::byte* const second = static_cast<std::byte*>(b) + i * bytes;
    const bool is_first =
        which == extreme::least ? is_before(first, second, shape) : is_before(second, first, shape);
    if (is_first) std::memcpy(second, first, bytes);
  }
}

// --- the user's function

template <class T>
void call_with_values(const void* a, void* b, std::size_t count, const void* context) {
  const auto function =
      reinterpret_cast<T (*)(T, T)>(static_cast<const user_context*>(context)->function);
  const T* const first = static_cast<const T*>(a);
  T* const second = static_cast<T*>(b);
  for (std::size_t i = 0; i < count; ++i) second[i] = function(first[i], second[i]);
}

template <class T>
void call_with_addresses(const void* a, void* b, std::size_t count, const void* context) {
  const auto function = reinterpret_cast<T (*)(const T*, const T*)>(
      static_cast<const user_context*>(context)->function);
  const T* const first = static_cast<const T*>(a);
  T* const second = static_cast<T*>(b);
  for (std::size_t i = 0; i < count; ++i) second[i] = function(first + i, second + i);
}

// The result goes to separate memory, since the function may write it before it reads.
template <class Call>
void call_to_memory(const void* a, void* b, std::size_t count, const user_context& user,
                    Call call) {
  std::byte* const result = new std::byte[user.element_bytes];
  for (std::size_t i = 0; i < count; ++i) {
    const std::byte* const first = static_cast<const std::byte*>(a) + i * user.element_bytes;
    std::byte* const second = static_cast<std::byte*>(b) + i * user.element_bytes;
    call(result, first, second);
    std::memcpy(second, result, user.element_bytes);
  }
  delete[] result;
}

void call_on_texts(const void* a, void* b, std::size_t count, const void* context) {
  using text_function = void (*)(std::byte*, std::size_t, const std::byte*, const std::byte*,
                                 std::size_t, std::size_t);
  const auto& user = *static_cast<const user_context*>(context);
  const auto function = reinterpret_cast<text_function>(user.function);
  call_to_memory(a, b, count, user,
                 [&](std::byte* result, const std::byte* first, const std::byte* second) {
                   function(result, user.length, first, second, user.length, user.length);
                 });
}

// A structure of more than 16 bytes is returned in memory whose address is the first argument on
// x86-64.
void call_on_structures(const void* a, void* b, std::size_t count, const void* context) {
  using structure_function = void* (*)(std::byte*, const std::byte*, const std::byte*);
  const auto& user = *static_cast<const user_context*>(context);
  const auto function = reinterpret_cast<structure_function>(user.function);
  call_to_memory(a, b, count, user,
                 [&](std::byte* result, const std::byte* first, const std::byte* second) {
                   function(result, first, second);
                 });
}

constexpr bool returns_structures_in_memory =
#ifdef __x86_64__
    true;
#else
    false;
#endif
constexpr std::size_t register_bytes = 16;

}  // namespace

coll::reduction sum_of(type_code type, std::size_t element_bytes, int kind) noexcept {
  if (kind == 0) kind = kind_of(type, element_bytes);
  coll::reduction made{.element_bytes = element_bytes};
  with_number(type, kind, [&]<class T>(T) { made.combine = sum<T>; });
  return made;
}

coll::reduction extreme_of(extreme which, type_code type, std::size_t element_bytes,
                           int kind) noexcept {
  if (kind == 0) kind = kind_of(type, element_bytes);
  coll::reduction made{.element_bytes = element_bytes};
  const auto choose = [&]<class T>(T) {
    made.combine = which == extreme::least ? take_extreme<T, extreme::least>
                                           : take_extreme<T, extreme::greatest>;
  };
  if (type == type_code::integer) with_integer(kind, choose);
  if (type == type_code::real) with_real(kind, choose);
  return made;
}

coll::reduction extreme_of_texts(extreme which, std::size_t element_bytes,
                                 const text_shape& shape) noexcept {
  return {.element_bytes = element_bytes,
          .combine = which == extreme::least ? take_extreme_text<extreme::least>
                                             : take_extreme_text<extreme::greatest>,
          .context = &shape};
}

coll::reduction reduction_by_user(const user_operation& operation, type_code type,
                                  const user_context& context) noexcept {
  coll::reduction made{
      .element_bytes = context.element_bytes, .context = &context, .commutative = false};
  const bool by_value = (operation.flags & user_operation::arguments_value) != 0;
  if ((operation.flags & user_operation::by_descriptor) != 0) return made;
  if (type == type_code::character) {
    made.combine = call_on_texts;
  } else if (type == type_code::derived) {
    if (returns_structures_in_memory && context.element_bytes > register_bytes && !by_value)
      made.combine = call_on_structures;
  } else {
    const type_code number = type == type_code::logical ? type_code::integer : type;
    const int kind = operation.kind != 0 ? operation.kind : kind_of(number, context.element_bytes);
    with_number(number, kind, [&]<class T>(T) {
      made.combine = by_value ? call_with_values<T> : call_with_addresses<T>;
    });
  }
  return made;
}

}  // namespace atl::coarray
