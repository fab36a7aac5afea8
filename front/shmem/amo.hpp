// SPDX-License-Identifier: BSD-3-Clause
//
// One remote atomic operation, for the chapters on atomics, signals and locks. The types of the
// interface become those of the core by size and sign.
#pragma once

#include <atoll/core/atomic/atomic.hpp>
#include <front/shmem/transfer.hpp>

#include <cstdint>

namespace atl::shmem {

/// The operation in the core's terms, on the object at the place.
template <class T>
atomic_call call_at(const remote_object& object, atomic_op op, T* fetched, T operand,
                    T operand2) noexcept {
  using number = core_number<T>;
  return call_of(reinterpret_cast<number*>(object.address),
                 {.op = op,
                  .operand = static_cast<number>(operand),
                  .operand2 = static_cast<number>(operand2)},
                 reinterpret_cast<number*>(fetched));
}

/// Does the operation where loads and stores reach the object; else returns false.
template <class T>
bool amo_direct(process_state& us, const remote_object& to, atomic_op op, T* fetched, T operand,
                T operand2) noexcept {
  using number = core_number<T>;
  if (!atomic_direct(*to.memory, to.rank, reinterpret_cast<number*>(to.address),
                     {.op = op,
                      .operand = static_cast<number>(operand),
                      .operand2 = static_cast<number>(operand2)},
                     reinterpret_cast<number*>(fetched), {.acquire = true, .release = true}))
    return false;
  if (op != atomic_op::get) atoll_shmem_changed(&us.rows[to.rank]);
  return true;
}

/// Performs the operation on the object of PE `pe`; returns what the number was where the
/// operation fetches. Where it does not fetch and is not direct, it is complete after quiet, and
/// before the next one that fetches: a PE that adds to a number and then reads it finds its sum.
/// The specification asks for a fence in between, which programs forget.
template <class T>
T amo(const char* call, shmem_ctx_t ctx, const T* object, int pe, atomic_op op, T operand = {},
      T operand2 = {}) noexcept {
  process_state& us = running(call);
  context_state& context = context_of(call, ctx);
  const remote_object to = find_place(us, call, ctx, object, sizeof(T), pe);
  T fetched{};
  if (amo_direct(us, to, op, &fetched, operand, operand2)) {
    if (fetches(op)) after_fetch(us, to.address, bits_of(&fetched, sizeof fetched));
    return fetched;
  }
  const atomic_call remote = call_at(to, op, &fetched, operand, operand2);
  if (fetches(op)) {
    context.wait_for_silent_atomics();
    atomic_out_of_line(*to.memory, to.rank, remote);
  } else {
    context.has_silent_atomics.store(true, std::memory_order_relaxed);
    start_atomic(*to.memory, to.rank, remote, context.silent_atomics.current());
  }
  if (op != atomic_op::get) wake(us, to.rank);
  return fetched;
}

/// The same in a nonblocking form: `*fetched` is valid after quiet.
template <class T>
void amo_nbi(const char* call, shmem_ctx_t ctx, T* fetched, const T* object, int pe, atomic_op op,
             T operand = {}, T operand2 = {}) noexcept {
  process_state& us = running(call);
  context_state& context = context_of(call, ctx);
  const remote_object to = find_place(us, call, ctx, object, sizeof(T), pe);
  if (amo_direct(us, to, op, fetched, operand, operand2)) return;
  start_atomic(*to.memory, to.rank, call_at(to, op, fetched, operand, operand2),
               context.pending.current());
}

}  // namespace atl::shmem
