// SPDX-License-Identifier: BSD-3-Clause
//
// The symmetric heap's functions. All PEs call. Where one PE has no room, all get null, and the
// heap stays as it was. Calls with size zero or a null pointer do nothing and do not synchronize.
#include <front/shmem/process_state.hpp>

#include <atoll/base/error.hpp>
#include <atoll/base/log.hpp>
#include <atoll/base/rounding.hpp>
#include <atoll/base/text.hpp>

#include <algorithm>
#include <bit>
#include <cstring>

namespace atl::shmem {
namespace {

constexpr std::size_t cache_line_bytes = 64;
constexpr std::size_t largest_alignment = std::size_t{1} << 62;  // beyond what any heap has

/// The cache lines that so many bytes fill or begin, in bytes.
std::size_t whole_lines(std::size_t bytes) noexcept {
  return bytes > SIZE_MAX - cache_line_bytes ? bytes : round_up(bytes, cache_line_bytes);
}

// If PEs call differently, the heap reports that.
template <class Call>
void* call_heap(const char* name, Call call) noexcept {
  try {
    return call();
  } catch (const error& refused) {
    refuse(name, text(refused.object(), ": ", refused.cause()), refused.remedy());
  }
}

void* allocate(const char* call, std::size_t bytes, std::size_t alignment) noexcept {
  process_state& us = running(call);
  if (bytes == 0) return nullptr;
  if (!std::has_single_bit(alignment)) {  // undefined: here null, or the next power of two
    if (alignment < sizeof(void*)) return nullptr;
    alignment = std::bit_ceil(std::min(alignment, largest_alignment));
  }
  quiet(context_of(call, SHMEM_CTX_DEFAULT));
  void* const block =
      call_heap(call, [&] { return us.heap.allocate(*us.world, bytes, alignment); });
  if (block == nullptr)
    log_info(call, ": no room for ", bytes_text(bytes), " at a multiple of ", alignment);
  return block;
}

void* allocate_zeros(const char* call, std::size_t count, std::size_t size) noexcept {
  std::size_t bytes = 0;
  if (__builtin_mul_overflow(count, size, &bytes)) bytes = SIZE_MAX;
  void* const block = allocate(call, bytes, coll::symmetric_heap::default_alignment);
  if (block == nullptr) return nullptr;
  std::memset(block, 0, bytes);
  running(call).world->barrier();
  return block;
}

// Checked before members compare their blocks: an address outside of the heap differs from PE to
// PE, and the message would say that their calls differ.
void need_heap_address(process_state& us, const char* call, const void* block) noexcept {
  const auto begin = reinterpret_cast<std::uintptr_t>(us.heaps.own_part().base);
  if (reinterpret_cast<std::uintptr_t>(block) - begin < us.heap_bytes) return;
  refuse(call,
         text("there is no block at ", hex(block), ", which is outside of the symmetric heap [",
              hex(begin), ", ", hex(begin + us.heap_bytes), ")"),
         "give a pointer that shmem_malloc or another function of the symmetric heap has returned");
}

void release(const char* call, void* block) noexcept {
  process_state& us = running(call);
  if (block == nullptr) return;
  need_heap_address(us, call, block);
  quiet(context_of(call, SHMEM_CTX_DEFAULT));
  call_heap(call, [&]() -> void* {
    us.heap.free(*us.world, block);
    return nullptr;
  });
}

// A block that begins at a cache line, as one with hints does, still does so afterwards, and shares
// its last line with no other block. It begins at a line on all PEs.
void* resize(const char* call, void* block, std::size_t bytes) noexcept {
  process_state& us = running(call);
  if (block == nullptr) return allocate(call, bytes, coll::symmetric_heap::default_alignment);
  if (bytes == 0) {
    release(call, block);
    return nullptr;
  }
  need_heap_address(us, call, block);
  quiet(context_of(call, SHMEM_CTX_DEFAULT));
  const bool on_lines = reinterpret_cast<std::uintptr_t>(block) % cache_line_bytes == 0;
  try {
    return on_lines ? us.heap.resize(*us.world, block, whole_lines(bytes), cache_line_bytes)
                    : us.heap.resize(*us.world, block, bytes);
  } catch (const error& refused) {  // thrown on all PEs alike
    log_error(text(call, ": ", refused.what()));
    return nullptr;
  }
}

// Hints ask for objects on cache lines of their own.
void* allocate_with_hints(const char* call, std::size_t bytes, long hints) noexcept {
  if (hints == 0) return allocate(call, bytes, coll::symmetric_heap::default_alignment);
  return allocate(call, whole_lines(bytes), cache_line_bytes);
}

}  // namespace
}  // namespace atl::shmem

using namespace atl::shmem;

ATOLL_SHMEM_ENTRY(void*, malloc, (size_t size),
                  return allocate("shmem_malloc", size,
                                  atl::coll::symmetric_heap::default_alignment))
ATOLL_SHMEM_ENTRY(void*, malloc_with_hints, (size_t size, long hints),
                  return allocate_with_hints("shmem_malloc_with_hints", size, hints))
ATOLL_SHMEM_ENTRY(void*, calloc, (size_t count, size_t size),
                  return allocate_zeros("shmem_calloc", count, size))
ATOLL_SHMEM_ENTRY(void*, align, (size_t alignment, size_t size),
                  return allocate("shmem_align", size, alignment))
ATOLL_SHMEM_ENTRY(void*, realloc, (void* ptr, size_t size),
                  return resize("shmem_realloc", ptr, size))
ATOLL_SHMEM_ENTRY(void, free, (void* ptr), release("shmem_free", ptr))

// The names of former versions.
ATOLL_SHMEM_OLD_ENTRY(void*, shmalloc, (size_t size),
                      return allocate("shmalloc", size,
                                      atl::coll::symmetric_heap::default_alignment))
ATOLL_SHMEM_OLD_ENTRY(void, shfree, (void* ptr), release("shfree", ptr))
ATOLL_SHMEM_OLD_ENTRY(void*, shrealloc, (void* ptr, size_t size),
                      return resize("shrealloc", ptr, size))
ATOLL_SHMEM_OLD_ENTRY(void*, shmemalign, (size_t alignment, size_t size),
                      return allocate("shmemalign", size, alignment))
