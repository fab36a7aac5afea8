// SPDX-License-Identifier: BSD-3-Clause
//
// Puts with a signal, and signals alone. The signal is updated after its data is there: in memory
// that is mapped here by the order of stores, else by the core, in one message where the data fits.
#include <front/shmem/amo.hpp>

#include <atoll/base/text.hpp>
#include <atoll/core/atomic/atomic_access.hpp>
#include <front/shmem/waiting.hpp>

namespace atl::shmem {
namespace {

struct signal_update {
  std::uint64_t* address;
  std::uint64_t value;
  int operation;
};

atomic_op operation_of(const char* call, const signal_update& update) noexcept {
  if (update.operation == SHMEM_SIGNAL_SET) return atomic_op::set;
  if (update.operation != SHMEM_SIGNAL_ADD)
    refuse(call, text("there is no signal operation ", update.operation),
           "use SHMEM_SIGNAL_SET or SHMEM_SIGNAL_ADD");
  return atomic_op::add;
}

void signal(const char* call, shmem_ctx_t ctx, const signal_update& update, int pe) noexcept {
  amo(call, ctx, update.address, pe, operation_of(call, update), update.value);
}

struct signalled_data {
  void* dest;
  const void* source;
  std::size_t bytes;
  bool keeps_source;  // the program leaves the source as it is until quiet
};

void put_with_signal(const char* call, shmem_ctx_t ctx, const signalled_data& data,
                     const signal_update& update, int pe) noexcept {
  process_state& us = running(call);
  context_state& context = context_of(call, ctx);
  if (data.bytes == 0) return signal(call, ctx, update, pe);
  const remote_object to = find_place(us, call, ctx, data.dest, data.bytes, pe);
  if (put_mapped(*to.memory, to.rank, to.address, data.source, data.bytes)) {
    fence_stores();
    return signal(call, ctx, update, pe);
  }
  const atomic_op operation = operation_of(call, update);
  const remote_object number =
      find_place(us, call, ctx, update.address, sizeof *update.address, pe);
  start_put_then_atomic(
      *to.memory, {to.rank, to.address, data.source, data.bytes, data.keeps_source}, *number.memory,
      call_at<std::uint64_t>(number, operation, nullptr, update.value, 0),
      context.pending.current());
}

}  // namespace
}  // namespace atl::shmem

using namespace atl::shmem;

// clang-format off

#define SIGNALLED(P, NAME, SUFFIX, TYPE, BYTES)                                                    \
  ATOLL_SHMEM_ENTRIES(void, NAME##put##SUFFIX##_signal,                                            \
                      put_with_signal("shmem_put_signal", ctx,                                     \
                                      {dest, source,    nelems * (BYTES), false},                  \
                                      {sig_addr, signal, sig_op}, pe),                             \
                      TYPE* dest, const TYPE* source, size_t nelems, uint64_t* sig_addr,           \
                      uint64_t signal, int sig_op, int pe)                                         \
  ATOLL_SHMEM_ENTRIES(void, NAME##put##SUFFIX##_signal_nbi,                                        \
                      put_with_signal("shmem_put_signal_nbi", ctx,                                 \
                                      {dest, source,    nelems * (BYTES), true},                   \
                                      {sig_addr, signal, sig_op}, pe),                             \
                      TYPE* dest, const TYPE* source, size_t nelems, uint64_t* sig_addr,           \
                      uint64_t signal, int sig_op, int pe)
#define TYPED(P, T, TYPE) SIGNALLED(P, T##_, , TYPE, sizeof(TYPE))
ATOLL_SHMEM_RMA(TYPED, )
#define SIZED(P, S, BYTES) SIGNALLED(P, , S, void, BYTES)
ATOLL_SHMEM_SIZES(SIZED, )
SIGNALLED(, , mem, void, 1)

// clang-format on

ATOLL_SHMEM_ENTRIES(void, signal_add,
                    atl::shmem::signal("shmem_signal_add", ctx,
                                       {sig_addr, signal, SHMEM_SIGNAL_ADD}, pe),
                    uint64_t* sig_addr, uint64_t signal, int pe)
ATOLL_SHMEM_ENTRIES(void, signal_set,
                    atl::shmem::signal("shmem_signal_set", ctx,
                                       {sig_addr, signal, SHMEM_SIGNAL_SET}, pe),
                    uint64_t* sig_addr, uint64_t signal, int pe)
ATOLL_SHMEM_ENTRY(uint64_t, signal_fetch, (const uint64_t* sig_addr),
                  return __atomic_load_n(sig_addr, __ATOMIC_ACQUIRE))
ATOLL_SHMEM_ENTRY(uint64_t, signal_wait_until, (uint64_t* sig_addr, int cmp, uint64_t cmp_value),
                  return wait_until("shmem_signal_wait_until", sig_addr, cmp, cmp_value))
