// SPDX-License-Identifier: BSD-3-Clause
//
// From a symmetric address of this PE to the same object of another one. Two ranges are symmetric:
// the symmetric heap, which lies at the same offset of the heaps' segment on every PE, and the
// static variables of the program, which are a segment of their own. An object has the same offset
// in its range on every PE.
#pragma once

#include <front/shmem/process_state.hpp>

#include <cstddef>
#include <cstdint>

namespace atl::shmem {

/// An object of another PE: segment, job rank, and the address there by that rank's own mapping.
struct remote_object {
  segment* memory;
  rank_id rank;
  std::byte* address;
};

/// Ends the job with a message that names the call, the PE and the address.
[[noreturn]] void refuse_pe(const char* call, int pe, int pes) noexcept;
[[noreturn]] void refuse_address(const char* call, const volatile void* address,
                                 std::size_t bytes) noexcept;
[[noreturn]] void refuse_other_program(const char* call, const volatile void* address,
                                       rank_id rank) noexcept;

/// The segment and the offset of a symmetric address; the segment is null for any other address.
struct symmetric_offset {
  segment* memory = nullptr;
  std::size_t offset = 0;
};
inline symmetric_offset offset_of(process_state& us, const volatile void* address) noexcept {
  const auto number = reinterpret_cast<std::uintptr_t>(address);
  const std::size_t in_heap =
      number - reinterpret_cast<std::uintptr_t>(us.heaps.part(us.runtime.rank()).base);
  if (in_heap < us.heap_bytes) return {&us.heaps, in_heap};
  const std::size_t in_data = number - us.data.begin;
  if (in_data < us.data.bytes()) return {us.statics.get(), in_data};
  return {};
}

/// The object of PE `pe` of the world, of `bytes` bytes. Afterwards the PE's row is written.
inline remote_object find_place(process_state& us, const char* call, const volatile void* address,
                                std::size_t bytes, int pe) noexcept {
  const auto rank = static_cast<rank_id>(pe);
  if (rank >= us.runtime.size()) [[unlikely]]
    refuse_pe(call, pe, static_cast<int>(us.runtime.size()));
  const symmetric_offset found = offset_of(us, address);
  if (found.memory == nullptr) [[unlikely]]
    refuse_address(call, address, bytes);
  std::byte* const base = found.memory->part(rank).base;
  if (base == nullptr) [[unlikely]]
    refuse_other_program(call, address, rank);
  if (us.rows[rank].asleep == nullptr) [[unlikely]]
    write_row(us, rank);
  return {found.memory, rank, base + found.offset};
}

/// The same for a PE of a context's team.
inline remote_object find_place(process_state& us, const char* call, shmem_ctx_t ctx,
                                const volatile void* address, std::size_t bytes, int pe) noexcept {
  if (pe < 0 || pe >= ctx->size) [[unlikely]]
    refuse_pe(call, pe, ctx->size);
  return find_place(us, call, address, bytes, ctx->first + ctx->stride * pe);
}

/// The address at which loads and stores of this process reach the object; null where they do not.
inline std::byte* direct_address(const remote_object& object, std::size_t bytes) noexcept {
  return object.memory->routes()[object.rank].direct(object.address, bytes);
}

}  // namespace atl::shmem
