// SPDX-License-Identifier: BSD-3-Clause
//
// PRIF: atomic memory operations, on integers and logicals of 8 bytes. Each has two forms: with a
// coarray and a distance, and with an address ("indirect").
#include <front/coarray/prif/outcome.hpp>
#include <front/coarray/prif/peer.hpp>
#include <front/coarray/statements/atomics.hpp>

namespace atl::coarray::prif {
namespace {

using word = std::int64_t;
constexpr int kind = sizeof(word);
constexpr const char* call = "an atomic subroutine";

void run(const remote_place& place, const atomic_operation& operation, int* stat) noexcept {
  run_atomic(call, place, kind, operation, {.stat = stat, .codes = &stat_codes});
}

}  // namespace

extern "C" {

void atoll_prif_atomic_add(const int* image, handle* const* coarray, const std::size_t* offset,
                           const word* value, int* stat) {
  run(place_in(call, *image, **coarray, *offset), {.op = atomic_op::add, .operand = value}, stat);
}

void atoll_prif_atomic_add_indirect(const int* image, const std::intptr_t* address,
                                    const word* value, int* stat) {
  run(place_at(call, *image, *address), {.op = atomic_op::add, .operand = value}, stat);
}

void atoll_prif_atomic_and(const int* image, handle* const* coarray, const std::size_t* offset,
                           const word* value, int* stat) {
  run(place_in(call, *image, **coarray, *offset), {.op = atomic_op::bit_and, .operand = value},
      stat);
}

void atoll_prif_atomic_and_indirect(const int* image, const std::intptr_t* address,
                                    const word* value, int* stat) {
  run(place_at(call, *image, *address), {.op = atomic_op::bit_and, .operand = value}, stat);
}

void atoll_prif_atomic_or(const int* image, handle* const* coarray, const std::size_t* offset,
                          const word* value, int* stat) {
  run(place_in(call, *image, **coarray, *offset), {.op = atomic_op::bit_or, .operand = value},
      stat);
}

void atoll_prif_atomic_or_indirect(const int* image, const std::intptr_t* address,
                                   const word* value, int* stat) {
  run(place_at(call, *image, *address), {.op = atomic_op::bit_or, .operand = value}, stat);
}

void atoll_prif_atomic_xor(const int* image, handle* const* coarray, const std::size_t* offset,
                           const word* value, int* stat) {
  run(place_in(call, *image, **coarray, *offset), {.op = atomic_op::bit_xor, .operand = value},
      stat);
}

void atoll_prif_atomic_xor_indirect(const int* image, const std::intptr_t* address,
                                    const word* value, int* stat) {
  run(place_at(call, *image, *address), {.op = atomic_op::bit_xor, .operand = value}, stat);
}

void atoll_prif_atomic_fetch_add(const int* image, handle* const* coarray,
                                 const std::size_t* offset, const word* value, word* old,
                                 int* stat) {
  run(place_in(call, *image, **coarray, *offset),
      {.op = atomic_op::fetch_add, .operand = value, .old = old}, stat);
}

void atoll_prif_atomic_fetch_add_indirect(const int* image, const std::intptr_t* address,
                                          const word* value, word* old, int* stat) {
  run(place_at(call, *image, *address), {.op = atomic_op::fetch_add, .operand = value, .old = old},
      stat);
}

void atoll_prif_atomic_fetch_and(const int* image, handle* const* coarray,
                                 const std::size_t* offset, const word* value, word* old,
                                 int* stat) {
  run(place_in(call, *image, **coarray, *offset),
      {.op = atomic_op::fetch_and, .operand = value, .old = old}, stat);
}

void atoll_prif_atomic_fetch_and_indirect(const int* image, const std::intptr_t* address,
                                          const word* value, word* old, int* stat) {
  run(place_at(call, *image, *address), {.op = atomic_op::fetch_and, .operand = value, .old = old},
      stat);
}

void atoll_prif_atomic_fetch_or(const int* image, handle* const* coarray, const std::size_t* offset,
                                const word* value, word* old, int* stat) {
  run(place_in(call, *image, **coarray, *offset),
      {.op = atomic_op::fetch_or, .operand = value, .old = old}, stat);
}

void atoll_prif_atomic_fetch_or_indirect(const int* image, const std::intptr_t* address,
                                         const word* value, word* old, int* stat) {
  run(place_at(call, *image, *address), {.op = atomic_op::fetch_or, .operand = value, .old = old},
      stat);
}

void atoll_prif_atomic_fetch_xor(const int* image, handle* const* coarray,
                                 const std::size_t* offset, const word* value, word* old,
                                 int* stat) {
  run(place_in(call, *image, **coarray, *offset),
      {.op = atomic_op::fetch_xor, .operand = value, .old = old}, stat);
}

void atoll_prif_atomic_fetch_xor_indirect(const int* image, const std::intptr_t* address,
                                          const word* value, word* old, int* stat) {
  run(place_at(call, *image, *address), {.op = atomic_op::fetch_xor, .operand = value, .old = old},
      stat);
}

void atoll_prif_atomic_cas_int(const int* image, handle* const* coarray, const std::size_t* offset,
                               word* old, const word* compare, const word* next, int* stat) {
  run(place_in(call, *image, **coarray, *offset),
      {.op = atomic_op::fetch_cas, .operand = compare, .operand2 = next, .old = old}, stat);
}

void atoll_prif_atomic_cas_int_indirect(const int* image, const std::intptr_t* address, word* old,
                                        const word* compare, const word* next, int* stat) {
  run(place_at(call, *image, *address),
      {.op = atomic_op::fetch_cas, .operand = compare, .operand2 = next, .old = old}, stat);
}

void atoll_prif_atomic_define_int(const int* image, handle* const* coarray,
                                  const std::size_t* offset, const word* value, int* stat) {
  run(place_in(call, *image, **coarray, *offset), {.op = atomic_op::set, .operand = value}, stat);
}

void atoll_prif_atomic_define_int_indirect(const int* image, const std::intptr_t* address,
                                           const word* value, int* stat) {
  run(place_at(call, *image, *address), {.op = atomic_op::set, .operand = value}, stat);
}

void atoll_prif_atomic_ref_int(const int* image, handle* const* coarray, const std::size_t* offset,
                               word* value, int* stat) {
  run(place_in(call, *image, **coarray, *offset), {.op = atomic_op::get, .old = value}, stat);
}

void atoll_prif_atomic_ref_int_indirect(const int* image, const std::intptr_t* address, word* value,
                                        int* stat) {
  run(place_at(call, *image, *address), {.op = atomic_op::get, .old = value}, stat);
}

void atoll_prif_atomic_cas_logical(const int* image, handle* const* coarray,
                                   const std::size_t* offset, word* old, const word* compare,
                                   const word* next, int* stat) {
  run(place_in(call, *image, **coarray, *offset),
      {.op = atomic_op::fetch_cas, .operand = compare, .operand2 = next, .old = old}, stat);
}

void atoll_prif_atomic_cas_logical_indirect(const int* image, const std::intptr_t* address,
                                            word* old, const word* compare, const word* next,
                                            int* stat) {
  run(place_at(call, *image, *address),
      {.op = atomic_op::fetch_cas, .operand = compare, .operand2 = next, .old = old}, stat);
}

void atoll_prif_atomic_define_logical(const int* image, handle* const* coarray,
                                      const std::size_t* offset, const word* value, int* stat) {
  run(place_in(call, *image, **coarray, *offset), {.op = atomic_op::set, .operand = value}, stat);
}

void atoll_prif_atomic_define_logical_indirect(const int* image, const std::intptr_t* address,
                                               const word* value, int* stat) {
  run(place_at(call, *image, *address), {.op = atomic_op::set, .operand = value}, stat);
}

void atoll_prif_atomic_ref_logical(const int* image, handle* const* coarray,
                                   const std::size_t* offset, word* value, int* stat) {
  run(place_in(call, *image, **coarray, *offset), {.op = atomic_op::get, .old = value}, stat);
}

void atoll_prif_atomic_ref_logical_indirect(const int* image, const std::intptr_t* address,
                                            word* value, int* stat) {
  run(place_at(call, *image, *address), {.op = atomic_op::get, .old = value}, stat);
}

}  // extern "C"

}  // namespace atl::coarray::prif
