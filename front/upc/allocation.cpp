// SPDX-License-Identifier: BSD-3-Clause
//
// Allocation of shared memory (UPC language specification 1.3, 7.2.2). Blocks that all threads have
// at one offset come from the global heap; for upc_all_alloc thread 0 allocates and tells the
// others. Blocks of one thread come from its shared heap. Any thread may free either. A block of
// another thread's shared heap is linked, through its first word, into a list of its owner, which
// frees it when it allocates next.
#include <upc.h>

#include <atoll_upc/access.h>

#include <atoll/base/rounding.hpp>
#include <atoll/base/text.hpp>
#include <atoll/coll/collectives.hpp>
#include <front/upc/allocation.hpp>
#include <front/upc/global_heap.hpp>

#include <array>
#include <cstddef>

namespace atl::upc {
namespace {

constexpr std::size_t alignment = 64;
constexpr std::size_t too_much = ~std::size_t{0};

std::size_t product(std::size_t a, std::size_t b) noexcept {
  std::size_t result = 0;
  return __builtin_mul_overflow(a, b, &result) ? too_much : result;
}

// The bytes of nblocks blocks on each thread.
std::size_t bytes_per_thread(const process_state& us, std::size_t nblocks,
                             std::size_t nbytes) noexcept {
  return product(nblocks / us.size() + (nblocks % us.size() != 0 ? 1 : 0), nbytes);
}

std::uint64_t global_block(process_state& us, std::size_t nblocks, std::size_t nbytes) {
  const std::size_t bytes = bytes_per_thread(us, nblocks, nbytes);
  return bytes == 0 || bytes == too_much ? 0 : us.global->allocate(bytes);
}

void free_local(process_state& us, const char* call, atoll_upc_pointer ptr) {
  const std::string_view misuse = us.runtime.heap().try_free(us.own_address(ptr.offset));
  if (!misuse.empty()) {
    refuse(call, text("the pointer (", text_of(ptr), "): ", misuse),
           "free what an allocation function has returned, once");
  }
}

// Frees the blocks of this thread that others have given back.
void take_back(process_state& us) {
  const std::uint64_t list = us.words_offset + offsetof(thread_words, freed_local);
  std::uint64_t offset = us.atomic_at(us.rank(), list, atomic_op::get);
  if (offset == 0) return;
  offset = us.atomic_at(us.rank(), list, atomic_op::swap, 0);
  while (offset != 0) {
    std::uint64_t* const block = reinterpret_cast<std::uint64_t*>(us.own_address(offset));
    const std::uint64_t next = *block;
    free_local(us, "upc_free", {offset, us.rank(), 0});
    offset = next;
  }
}

void give_to_owner(process_state& us, atoll_upc_pointer ptr) {
  const rank_id owner = ptr.thread;
  const std::uint64_t list = us.words_offset + offsetof(thread_words, freed_local);
  std::uint64_t first = us.atomic_at(owner, list, atomic_op::get);
  for (;;) {
    us.atomic_at(owner, ptr.offset, atomic_op::set, first);
    const std::uint64_t seen = us.atomic_at(owner, list, atomic_op::fetch_cas, first, ptr.offset);
    if (seen == first) return;
    first = seen;
  }
}

}  // namespace

atoll_upc_pointer allocate_local(process_state& us, std::size_t bytes) {
  if (bytes == 0 || bytes == too_much) return {};
  take_back(us);
  void* const block = us.runtime.heap().allocate(bytes, alignment);
  if (block == nullptr) return {};
  return {us.own_offset(block), us.rank(), 0};
}

void free_shared(process_state& us, const char* call, atoll_upc_pointer ptr) {
  if (ptr.offset == 0) return;
  if (ptr.thread < us.size() && ptr.offset >= us.heap_offset(ptr.thread)) {
    if (ptr.thread == us.rank()) {
      free_local(us, call, ptr);
    } else {
      give_to_owner(us, ptr);
    }
  } else if (ptr.thread == 0) {
    us.global->free(call, ptr.offset);
  } else {
    refuse(call, text("the pointer (", text_of(ptr), ") is not the begin of an allocation"),
           "free what an allocation function has returned, once");
  }
}

std::optional<std::pair<std::uint64_t, std::uint64_t>> find_allocation(process_state& us,
                                                                       atoll_upc_pointer p) {
  if (us.global->contains(p.offset)) return us.global->find_block(p.offset);
  if (p.thread != us.rank() || p.offset < us.heap_offset(p.thread)) return std::nullopt;
  const memory::heap& heap = us.runtime.heap();
  constexpr std::uint64_t step = memory::heap::default_alignment;
  for (std::uint64_t place = round_down(p.offset, step); place >= us.heap_offset(p.thread);
       place -= step) {
    if (!heap.find_misuse(us.own_address(place)).empty()) continue;
    const std::uint64_t end = place + heap.usable_size(us.own_address(place));
    if (p.offset < end) return std::pair(place, end);
    break;
  }
  return std::pair(std::uint64_t{0}, std::uint64_t{0});
}

atoll_upc_pointer allocate_together(process_state& us, const char* call, std::size_t nblocks,
                                    std::size_t nbytes) {
  us.world->barrier();  // programs count on it, though the specification does not ask for one
  std::array<std::uint64_t, 3> said = {nblocks, nbytes, 0};
  if (us.rank() == 0) said[2] = global_block(us, nblocks, nbytes);
  coll::broadcast(*us.world, 0, said.data(), said.data(), sizeof said);
  if (said[0] != nblocks || said[1] != nbytes) {
    refuse(call,
           text("this thread asks for ", nblocks, " blocks of ", nbytes,
                " bytes, and thread 0 for ", said[0], " of ", said[1]),
           "give the same arguments on all threads");
  }
  return {said[2], 0, 0};
}

}  // namespace atl::upc

using namespace atl;
using namespace atl::upc;

namespace {

// The process, before memory changes hands: lines kept of a block are invalid for the next one.
process_state& with_nothing_kept(const char* call) {
  if (atoll_upc_unordered != 0) atoll_upc_complete();
  return running(call);
}

}  // namespace

atoll_upc_pointer upc_all_alloc(std::size_t nblocks, std::size_t nbytes) {
  return allocate_together(with_nothing_kept("upc_all_alloc"), "upc_all_alloc", nblocks, nbytes);
}

atoll_upc_pointer upc_global_alloc(std::size_t nblocks, std::size_t nbytes) {
  return {global_block(with_nothing_kept("upc_global_alloc"), nblocks, nbytes), 0, 0};
}

atoll_upc_pointer upc_alloc(std::size_t nbytes) {
  return allocate_local(with_nothing_kept("upc_alloc"), nbytes);
}

atoll_upc_pointer upc_local_alloc(std::size_t nblocks, std::size_t nbytes) {
  return allocate_local(with_nothing_kept("upc_local_alloc"), product(nblocks, nbytes));
}

void upc_free(atoll_upc_pointer ptr) {
  free_shared(with_nothing_kept("upc_free"), "upc_free", ptr);
}

void upc_all_free(atoll_upc_pointer ptr) {
  process_state& us = with_nothing_kept("upc_all_free");
  if (ptr.offset == 0) return;
  us.world->barrier();
  if (us.rank() == 0) free_shared(us, "upc_all_free", ptr);
}
