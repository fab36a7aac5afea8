// SPDX-License-Identifier: BSD-3-Clause
//
// Shared memory: what of global pointers and of the shared heap need not be inline.
#include <atoll/base/text.hpp>
#include <front/upcxx/process.hpp>
#include <upcxx/allocate.hpp>
#include <upcxx/global_ptr.hpp>

#include <ostream>

namespace atl::upcxx_front {

place place_of(const void* address) noexcept {
  if (address == nullptr || job.runtime == nullptr) return {};
  const auto from_first = reinterpret_cast<std::uintptr_t>(address) -
                          reinterpret_cast<std::uintptr_t>(job.address(job.first, 0));
  const std::uintptr_t area = from_first / job.stride;
  const std::uintptr_t offset = from_first % job.stride;
  if (area >= job.local_count || offset > job.heap_bytes) return {};
  return {.offset = offset,
          .rank = job.first + static_cast<std::uint32_t>(area),
          .device = 0,
          .kind = static_cast<std::uint16_t>(upcxx::memory_kind::host)};
}

void refuse_local(const place& at) noexcept {
  job.runtime->fail(text("global_ptr::local on rank ", job.rank),
                    text("the pointer is to the memory of rank ", at.rank,
                         ", which this rank cannot reach by loads and stores"),
                    "ask is_local() before, or use rget() and rput()");
}

void refuse_address(const void* address) noexcept {
  need_job("upcxx::to_global_ptr");
  job.runtime->fail(text("upcxx::to_global_ptr(", address, ")"),
                    "the object is not in the shared memory of a rank of the local team",
                    "allocate it by upcxx::new_ or upcxx::allocate, or use try_global_ptr()");
}

void need_own(const place& at, const char* call) noexcept {
  need_job(call);
  if (at.rank == job.rank && at.device == 0) return;
  job.runtime->fail(text(call, " on rank ", job.rank),
                    text("the pointer is to memory of rank ", at.rank),
                    "give memory back on the rank that allocated it");
}

void print(std::ostream& to, const place& at) {
  if (at.kind == 0) {
    to << "null";
    return;
  }
  const std::ios_base::fmtflags before = to.flags();
  to << "rank " << std::dec << at.rank;
  if (at.device != 0) to << " device " << at.device - 1;
  to << " + 0x" << std::hex << at.offset;
  to.flags(before);
}

}  // namespace atl::upcxx_front

namespace upcxx {

using atl::upcxx_front::job;
using atl::upcxx_front::need_job;

void* allocate(std::size_t size, std::size_t alignment) noexcept {
  need_job("upcxx::allocate");
  return job.runtime->heap().allocate(size,
                                      std::max(alignment, atl::memory::heap::default_alignment));
}

void deallocate(void* block) noexcept {
  need_job("upcxx::deallocate");
  job.runtime->heap().free(block);
}

std::size_t shared_segment_used() noexcept {
  need_job("upcxx::shared_segment_used");
  return job.runtime->heap().usage().used_bytes;
}

std::size_t shared_segment_size() noexcept {
  need_job("upcxx::shared_segment_size");
  return job.runtime->heap().usage().limit_bytes;
}

}  // namespace upcxx
