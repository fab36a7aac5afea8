// SPDX-License-Identifier: BSD-3-Clause
//
// One element x[p]%a(i) of a component that is an allocatable or pointer array of one dimension,
// where all memory on the way to it is mapped. Programs that read a mesh through indices call this
// for each element, and wait for memory most of the time; the processor waits for several elements
// at once if each takes few instructions. So this is inlined into the function that the compiler
// calls, without a loop over the chain. All other chains go to reference.hpp.
#pragma once

#include <front/coarray/access/access.hpp>
#include <front/coarray/access/reference.hpp>

#include <cstddef>
#include <cstdint>
#include <cstring>

namespace atl::coarray {

/// Whether a chain is a component with a descriptor, and one index into its array.
[[gnu::always_inline]] inline bool is_indexed_component(const gfortran::reference& first) noexcept {
  static constexpr gfortran::subscript_mode one_index[]{gfortran::subscript_mode::single,
                                                        gfortran::subscript_mode::end};
  const gfortran::reference* const second = first.next;
  return first.kind == gfortran::reference_kind::component && first.component.token_offset != 0 &&
         second != nullptr && second->kind == gfortran::reference_kind::array &&
         second->next == nullptr &&
         std::memcmp(second->array.mode, one_index, sizeof one_index) == 0;
}

/// The address in this process of the element that one value of this image is assigned to or from.
/// Null where the chain has another form, the types differ, or something is not mapped. A
/// descriptor that begins in the heaps can be read whole, because it is part of an object there.
[[gnu::always_inline]] inline std::byte* find_element(const gfortran::array_descriptor& value,
                                                      int kind, const referenced& remote) noexcept {
  const gfortran::array_type& type = value.dtype;
  if (type.rank != 0 || type.type != remote.type || kind != remote.kind) return nullptr;
  const gfortran::reference& component = *remote.chain;
  if (!is_indexed_component(component)) return nullptr;
  const gfortran::reference& index = *component.next;
  const process_state& us = *the_process;
  const atl::team& images = *us.current->core;
  const auto member = static_cast<rank_id>(remote.image - 1);
  if (member >= images.size() || index.item_bytes != type.element_bytes) return nullptr;
  const route& way = us.heaps.routes()[images.job_rank(member)];
  const auto offset = static_cast<std::uintptr_t>(remote.object->memory - us.heap_base +
                                                  component.component.offset);
  if (atoll_route_reaches(&way, offset, sizeof(std::byte*)) == 0) return nullptr;
  const auto& array = *reinterpret_cast<const gfortran::array_descriptor*>(way.local + offset);
  const std::ptrdiff_t item = static_cast<std::ptrdiff_t>(type.element_bytes);
  const std::ptrdiff_t span = array.span != 0 ? array.span : item;
  const std::ptrdiff_t distance =
      (index.array.dim[0].triplet.start - array.dim[0].lower) * array.dim[0].stride * span;
  // A value of more than a word, or none, is left to the general function.
  if (type.element_bytes - 1 >= sizeof(std::uint64_t) || value.data == nullptr) return nullptr;
  return reinterpret_cast<std::byte*>(
      atoll_route_find_inline(&way, array.data + distance, sizeof(std::uint64_t)));
}

}  // namespace atl::coarray
