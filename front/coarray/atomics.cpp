// SPDX-License-Identifier: BSD-3-Clause
//
// Atomic subroutines. Each makes progress where some images come by messages: a program that asks
// for a variable again and again until another image changes it must let that image in.
#include <front/coarray/atomics.hpp>

#include <atoll/base/text.hpp>
#include <atoll/core/atomic/atomic.hpp>

#include <cstring>

namespace atl::coarray {
namespace {

template <class T>
T operand_of(const void* from) noexcept {
  T value{};
  if (from != nullptr) std::memcpy(&value, from, sizeof value);
  return value;
}

template <class T>
void run(process& us, rank_id rank, std::byte* address, atomic_op op, const void* operand,
         const void* operand2, void* old) noexcept {
  const T seen =
      atomic<T>(us.heaps, rank, reinterpret_cast<T*>(address),
                {.op = op, .operand = operand_of<T>(operand), .operand2 = operand_of<T>(operand2)},
                {.acquire = true, .release = true});
  if (old != nullptr) std::memcpy(old, &seen, sizeof seen);
}

}  // namespace

void run_atomic(const char* call, const atomic_object& target, atomic_op op, const void* operand,
                const void* operand2, void* old) noexcept {
  process& us = running();
  us.answer_others();
  const rank_id rank = target.image == 0 ? us.runtime.rank() : rank_of(us, call, target.image);
  std::byte* const address = us.remote_address(rank, target.object->memory) + target.offset;
  if (target.kind == 4) {
    run<std::int32_t>(us, rank, address, op, operand, operand2, old);
  } else if (target.kind == 8) {
    run<std::int64_t>(us, rank, address, op, operand, operand2, old);
  } else {
    refuse(call, text("kind ", target.kind, " has no atomic operations"),
           "use atomic_int_kind or atomic_logical_kind");
  }
}

}  // namespace atl::coarray
