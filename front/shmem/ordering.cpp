// SPDX-License-Identifier: BSD-3-Clause
//
// Fence and quiet. To memory that is mapped here every put and atomic is complete when it is done,
// so fence has only to keep the compiler, and other processors, from reordering stores. quiet is a
// full fence all the same: a processor holds stores back while later loads go ahead, and two PEs
// that each put, call quiet and get must not both miss the other's put. Over messages and networks
// nothing is ordered, so both wait until all that is under way on the context is complete.
#include <front/shmem/process_state.hpp>

#include <atoll/base/copy.hpp>

namespace atl::shmem {

namespace {

[[gnu::noinline]] void wait_for_both(context_state& context) noexcept {
  context.silent_atomics.wait();
  context.pending.wait();
}

// Where loads and stores reach all PEs, this is one test of each group.
void wait_for_all(context_state& context) noexcept {
  if (context.has_silent_atomics.load(std::memory_order_relaxed)) [[unlikely]] {
    wait_for_both(context);
  } else if (!context.pending.complete()) [[unlikely]] {
    context.pending.wait();
  }
}

}  // namespace

void quiet(context_state& context) noexcept {
  wait_for_all(context);
  fence_all();
}

namespace {

void fence(context_state& context) noexcept {
  wait_for_all(context);
  fence_stores();
}

void quiet(const char* call, shmem_ctx_t ctx) noexcept {
  running(call);
  if (ctx != SHMEM_CTX_INVALID) shmem::quiet(context_of(call, ctx));
}

void fence(const char* call, shmem_ctx_t ctx) noexcept {
  running(call);
  if (ctx != SHMEM_CTX_INVALID) fence(context_of(call, ctx));
}

// Operations are not counted by PE, so quiet of some PEs is quiet of all.
void quiet_pes(const char* call, shmem_ctx_t ctx, std::size_t count) noexcept {
  if (count != 0) quiet(call, ctx);
}

}  // namespace
}  // namespace atl::shmem

using namespace atl::shmem;

ATOLL_SHMEM_ENTRY(void, fence, (void), fence("shmem_fence", SHMEM_CTX_DEFAULT))
ATOLL_SHMEM_ENTRY(void, ctx_fence, (shmem_ctx_t ctx), fence("shmem_ctx_fence", ctx))
ATOLL_SHMEM_ENTRY(void, quiet, (void), quiet("shmem_quiet", SHMEM_CTX_DEFAULT))
ATOLL_SHMEM_ENTRY(void, ctx_quiet, (shmem_ctx_t ctx), quiet("shmem_ctx_quiet", ctx))
ATOLL_SHMEM_ENTRY(void, pe_quiet, (const int*, size_t npes),
                  quiet_pes("shmem_pe_quiet", SHMEM_CTX_DEFAULT, npes))
ATOLL_SHMEM_ENTRY(void, ctx_pe_quiet, (shmem_ctx_t ctx, const int*, size_t npes),
                  quiet_pes("shmem_ctx_pe_quiet", ctx, npes))
