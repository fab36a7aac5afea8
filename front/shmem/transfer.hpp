// SPDX-License-Identifier: BSD-3-Clause
//
// Puts and gets of bytes on a context; the typed functions of the interface are made of them. A
// transfer to memory that is mapped here is a copy, complete at once. Any other one counts its
// pieces in the context's record, for which quiet waits; a put returns when its source may be
// reused, a get when its result has come.
#pragma once

#include <atoll/core/rma/rma.hpp>
#include <front/shmem/address.hpp>

#include <atoll_shmem/table.h>

#include <sched.h>

#include <cstddef>
#include <cstdint>
#include <cstring>

namespace atl::shmem {

/// The parts that are out of line.
void put_remote(context_state& context, const remote_object& to, const void* from,
                std::size_t bytes, const transfer_options& options) noexcept;
void get_remote(context_state& context, void* to, const remote_object& from,
                std::size_t bytes) noexcept;

/// Wakes a PE that may sleep in a wait for an object that was just written there.
inline void wake(process_state& us, rank_id rank) noexcept {
  if (us.runtime.is_neighbour(rank)) us.runtime.wake(rank);
}

/// A fetched value as a number; `bytes` are at most eight.
inline std::uint64_t bits_of(const void* fetched, std::size_t bytes) noexcept {
  std::uint64_t bits = 0;
  std::memcpy(&bits, fetched, bytes);
  return bits;
}

/// Yields the core where the program seems to wait for the object by fetching it.
inline void after_fetch(process_state& us, const volatile void* object,
                        std::uint64_t value) noexcept {
  if (!us.runtime.is_oversubscribed()) [[likely]]
    return;
  if (us.fetches.wants_yield(object, value)) ::sched_yield();
}

/// `options` says whether the source stays as it is until quiet.
inline void put(const char* call, shmem_ctx_t ctx, void* dest, const void* source,
                std::size_t bytes, int pe, const transfer_options& options = {}) noexcept {
  process_state& us = running(call);
  context_state& context = context_of(call, ctx);
  if (bytes == 0) return;
  const remote_object to = find_place(us, call, ctx, dest, bytes, pe);
  if (put_mapped(*to.memory, to.rank, to.address, source, bytes)) [[likely]] {
    fence_stores();
    atoll_shmem_changed(&us.rows[to.rank]);
    return;
  }
  put_remote(context, to, source, bytes, options);
}

inline void put_nbi(const char* call, shmem_ctx_t ctx, void* dest, const void* source,
                    std::size_t bytes, int pe) noexcept {
  put(call, ctx, dest, source, bytes, pe, {.keeps_source = true});
}

inline void get(const char* call, shmem_ctx_t ctx, void* dest, const void* source,
                std::size_t bytes, int pe) noexcept {
  process_state& us = running(call);
  context_of(call, ctx);
  if (bytes == 0) return;
  const remote_object from = find_place(us, call, ctx, source, bytes, pe);
  atl::get(*from.memory, dest, from.rank, from.address, bytes);
  if (bytes <= sizeof(std::uint64_t)) after_fetch(us, from.address, bits_of(dest, bytes));
}

inline void get_nbi(const char* call, shmem_ctx_t ctx, void* dest, const void* source,
                    std::size_t bytes, int pe) noexcept {
  process_state& us = running(call);
  context_state& context = context_of(call, ctx);
  if (bytes == 0) return;
  const remote_object from = find_place(us, call, ctx, source, bytes, pe);
  if (!get_mapped(*from.memory, dest, from.rank, from.address, bytes)) [[unlikely]]
    get_remote(context, dest, from, bytes);
}

/// Blocks of `block_bytes` at distances in bytes.
struct block_shape {
  std::ptrdiff_t dest_stride;
  std::ptrdiff_t source_stride;
  std::size_t block_bytes;
  std::size_t count;
};
void put_blocks(const char* call, shmem_ctx_t ctx, void* dest, const void* source,
                const block_shape& shape, int pe) noexcept;
void get_blocks(const char* call, shmem_ctx_t ctx, void* dest, const void* source,
                const block_shape& shape, int pe) noexcept;

}  // namespace atl::shmem
