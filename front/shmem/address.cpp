// SPDX-License-Identifier: BSD-3-Clause
//
// Messages about addresses, and the interface's queries: which PE this is, whether an object can be
// accessed, and where loads and stores reach it.
#include <shmemx.h>
#include <front/shmem/address.hpp>

#include <atoll/base/text.hpp>

namespace atl::shmem {

void refuse_pe(const char* call, int pe, int pes) noexcept {
  refuse(call, text("there is no PE ", pe), text("PEs of the context's team are 0 to ", pes - 1));
}

namespace {

/// The PE of this host to whose heap the address belongs, by that PE's own addresses; -1: none.
int owner_of(process_state& us, std::uintptr_t address) noexcept {
  const rank_id first = us.runtime.neighbourhood_first();
  for (rank_id rank = first; rank < first + us.runtime.neighbourhood_count(); ++rank) {
    const auto base = reinterpret_cast<std::uintptr_t>(us.heaps.part(rank).base);
    if (address - base < us.heap_bytes) return static_cast<int>(rank);
  }
  return -1;
}

}  // namespace

void refuse_address(const char* call, const volatile void* address, std::size_t bytes) noexcept {
  process_state& us = *the_process;
  const auto number = reinterpret_cast<std::uintptr_t>(address);
  const auto heap = reinterpret_cast<std::uintptr_t>(us.heaps.own_part().base);
  if (const int owner = owner_of(us, number); owner >= 0) {
    refuse(call, text("the ", bytes, " bytes at ", hex(number), " are of PE ", owner),
           "name the object by this PE's own address of it: each PE has its heap elsewhere");
  }
  refuse(
      call,
      text("the ", bytes, " bytes at ", hex(address), " are not symmetric: the symmetric heap is [",
           hex(heap), ", ", hex(heap + us.heap_bytes), "), the program's static variables are [",
           hex(std::uint64_t{us.data.begin}), ", ", hex(std::uint64_t{us.data.end}), ")"),
      "use memory of shmem_malloc, or a global or static variable that is not const");
}

void refuse_other_program(const char* call, const volatile void* address, rank_id rank) noexcept {
  refuse(call,
         text("the static variable at ", hex(address), " does not exist on PE ", rank,
              ", which runs another program"),
         "start the same file on all PEs, or use memory of shmem_malloc");
}

namespace {

// Null where the address is not symmetric, where the PE does not exist, and where loads and stores
// do not reach it.
void* find_pointer(process_state& us, const void* address, int pe) noexcept {
  if (pe < 0 || static_cast<rank_id>(pe) >= us.runtime.size()) return nullptr;
  const symmetric_offset found = offset_of(us, address);
  if (found.memory == nullptr) return nullptr;
  const auto rank = static_cast<rank_id>(pe);
  if (rank == us.runtime.rank()) return const_cast<void*>(address);
  std::byte* const base = found.memory->part(rank).base;
  if (base == nullptr) return nullptr;  // that PE has no static variables of this program
  return direct_address({found.memory, rank, base + found.offset}, 1);
}

// This PE's static variables have two addresses: the program's, and that in the shared memory.
void* find_shared_pointer(process_state& us, const void* address, int pe) noexcept {
  if (pe < 0 || static_cast<rank_id>(pe) != us.runtime.rank()) return find_pointer(us, address, pe);
  const symmetric_offset found = offset_of(us, address);
  if (found.memory == nullptr) return nullptr;
  if (found.memory == us.statics.get() && us.variables == nullptr) return nullptr;
  return found.memory->own_part().base + found.offset;
}

bool is_accessible(process_state& us, const void* address, int pe) noexcept {
  if (pe < 0 || static_cast<rank_id>(pe) >= us.runtime.size()) return false;
  const symmetric_offset found = offset_of(us, address);
  return found.memory != nullptr &&
         found.offset < found.memory->part(static_cast<rank_id>(pe)).bytes;
}

}  // namespace
}  // namespace atl::shmem

using namespace atl::shmem;

ATOLL_SHMEM_ENTRY(int, my_pe, (void),
                  return static_cast<int>(running("shmem_my_pe").runtime.rank()))
ATOLL_SHMEM_ENTRY(int, n_pes, (void),
                  return static_cast<int>(running("shmem_n_pes").runtime.size()))

ATOLL_SHMEM_ENTRY(int, pe_accessible, (int pe), process_state& us = running("shmem_pe_accessible");
                  return pe >= 0 && static_cast<atl::rank_id>(pe) < us.runtime.size())
ATOLL_SHMEM_ENTRY(int, addr_accessible, (const void* addr, int pe),
                  return is_accessible(running("shmem_addr_accessible"), addr, pe))

ATOLL_SHMEM_ENTRY(void*, ptr, (const void* dest, int pe),
                  return find_pointer(running("shmem_ptr"), dest, pe))
ATOLL_SHMEM_ENTRY(void*, team_ptr, (shmem_team_t team, const void* dest, int pe),
                  process_state& us = running("shmem_team_ptr");
                  if (team == SHMEM_TEAM_INVALID) return nullptr; team_of("shmem_team_ptr", team);
                  if (pe < 0 || pe >= team->size) return nullptr;
                  return find_pointer(us, dest, team->first + team->stride * pe))

extern "C" void* shmemx_shared_ptr(const void* dest, int pe) {
  return find_shared_pointer(running("shmemx_shared_ptr"), dest, pe);
}
