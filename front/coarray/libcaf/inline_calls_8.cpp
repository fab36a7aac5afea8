// SPDX-License-Identifier: BSD-3-Clause
//
// The calls of a program's inline code (inline_8.c) for scalars that it does not copy itself: those
// of images that are not mapped, with other types on the two sides, or in chains of another form.
// Scalars come by value and get a descriptor here.
#include <atoll_coarray/gfortran_8.h>
#include <front/coarray/access/reference.hpp>
#include <front/coarray/access/transfer.hpp>

#include <type_traits>

namespace caf = atl::coarray;
using caf::gfortran::array_descriptor;
using caf::gfortran::reference;
using caf::gfortran::type_code;

namespace {

// Inline code and the library read the same objects.
static_assert(offsetof(atoll_coarray_descriptor, element_bytes) ==
              offsetof(array_descriptor, dtype.element_bytes));
static_assert(offsetof(atoll_coarray_descriptor, type) == offsetof(array_descriptor, dtype.type));
static_assert(offsetof(atoll_coarray_descriptor, rank) == offsetof(array_descriptor, dtype.rank));
static_assert(offsetof(atoll_coarray_descriptor, span) == offsetof(array_descriptor, span));
static_assert(offsetof(atoll_coarray_descriptor, dim) == offsetof(array_descriptor, dim));
static_assert(sizeof(atoll_coarray_descriptor) == sizeof(array_descriptor));
static_assert(offsetof(atoll_coarray_reference, part) == offsetof(reference, component));
static_assert(offsetof(atoll_coarray_reference, part.array.dim) == offsetof(reference, array.dim));
static_assert(sizeof(atoll_coarray_reference) == sizeof(reference));
static_assert(std::is_standard_layout_v<caf::coarray> && offsetof(caf::coarray, memory) == 0);
static_assert(static_cast<int>(type_code::complex) == ATOLL_COARRAY_COMPLEX);
static_assert(static_cast<int>(caf::gfortran::subscript_mode::single) ==
              ATOLL_COARRAY_ONE_SUBSCRIPT);

array_descriptor described(const atoll_coarray_value& scalar) noexcept {
  array_descriptor made;
  made.data = reinterpret_cast<std::byte*>(scalar.data);
  made.offset = 0;
  made.dtype = {scalar.bytes, 0, 0, static_cast<type_code>(scalar.type), 0};
  made.span = static_cast<std::ptrdiff_t>(scalar.bytes);
  return made;
}

const caf::coarray* object_of(const atoll_coarray_token* token) noexcept {
  return reinterpret_cast<const caf::coarray*>(token);
}

const reference* chain_from(const atoll_coarray_reference& first) noexcept {
  return reinterpret_cast<const reference*>(&first);
}

}  // namespace

extern "C" {

void atoll_coarray_get_value(atoll_coarray_token* token, std::size_t offset, int image,
                             atoll_coarray_value source, atoll_coarray_value target) {
  const array_descriptor from = described(source);
  array_descriptor to = described(target);
  caf::get({&to, target.kind}, {object_of(token), offset, image, &from, nullptr, source.kind});
}

void atoll_coarray_send_value(atoll_coarray_token* token, std::size_t offset, int image,
                              atoll_coarray_value target, atoll_coarray_value source) {
  const array_descriptor to = described(target);
  array_descriptor from = described(source);
  caf::send({object_of(token), offset, image, &to, nullptr, target.kind}, {&from, source.kind});
}

void atoll_coarray_get_part(atoll_coarray_token* token, int image, atoll_coarray_value target,
                            atoll_coarray_reference chain, int source_kind, int source_type) {
  array_descriptor to = described(target);
  caf::get_by_reference({&to, target.kind},
                        {object_of(token), image, chain_from(chain), source_kind,
                         static_cast<type_code>(source_type)},
                        false);
}

void atoll_coarray_send_part(atoll_coarray_token* token, int image, atoll_coarray_value source,
                             atoll_coarray_reference chain, int target_kind, int target_type) {
  array_descriptor from = described(source);
  caf::send_by_reference({object_of(token), image, chain_from(chain), target_kind,
                          static_cast<type_code>(target_type)},
                         {&from, source.kind});
}

}  // extern "C"
