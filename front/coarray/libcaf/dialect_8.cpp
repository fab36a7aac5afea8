// SPDX-License-Identifier: BSD-3-Clause
//
// Coindexed objects as gfortran 8 to 14 calls for them with -fcoarray=lib: by descriptors, and for
// components by chains of references. Names and orders of arguments, and nothing else.
#include <front/coarray/access/element_access.hpp>
#include <front/coarray/access/reference.hpp>
#include <front/coarray/access/transfer.hpp>
#include <front/coarray/libcaf/team_argument.hpp>

namespace caf = atl::coarray;
using caf::gfortran::array_descriptor;
using caf::gfortran::reference;
using caf::gfortran::subscripts;
using caf::gfortran::type_code;

namespace {

// The arguments of the next two are in the order of their callers, so that they stay in their
// registers.

[[gnu::noinline]] void get_by_reference(caf::coarray* token, int image, array_descriptor* target,
                                        const reference* chain, int target_kind, int source_kind,
                                        bool may_allocate, int* stat, type_code type) noexcept {
  const caf::local_side to{target, target_kind};
  const caf::referenced from{token, image, chain, source_kind, type};
  if (stat == nullptr) return caf::get_by_reference(to, from, may_allocate);
  caf::get_by_reference(to, from, may_allocate, *stat);
}

[[gnu::noinline]] void send_by_reference(caf::coarray* token, int image, array_descriptor* source,
                                         const reference* chain, int target_kind, int source_kind,
                                         int* stat, type_code type) noexcept {
  const caf::referenced to{token, image, chain, target_kind, type};
  const caf::local_side from{source, source_kind};
  if (stat == nullptr) return caf::send_by_reference(to, from);
  caf::send_by_reference(to, from, *stat);
}

}  // namespace

// NOLINTBEGIN(readability-identifier-naming): the names are not ours

extern "C" {

int _gfortran_caf_is_present(caf::coarray* token, int image, const reference* chain) {
  return caf::is_present(*token, image, chain) ? 1 : 0;
}

void _gfortran_caf_get(caf::coarray* token, std::size_t offset, int image, array_descriptor* source,
                       const subscripts* source_vectors, array_descriptor* target, int source_kind,
                       int target_kind, bool, int* stat) {
  if (stat != nullptr) [[unlikely]] {
    return caf::get({target, target_kind},
                    {token, offset, image, source, source_vectors, source_kind}, *stat);
  }
  caf::get({target, target_kind}, {token, offset, image, source, source_vectors, source_kind});
}

void _gfortran_caf_send(caf::coarray* token, std::size_t offset, int image,
                        array_descriptor* target, const subscripts* target_vectors,
                        array_descriptor* source, int target_kind, int source_kind, bool, int* stat,
                        caf::image_team** team) {
  const caf::coindexed to{
      token, offset, image, target, target_vectors, target_kind, caf::team_at(team)};
  const caf::local_side from{source, source_kind};
  if (stat == nullptr) [[likely]]
    return caf::send(to, from);
  caf::send(to, from, *stat);
}

void _gfortran_caf_sendget(caf::coarray* target_token, std::size_t target_offset, int target_image,
                           array_descriptor* target, const subscripts* target_vectors,
                           caf::coarray* source_token, std::size_t source_offset, int source_image,
                           array_descriptor* source, const subscripts* source_vectors,
                           int target_kind, int source_kind, bool, int* stat) {
  caf::sendget({target_token, target_offset, target_image, target, target_vectors, target_kind},
               {source_token, source_offset, source_image, source, source_vectors, source_kind},
               stat);
}

void _gfortran_caf_get_by_ref(caf::coarray* token, int image, array_descriptor* target,
                              const reference* chain, int target_kind, int source_kind, bool,
                              bool may_allocate, int* stat, int source_type) {
  const auto type = static_cast<type_code>(source_type);
  const std::byte* mapped = nullptr;
  if (stat == nullptr) [[likely]]
    mapped = caf::find_element(*target, target_kind, {token, image, chain, source_kind, type});
  if (mapped != nullptr) [[likely]] {
    caf::copy_element(target->data, mapped, target->dtype.element_bytes);
    atl::fence_loads();
    return;
  }
  get_by_reference(token, image, target, chain, target_kind, source_kind, may_allocate, stat, type);
}

void _gfortran_caf_send_by_ref(caf::coarray* token, int image, array_descriptor* source,
                               const reference* chain, int target_kind, int source_kind, bool, bool,
                               int* stat, int target_type) {
  const auto type = static_cast<type_code>(target_type);
  std::byte* mapped = nullptr;
  if (stat == nullptr) [[likely]]
    mapped = caf::find_element(*source, source_kind, {token, image, chain, target_kind, type});
  if (mapped != nullptr) [[likely]] {
    caf::copy_element(mapped, source->data, source->dtype.element_bytes);
    atl::fence_stores();
    return;
  }
  send_by_reference(token, image, source, chain, target_kind, source_kind, stat, type);
}

void _gfortran_caf_sendget_by_ref(caf::coarray* target_token, int target_image,
                                  const reference* target_chain, caf::coarray* source_token,
                                  int source_image, const reference* source_chain, int target_kind,
                                  int source_kind, bool, int* target_stat, int* source_stat,
                                  int target_type, int source_type) {
  caf::sendget_by_reference(
      {target_token, target_image, target_chain, target_kind, static_cast<type_code>(target_type)},
      {source_token, source_image, source_chain, source_kind, static_cast<type_code>(source_type)},
      target_stat, source_stat);
}

// The same for inline code, whose functions have the names above (inline_8.c).

[[gnu::alias("_gfortran_caf_get")]] void atoll_coarray_get(caf::coarray*, std::size_t, int,
                                                           array_descriptor*, const subscripts*,
                                                           array_descriptor*, int, int, bool, int*);
[[gnu::alias("_gfortran_caf_send")]] void atoll_coarray_send(caf::coarray*, std::size_t, int,
                                                             array_descriptor*, const subscripts*,
                                                             array_descriptor*, int, int, bool,
                                                             int*, caf::image_team**);
[[gnu::alias("_gfortran_caf_get_by_ref")]] void atoll_coarray_get_by_ref(caf::coarray*, int,
                                                                         array_descriptor*,
                                                                         const reference*, int, int,
                                                                         bool, bool, int*, int);
[[gnu::alias("_gfortran_caf_send_by_ref")]] void atoll_coarray_send_by_ref(
    caf::coarray*, int, array_descriptor*, const reference*, int, int, bool, bool, int*, int);

}  // extern "C"

// NOLINTEND(readability-identifier-naming)
