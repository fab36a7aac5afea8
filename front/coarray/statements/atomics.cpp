// SPDX-License-Identifier: BSD-3-Clause
//
// Atomic subroutines. Each makes progress where some images are reached by messages: a program that
// reads a variable again and again until another image changes it must let that image's message in.
#include <front/coarray/statements/atomics.hpp>

#include <atoll/base/text.hpp>
#include <atoll/core/atomic/atomic.hpp>
#include <front/coarray/failures/failed_images.hpp>

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
void run(process_state& us, const remote_place& target,
         const atomic_operation& operation) noexcept {
  const T seen = atomic<T>(us.heaps, target.rank, reinterpret_cast<T*>(target.address),
                           {.op = operation.op,
                            .operand = operand_of<T>(operation.operand),
                            .operand2 = operand_of<T>(operation.operand2)},
                           {.acquire = true, .release = true});
  if (operation.old != nullptr) std::memcpy(operation.old, &seen, sizeof seen);
}

}  // namespace

void run_atomic(const char* call, const remote_place& target, int kind,
                const atomic_operation& operation, const status_variables& status) noexcept {
  process_state& us = running();
  note_status(us, status);
  us.writes.wait();
  us.answer_others();
  check_patience(us, call);
  if (kind == 4) {
    run<std::int32_t>(us, target, operation);
  } else if (kind == 8) {
    run<std::int64_t>(us, target, operation);
  } else {
    refuse(call, text("kind ", kind, " has no atomic operations"),
           "use atomic_int_kind or atomic_logical_kind");
  }
  if (has_failed(us, target.rank)) return tell_failed_rank(us, status, call, target.rank);
  status.succeed();
}

}  // namespace atl::coarray
