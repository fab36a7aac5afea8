// SPDX-License-Identifier: BSD-3-Clause
//
// Functions of Berkeley UPC (bupc_extensions.h) that are other functions of the library by other
// names. Atomic operations need no domain there: they are those of the core that do not use the
// network's own.
#include <bupc_extensions.h>

#include <upc.h>
#include <upc_castable.h>
#include <upc_tick.h>

#include <atoll_upc/access.h>
#include <atoll/base/settings.hpp>
#include <atoll/base/text.hpp>
#include <front/upc/address.hpp>
#include <front/upc/relaxed.hpp>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <string>
#include <string_view>
#include <type_traits>

using namespace atl;
using namespace atl::upc;

namespace {

enum class access_order : std::uint8_t { strict, relaxed };

void order_all(access_order kind) noexcept {
  if (kind == access_order::relaxed) return;
  if (atoll_upc_unordered != 0) atoll_upc_complete();
  std::atomic_thread_fence(std::memory_order_seq_cst);
}

template <class T>
T perform(access_order kind, atoll_upc_pointer p, atomic_op op, T operand, T operand2) {
  using number =
      std::conditional_t<sizeof(T) == 4,
                         std::conditional_t<std::is_signed_v<T>, std::int32_t, std::uint32_t>,
                         std::conditional_t<std::is_signed_v<T>, std::int64_t, std::uint64_t>>;
  static constexpr const char* call = "an atomic operation of bupc_extensions.h";
  process_state& us = running(call);
  order_all(kind);
  if (us.relaxed != nullptr) us.relaxed->make_way(p, sizeof(T));
  number* const address = reinterpret_cast<number*>(find(us, call, p, sizeof(T)));
  const number old = atl::atomic<number>(us.heaps, p.thread, address,
                                         {.op = op,
                                          .operand = static_cast<number>(operand),
                                          .operand2 = static_cast<number>(operand2)},
                                         {.acquire = true, .release = true});
  order_all(kind);
  return static_cast<T>(old);
}

}  // namespace

void bupc_poll() {
  if (atoll_upc_unordered != 0) atoll_upc_complete();  // the caller's loop must read anew
  atoll_upc_poll();
}

bupc_tick_t bupc_ticks_now() { return upc_ticks_now(); }
std::uint64_t bupc_ticks_to_us(bupc_tick_t ticks) { return upc_ticks_to_ns(ticks) / 1000; }
std::uint64_t bupc_ticks_to_ns(bupc_tick_t ticks) { return upc_ticks_to_ns(ticks); }

double bupc_tick_granularityus() {
  upc_tick_t least = UPC_TICK_MAX;
  for (int i = 0; i < 100; ++i) {
    const upc_tick_t first = upc_ticks_now();
    upc_tick_t next = first;
    while (next == first) next = upc_ticks_now();
    least = std::min(least, next - first);
  }
  return static_cast<double>(upc_ticks_to_ns(least)) / 1000;
}

double bupc_tick_overheadus() {
  static constexpr int reads = 1000;
  const upc_tick_t first = upc_ticks_now();
  upc_tick_t last = first;
  for (int i = 0; i < reads; ++i) last = upc_ticks_now();
  return static_cast<double>(upc_ticks_to_ns(last - first)) / 1000 / reads;
}

// A variable with an empty value is not the same as one that is not set.
char* bupc_getenv(const char* name) {
  const std::string_view value = foreign_variable(name);
  if (value.empty() && foreign_variables(text(name, "=")).empty()) return nullptr;
  return const_cast<char*>(value.data());
}

void bupc_trace_setmask(const char* /*mask*/) {}
const char* bupc_trace_getmask() { return ""; }
void bupc_trace_settracelocal(int /*is_wanted*/) {}
int bupc_trace_gettracelocal() { return 0; }
void bupc_stats_setmask(const char* /*mask*/) {}
const char* bupc_stats_getmask() { return ""; }

unsigned int bupc_thread_distance(int thread, int other) {
  process_state& us = running("bupc_thread_distance");
  if (thread == other) return BUPC_THREADS_SAME;
  const job_hosts& hosts = us.runtime.hosts();
  const bool is_near = hosts.neighbourhood_of(static_cast<rank_id>(thread)) ==
                       hosts.neighbourhood_of(static_cast<rank_id>(other));
  return is_near ? BUPC_THREADS_VERYNEAR : BUPC_THREADS_VERYFAR;
}

void* bupc_cast(atoll_upc_pointer ptr) { return upc_cast(ptr); }
int bupc_castable(atoll_upc_pointer ptr) {
  return ptr.offset == 0 || upc_cast(ptr) != nullptr ? 1 : 0;
}

int bupc_thread_castable(unsigned int thread) {
  return upc_thread_info(thread).guaranteedCastable == UPC_CASTABLE_ALL ? 1 : 0;
}

