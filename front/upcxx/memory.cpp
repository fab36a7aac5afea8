// SPDX-License-Identifier: BSD-3-Clause
//
// Shared memory: the part of global pointers and of the shared heap that need not be inline. A
// pointer is checked before it is used, so that a wrong one ends the job with the call, the rank
// and the address, and not in a destructor of something that is no object.
#include <atoll/base/log.hpp>
#include <atoll/base/text.hpp>
#include <front/upcxx/process_state.hpp>
#include <upcxx/allocate.hpp>
#include <upcxx/barrier.hpp>
#include <upcxx/global_ptr.hpp>

#include <atomic>
#include <bit>
#include <cstdio>
#include <ostream>
#include <string_view>

namespace atl::upcxx_front {

place place_of(const void* address) noexcept {
  if (address == nullptr || job.runtime == nullptr) return {};
  // The heaps of a host lie in one mapping, at one fixed distance from each other.
  const memory::host_layout& heaps = job.runtime->memory_layout();
  const auto from_first = reinterpret_cast<std::uintptr_t>(address) -
                          reinterpret_cast<std::uintptr_t>(job.address(job.first, 0));
  const std::uintptr_t area = from_first / heaps.stride();
  const std::uintptr_t offset = from_first % heaps.stride();
  if (area >= job.local_count || offset > heaps.shared_bytes()) return {};
  return {.offset = offset,
          .rank = job.first + static_cast<std::uint32_t>(area),
          .device = 0,
          .kind = static_cast<std::uint16_t>(upcxx::memory_kind::host)};
}

place place_at_owner(upcxx::intrank_t owner, const void* address) noexcept {
  if (address == nullptr) return {};
  need_job("global_ptr::global_ptr");
  const auto rank = static_cast<std::uint32_t>(owner);
  if (rank >= job.size)
    refuse("global_ptr::global_ptr", "there is no such rank", "ranks are 0 to rank_n() - 1");
  const segment_part heap = job.endpoint->bound().part(rank);
  const auto offset =
      reinterpret_cast<std::uintptr_t>(address) - reinterpret_cast<std::uintptr_t>(heap.base);
  if (offset == 0 || offset > heap.bytes) {
    job.runtime->fail(
        text("global_ptr::global_ptr(rank ", rank, ", ", address, ")"),
        "the address is not in the shared memory of that rank, by the rank's own "
        "addresses",
        "pass an address that raw_internal() has returned for a pointer to memory of that "
        "rank");
  }
  return {.offset = offset,
          .rank = rank,
          .device = 0,
          .kind = static_cast<std::uint16_t>(upcxx::memory_kind::host)};
}

void* address_at_owner(const place& location) noexcept {
  if (location.kind == 0) return nullptr;
  if (location.device != 0) return reinterpret_cast<void*>(location.offset);
  return job.endpoint->bound().part(location.rank).base + location.offset;
}

void refuse_local(const place& location) noexcept {
  need_job("global_ptr::local");
  job.runtime->fail(text("global_ptr::local on rank ", job.rank),
                    text("the pointer is to the memory of rank ", location.rank,
                         ", which this rank cannot reach by loads and stores"),
                    "ask is_local() before, or use rget() and rput()");
}

void refuse_address(const void* address) noexcept {
  need_job("upcxx::to_global_ptr");
  job.runtime->fail(text("upcxx::to_global_ptr(", address, ")"),
                    "the object is not in the shared memory of a rank of the local team",
                    "allocate it by upcxx::new_ or upcxx::allocate, or use try_global_ptr()");
}

void need_own(const place& location, const char* call) noexcept {
  need_job(call);
  if (location.rank == job.rank && location.device == 0) return;
  job.runtime->fail(text(call, " on rank ", job.rank),
                    text("the pointer is to memory of rank ", location.rank),
                    "give memory back on the rank that allocated it");
}

namespace {

[[noreturn]] void refuse_block(const char* call, const void* block,
                               std::string_view wrong) noexcept {
  job.runtime->fail(text(call, " on rank ", job.rank, " at ", block), wrong,
                    "give each block back once, by the function that belongs to the one that made "
                    "it");
}

}  // namespace

void need_block(const void* block, const char* call) noexcept {
  const std::string_view wrong = job.runtime->heap().find_misuse(block);
  if (!wrong.empty()) refuse_block(call, block, wrong);
}

void give_block_back(void* block, const char* call) noexcept {
  need_job(call);
  const std::string_view wrong = job.runtime->heap().try_free(block);
  if (!wrong.empty()) refuse_block(call, block, wrong);
}

void give_back_too_late(const char* call, bool is_error) noexcept {
  if (is_error) need_job(call);
  // Relaxed: it orders nothing, it only lets one thread write.
  static std::atomic<bool> is_reported = false;
  if (is_reported.exchange(true, std::memory_order_relaxed)) return;
  log_warning(
      call,
      ": UPC++ is not initialized, and its shared memory is gone; nothing is given back, and "
      "no destructor runs there. Give it back before finalize(). This is reported once, and is "
      "an error where UPCXX_ASSERT_ENABLED is 1");
}

void refuse_alignment(const char* call, std::size_t alignment) noexcept {
  job.runtime->fail(text(call, " on rank ", job.rank),
                    text("the alignment ", alignment, " is not a power of two up to ",
                         memory::heap::largest_alignment),
                    "ask for a smaller power of two");
}

void print(std::ostream& to, const place& location) {
  if (location.kind == 0) {
    to << "null";
    return;
  }
  const std::ios_base::fmtflags old_flags = to.flags();
  to << "rank " << std::dec << location.rank;
  if (location.device != 0) to << " device " << location.device - 1;
  to << " + 0x" << std::hex << location.offset;
  to.flags(old_flags);
}

}  // namespace atl::upcxx_front

