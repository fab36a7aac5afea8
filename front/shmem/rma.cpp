// SPDX-License-Identifier: BSD-3-Clause
//
// Remote memory access: the typed functions and those of element sizes, all on the four transfers
// of transfer.hpp. The strided forms are those of the core: rows of mapped memory, otherwise
// blocks packed into messages.
#include <front/shmem/transfer.hpp>

#include <atoll/core/job/runtime.hpp>
#include <atoll/core/segment/segment_access.hpp>
#include <atoll/core/strided/strided_access.hpp>
#include <atoll/core/strided/strided_copy.hpp>

namespace atl::shmem {

// Inline code also leaves direct transfers to the library where the segment counts transfers.
void put_remote(context_state& context, const remote_object& to, const void* from,
                std::size_t bytes, const transfer_options& options) noexcept {
  if (direct_address(to, bytes) != nullptr) {
    put_out_of_line(*to.memory, to.rank, to.address, from, bytes);
    return;
  }
  segment_access::start_put(*to.memory, to.rank, to.address, from, bytes, context.pending.current(),
                            options);
}

void get_remote(context_state& context, void* to, const remote_object& from,
                std::size_t bytes) noexcept {
  if (direct_address(from, bytes) != nullptr) {
    get_out_of_line(*from.memory, to, from.rank, from.address, bytes);
    return;
  }
  segment_access::start_get(*from.memory, to, from.rank, from.address, bytes,
                            context.pending.current(), {});
}

namespace {

/// The blocks as core/strided describes them. It has pointers into itself, so it must not move.
struct block_transfer {
  std::ptrdiff_t to_strides[1];
  std::ptrdiff_t from_strides[1];
  std::size_t counts[1];
  strided_transfer description;

  block_transfer(void* to, const void* from, const block_shape& shape) noexcept
      : to_strides{shape.dest_stride},
        from_strides{shape.source_stride},
        counts{shape.count},
        description{.to = to,
                    .to_strides = to_strides,
                    .from = from,
                    .from_strides = from_strides,
                    .element_bytes = shape.block_bytes,
                    .counts = counts} {}
  block_transfer(const block_transfer&) = delete;
  block_transfer& operator=(const block_transfer&) = delete;
};

/// One side as a row, which is enough for one dimension of mapped memory, without a plan.
run_row row(const void* first, std::ptrdiff_t stride, const block_shape& shape) noexcept {
  return {.address = reinterpret_cast<std::uintptr_t>(first),
          .bytes = shape.block_bytes,
          .count = shape.count,
          .stride = stride};
}

/// The bytes from the first block to the end of the last; strides are positive in valid programs.
std::size_t extent(std::ptrdiff_t stride, const block_shape& shape) noexcept {
  return static_cast<std::size_t>(stride) * (shape.count - 1) + shape.block_bytes;
}

}  // namespace

void put_blocks(const char* call, shmem_ctx_t ctx, void* dest, const void* source,
                const block_shape& shape, int pe) noexcept {
  process_state& us = running(call);
  context_state& context = context_of(call, ctx);
  if (shape.count == 0 || shape.block_bytes == 0) return;
  const std::size_t bytes = extent(shape.dest_stride, shape);
  const remote_object to = find_place(us, call, ctx, dest, bytes, pe);
  if (std::byte* const direct = direct_address(to, bytes)) {
    trace::count_transfer(trace::counter::puts, trace::counter::put_bytes,
                          shape.block_bytes * shape.count);
    copy_row(row(direct, shape.dest_stride, shape), row(source, shape.source_stride, shape));
    fence_stores();
    wake(us, to.rank);
    return;
  }
  const block_transfer blocks(to.address, source, shape);
  start_put(*to.memory, to.rank, blocks.description, context.pending.current());
}

void get_blocks(const char* call, shmem_ctx_t ctx, void* dest, const void* source,
                const block_shape& shape, int pe) noexcept {
  process_state& us = running(call);
  context_of(call, ctx);
  if (shape.count == 0 || shape.block_bytes == 0) return;
  const std::size_t bytes = extent(shape.source_stride, shape);
  const remote_object from = find_place(us, call, ctx, source, bytes, pe);
  if (const std::byte* const direct = direct_address(from, bytes)) {
    trace::count_transfer(trace::counter::gets, trace::counter::get_bytes,
                          shape.block_bytes * shape.count);
    copy_row(row(dest, shape.dest_stride, shape), row(direct, shape.source_stride, shape));
    fence_loads();
    return;
  }
  const block_transfer blocks(dest, from.address, shape);
  operation pending;
  start_get(*from.memory, from.rank, blocks.description, pending);
  if (!pending.complete()) us.runtime.wait_until([&] { return pending.complete(); });
}

namespace {

template <class T>
void put_value(const char* call, shmem_ctx_t ctx, T* dest, T value, int pe) noexcept {
  put(call, ctx, dest, &value, sizeof value, pe);
}

template <class T>
T get_value(const char* call, shmem_ctx_t ctx, const T* source, int pe) noexcept {
  T value;
  get(call, ctx, &value, source, sizeof value, pe);
  return value;
}

block_shape elements(std::ptrdiff_t dst, std::ptrdiff_t sst, std::size_t element_bytes,
                     std::size_t count) noexcept {
  const auto unit = static_cast<std::ptrdiff_t>(element_bytes);
  return {dst * unit, sst * unit, element_bytes, count};
}

block_shape blocks(std::ptrdiff_t dst, std::ptrdiff_t sst, std::size_t element_bytes,
                   std::size_t block_elements, std::size_t count) noexcept {
  const auto unit = static_cast<std::ptrdiff_t>(element_bytes);
  return {dst * unit, sst * unit, block_elements * element_bytes, count};
}

}  // namespace
}  // namespace atl::shmem