atoll_upc_pointer bupc_local_to_shared(void* ptr, int thread, int phase) {
  static constexpr const char* call = "bupc_local_to_shared";
  process_state& us = running(call);
  const std::uint64_t offset = us.own_offset(ptr);
  if (ptr == nullptr || offset >= us.heaps.own_part().bytes) {
    refuse(call, "the address is not in shared memory of this thread",
           "give the address of an object with affinity to the thread");
  }
  return {offset, static_cast<std::uint32_t>(thread), static_cast<std::uint32_t>(phase)};
}

atoll_upc_pointer bupc_inverse_cast(void* ptr) {
  process_state& us = running("bupc_inverse_cast");
  if (ptr == nullptr) return {0, 0, 0};
  const std::uint64_t own = us.own_offset(ptr);
  if (own != 0 && own < us.heaps.own_part().bytes) return {own, us.rank(), 0};
  for (rank_id thread = 0; thread < us.size(); ++thread) {
    const atoll_route& row = us.routes[thread];
    const std::uint64_t offset =
        reinterpret_cast<std::uintptr_t>(ptr) - reinterpret_cast<std::uintptr_t>(row.local);
    if (row.local != nullptr && offset != 0 && offset < row.bytes) return {offset, thread, 0};
  }
  return {0, 0, 0};
}

int bupc_dump_shared(atoll_upc_pointer ptr, char* buffer, int length) {
  if (length < BUPC_DUMP_MIN_LENGTH) {
    errno = EINVAL;
    return -1;
  }
  const std::string words = text("<address=", reinterpret_cast<void*>(ptr.offset),
                                 ", thread=", ptr.thread, ", phase=", ptr.phase, ">");
  buffer[words.copy(buffer, static_cast<std::size_t>(length) - 1)] = '\0';
  return 0;
}

atoll_upc_pointer bupc_ptradd(atoll_upc_pointer p, std::size_t blockelems, std::size_t elemsz,
                              std::ptrdiff_t elemincr) {
  return atoll_upc_add(p, elemincr, elemsz, blockelems);
}

#define ATOLL_UPC_DEFINE_BUPC_ATOMICS(NAME, TYPE, KIND)                                     \
  TYPE bupc_atomic##NAME##_read_##KIND(atoll_upc_pointer ptr) {                             \
    return perform<TYPE>(access_order::KIND, ptr, atomic_op::get, 0, 0);                    \
  }                                                                                         \
  void bupc_atomic##NAME##_set_##KIND(atoll_upc_pointer ptr, TYPE value) {                  \
    perform<TYPE>(access_order::KIND, ptr, atomic_op::set, value, 0);                       \
  }                                                                                         \
  TYPE bupc_atomic##NAME##_swap_##KIND(atoll_upc_pointer ptr, TYPE value) {                 \
    return perform<TYPE>(access_order::KIND, ptr, atomic_op::swap, value, 0);               \
  }                                                                                         \
  TYPE bupc_atomic##NAME##_cswap_##KIND(atoll_upc_pointer ptr, TYPE expected, TYPE value) { \
    return perform<TYPE>(access_order::KIND, ptr, atomic_op::fetch_cas, expected, value);   \
  }                                                                                         \
  TYPE bupc_atomic##NAME##_fetchadd_##KIND(atoll_upc_pointer ptr, TYPE value) {             \
    return perform<TYPE>(access_order::KIND, ptr, atomic_op::fetch_add, value, 0);          \
  }                                                                                         \
  TYPE bupc_atomic##NAME##_fetchand_##KIND(atoll_upc_pointer ptr, TYPE value) {             \
    return perform<TYPE>(access_order::KIND, ptr, atomic_op::fetch_and, value, 0);          \
  }                                                                                         \
  TYPE bupc_atomic##NAME##_fetchor_##KIND(atoll_upc_pointer ptr, TYPE value) {              \
    return perform<TYPE>(access_order::KIND, ptr, atomic_op::fetch_or, value, 0);           \
  }                                                                                         \
  TYPE bupc_atomic##NAME##_fetchxor_##KIND(atoll_upc_pointer ptr, TYPE value) {             \
    return perform<TYPE>(access_order::KIND, ptr, atomic_op::fetch_xor, value, 0);          \
  }                                                                                         \
  TYPE bupc_atomic##NAME##_fetchnot_##KIND(atoll_upc_pointer ptr) {                         \
    return perform<TYPE>(access_order::KIND, ptr, atomic_op::fetch_xor,                     \
                         static_cast<TYPE>(~static_cast<TYPE>(0)), 0);                      \
  }
ATOLL_UPC_FOR_BUPC_ATOMICS(ATOLL_UPC_DEFINE_BUPC_ATOMICS)