namespace upcxx {

std::ostream& operator<<(std::ostream& to, memory_kind kind) {
  switch (kind) {
    case memory_kind::any:
      return to << "any";
    case memory_kind::host:
      return to << "host";
    case memory_kind::cuda_device:
      return to << "cuda_device";
    case memory_kind::hip_device:
      return to << "hip_device";
    case memory_kind::ze_device:
      return to << "ze_device";
  }
  return to << "memory_kind " << static_cast<unsigned>(kind);
}

using atl::upcxx_front::job;
using atl::upcxx_front::need_job;

bad_shared_alloc::bad_shared_alloc(std::size_t wanted_bytes) noexcept {
  using atl::memory::heap_usage;
  const heap_usage now = job.runtime != nullptr ? job.runtime->heap().usage() : heap_usage();
  std::snprintf(message_, sizeof(message_),
                "upcxx::bad_shared_alloc: rank %u asked for %zu bytes of shared memory; %zu of its "
                "%zu bytes are in use. upcxx-run -shared-heap, UPCXX_SHARED_HEAP_SIZE, "
                "ATOLL_SEGMENT_LIMIT and ATOLL_MEMORY_LIMIT say how many there may be",
                job.rank, wanted_bytes, now.used_bytes, now.limit_bytes);
}

void* allocate(std::size_t size, std::size_t alignment) noexcept {
  need_job("upcxx::allocate");
  if (atl::upcxx_front::the_process->heap_is_given_up) [[unlikely]]
    return nullptr;
  if (!std::has_single_bit(alignment) || alignment > atl::memory::heap::largest_alignment)
    atl::upcxx_front::refuse_alignment("upcxx::allocate", alignment);
  return job.runtime->heap().allocate(size,
                                      std::max(alignment, atl::memory::heap::default_alignment));
}

std::size_t shared_segment_used() noexcept {
  need_job("upcxx::shared_segment_used");
  return job.runtime->heap().usage().used_bytes;
}

std::size_t shared_segment_size() noexcept {
  need_job("upcxx::shared_segment_size");
  return job.runtime->heap().usage().limit_bytes;
}

namespace experimental {
namespace {

void set_heap_given_up(bool now, const char* call, const char* cause) noexcept {
  atl::upcxx_front::need_collective(call);
  bool& given_up = atl::upcxx_front::the_process->heap_is_given_up;
  if (given_up == now) atl::upcxx_front::refuse(call, cause, "call the two in turn, on all ranks");
  given_up = now;
  upcxx::barrier();
}

}  // namespace

void destroy_heap() noexcept {
  set_heap_given_up(true, "experimental::destroy_heap",
                    "the shared heap has been destroyed before");
}

void restore_heap() noexcept {
  set_heap_given_up(false, "experimental::restore_heap", "the shared heap has not been destroyed");
}

}  // namespace experimental

}  // namespace upcxx
