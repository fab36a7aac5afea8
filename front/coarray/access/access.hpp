// SPDX-License-Identifier: BSD-3-Clause
//
// Reading and writing sections in the memory of an image. Where loads and stores reach all of the
// section this is one loop over both sides, which also converts. Elsewhere the data travels packed,
// and is converted on this side. Both are complete on return.
//
// Reads throw lost_image if the image has failed; a write then has no effect.
#pragma once

#include <front/coarray/data/section.hpp>
#include <front/coarray/process_state.hpp>

#include <cstddef>
#include <cstring>
#include <memory>

namespace atl::coarray {

/// Copies one element; elements of the sizes of most numbers by a load and a store.
inline void copy_element(void* to, const void* from, std::size_t bytes) noexcept {
  if (bytes == 8) {
    std::memcpy(to, from, 8);
  } else if (bytes == 4) {
    std::memcpy(to, from, 4);
  } else {
    std::memmove(to, from, bytes);
  }
}

/// The segment in which memory of an image lies, by that image's addresses.
segment& segment_with(process_state& us, rank_id rank, const std::byte* address,
                      std::size_t bytes) noexcept;

/// Copies and converts the section `from` of `rank`, by its addresses, to a section here. Both have
/// the same shape.
void read_section(process_state& us, rank_id rank, const section& to, const section& from);

/// The other way round; where `from` is one element, it goes to all of `to`.
void write_section(process_state& us, rank_id rank, const section& to, const section& from);

/// Memory for packed elements, not initialised.
std::unique_ptr<std::byte[]> make_buffer(std::size_t bytes);

/// Bytes at an address of `rank`, anywhere in its memory.
void read_bytes(process_state& us, rank_id rank, void* to, const std::byte* from,
                std::size_t bytes);

/// Writes bytes there; complete at the next image control statement, or when they are read.
void write_bytes(process_state& us, rank_id rank, std::byte* to, const void* from,
                 std::size_t bytes) noexcept;

/// Ends the job when the sections cannot be assigned to each other. Where `from` has more elements
/// than `to` it is cut to the first of them: the standard forbids that, but other coarray libraries
/// accept it, and programs do it.
void conform(const char* call, const section& to, section& from) noexcept;

}  // namespace atl::coarray