using namespace atl::shmem;

// clang-format off

#define CONTIGUOUS(P, NAME, SUFFIX, TYPE, BYTES)                                                   \
  ATOLL_SHMEM_ENTRIES(void, NAME##put##SUFFIX,                                                     \
                      put("shmem_put", ctx, dest, source, nelems * (BYTES), pe),                   \
                      TYPE* dest, const TYPE* source, size_t nelems, int pe)                       \
  ATOLL_SHMEM_ENTRIES(void, NAME##get##SUFFIX,                                                     \
                      get("shmem_get", ctx, dest, source, nelems * (BYTES), pe),                   \
                      TYPE* dest, const TYPE* source, size_t nelems, int pe)                       \
  ATOLL_SHMEM_ENTRIES(void, NAME##put##SUFFIX##_nbi,                                               \
                      put_nbi("shmem_put_nbi", ctx, dest, source, nelems * (BYTES), pe),           \
                      TYPE* dest, const TYPE* source, size_t nelems, int pe)                       \
  ATOLL_SHMEM_ENTRIES(void, NAME##get##SUFFIX##_nbi,                                               \
                      get_nbi("shmem_get_nbi", ctx, dest, source, nelems * (BYTES), pe),           \
                      TYPE* dest, const TYPE* source, size_t nelems, int pe)

#define STRIDED(P, NAME, SUFFIX, TYPE, BYTES)                                                      \
  ATOLL_SHMEM_ENTRIES(void, NAME##iput##SUFFIX,                                                    \
                      put_blocks("shmem_iput", ctx, dest, source,                                  \
                                 elements(dst, sst, BYTES, nelems), pe),                           \
                      TYPE* dest, const TYPE* source, ptrdiff_t dst, ptrdiff_t sst,                \
                      size_t nelems, int pe)                                                       \
  ATOLL_SHMEM_ENTRIES(void, NAME##iget##SUFFIX,                                                    \
                      get_blocks("shmem_iget", ctx, dest, source,                                  \
                                 elements(dst, sst, BYTES, nelems), pe),                           \
                      TYPE* dest, const TYPE* source, ptrdiff_t dst, ptrdiff_t sst,                \
                      size_t nelems, int pe)                                                       \
  ATOLL_SHMEM_ENTRIES(void, NAME##ibput##SUFFIX,                                                   \
                      put_blocks("shmem_ibput", ctx, dest, source,                                 \
                                 blocks(dst, sst, BYTES, bsize, nblocks), pe),                     \
                      TYPE* dest, const TYPE* source, ptrdiff_t dst, ptrdiff_t sst,                \
                      size_t bsize, size_t nblocks, int pe)                                        \
  ATOLL_SHMEM_ENTRIES(void, NAME##ibget##SUFFIX,                                                   \
                      get_blocks("shmem_ibget", ctx, dest, source,                                 \
                                 blocks(dst, sst, BYTES, bsize, nblocks), pe),                     \
                      TYPE* dest, const TYPE* source, ptrdiff_t dst, ptrdiff_t sst,                \
                      size_t bsize, size_t nblocks, int pe)

#define TYPED(P, T, TYPE)                                                                          \
  CONTIGUOUS(P, T##_, , TYPE, sizeof(TYPE))                                                        \
  STRIDED(P, T##_, , TYPE, sizeof(TYPE))                                                           \
  ATOLL_SHMEM_ENTRIES(void, T##_p, put_value<TYPE>("shmem_p", ctx, dest, value, pe),               \
                      TYPE* dest, TYPE value, int pe)                                              \
  ATOLL_SHMEM_ENTRIES(TYPE, T##_g, get_value<TYPE>("shmem_g", ctx, source, pe),                    \
                      const TYPE* source, int pe)
ATOLL_SHMEM_RMA(TYPED, )

#define SIZED(P, S, BYTES) CONTIGUOUS(P, , S, void, BYTES) STRIDED(P, , S, void, BYTES)
ATOLL_SHMEM_SIZES(SIZED, )
CONTIGUOUS(, , mem, void, 1)

// clang-format on
