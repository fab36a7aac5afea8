// SPDX-License-Identifier: BSD-3-Clause
//
// The out-of-line functions of atoll/abi.h: they turn their arguments into the core's types, and
// the core does the rest. Types and operations have the same values in the core's enumerations.
#include <atoll/abi.h>

#include <atoll/base/log.hpp>
#include <atoll/base/text.hpp>
#include <atoll/core/atomic/atomic.hpp>
#include <atoll/core/job/runtime.hpp>
#include <atoll/core/job/shared_runtime.hpp>
#include <atoll/core/rma/rma.hpp>

#include <cstdlib>

namespace atl {
namespace {

constexpr bool matches(int c_value, data_type core_value) {
  return c_value == static_cast<int>(core_value);
}
constexpr bool matches(int c_value, atomic_op core_value) {
  return c_value == static_cast<int>(core_value);
}
static_assert(matches(ATOLL_I32, data_type::i32) && matches(ATOLL_U32, data_type::u32) &&
              matches(ATOLL_I64, data_type::i64) && matches(ATOLL_U64, data_type::u64) &&
              matches(ATOLL_F32, data_type::f32) && matches(ATOLL_F64, data_type::f64));
static_assert(matches(ATOLL_ATOMIC_AND, atomic_op::bit_and) &&
              matches(ATOLL_ATOMIC_DEC, atomic_op::dec) &&
              matches(ATOLL_ATOMIC_SET, atomic_op::set) &&
              matches(ATOLL_ATOMIC_CAS, atomic_op::cas) &&
              matches(ATOLL_ATOMIC_GET, atomic_op::get) &&
              matches(ATOLL_ATOMIC_FETCH_AND, atomic_op::fetch_and) &&
              matches(ATOLL_ATOMIC_FETCH_DEC, atomic_op::fetch_dec) &&
              matches(ATOLL_ATOMIC_SWAP, atomic_op::swap) &&
              matches(ATOLL_ATOMIC_FETCH_CAS, atomic_op::fetch_cas));

runtime& running(const char* call) noexcept {
  if (runtime* const found = running_runtime()) return *found;
  log_error(text(call, ": no runtime has been started; start a front first, such as ",
                 "gex_Client_Init() or upcxx::init()"));
  std::_Exit(EXIT_FAILURE);
}

atoll_event handle_of(event& done) noexcept {
  return reinterpret_cast<atoll_event>(done.release());
}

event event_of(atoll_event handle) noexcept { return event(reinterpret_cast<operation*>(handle)); }

}  // namespace
}  // namespace atl

using namespace atl;

const atoll_segment* atoll_library_heaps(unsigned version) {
  if (version != ATOLL_ABI_VERSION) {
    log_error(text("atoll_library_heaps: compiled with atoll/abi.h of version ", version,
                   ", but libatoll.so has version ", ATOLL_ABI_VERSION,
                   "; compile the program again with the headers of this installation"));
    std::_Exit(EXIT_FAILURE);
  }
  runtime* const job = running_runtime();
  return job != nullptr ? job->heaps().handle() : nullptr;
}

const atoll_segment* atoll_library_segment(std::uint32_t number) {
  segment* const found = running("atoll_library_segment").find_segment(number);
  return found != nullptr ? found->handle() : nullptr;
}

std::uint32_t atoll_library_rank() { return running("atoll_library_rank").rank(); }
std::uint32_t atoll_library_ranks() { return running("atoll_library_ranks").size(); }

void* atoll_library_allocate(std::size_t bytes) {
  return running("atoll_library_allocate").heap().allocate(bytes, 64);
}

void atoll_library_free(void* memory) { running("atoll_library_free").heap().free(memory); }

void atoll_library_put(const atoll_segment* shared, std::uint32_t rank, void* to, const void* from,
                       std::size_t bytes) {
  put(segment::from_handle(shared), rank, to, from, bytes);
}

void atoll_library_get(const atoll_segment* shared, void* to, std::uint32_t rank, const void* from,
                       std::size_t bytes) {
  get(segment::from_handle(shared), to, rank, from, bytes);
}

atoll_event atoll_library_put_nb(const atoll_segment* shared, std::uint32_t rank, void* to,
                                 const void* from, std::size_t bytes) {
  event done;
  put_nb(segment::from_handle(shared), rank, to, from, bytes, done);
  return handle_of(done);
}

atoll_event atoll_library_get_nb(const atoll_segment* shared, void* to, std::uint32_t rank,
                                 const void* from, std::size_t bytes) {
  event done;
  get_nb(segment::from_handle(shared), to, rank, from, bytes, done);
  return handle_of(done);
}

std::uint64_t atoll_library_atomic(const atoll_segment* shared, std::uint32_t rank, void* remote,
                                   int type, int operation, std::uint64_t operand,
                                   std::uint64_t operand2) {
  segment& in = segment::from_handle(shared);
  const bool is_type = type >= ATOLL_I32 && type <= ATOLL_F64;
  if (!is_type || operation < 0 || operation > ATOLL_ATOMIC_FETCH_CAS) {
    in.owner().fail(text("atoll_library_atomic to rank ", rank),
                    text("there is no type ", type, " with an operation ", operation),
                    "use the names of atoll/abi.h");
  }
  std::uint64_t old_value = 0;
  const auto op = static_cast<atomic_op>(operation);
  with_type(static_cast<data_type>(type), [&]<class T>(T) {
    if constexpr (is_atomic_number<T>) {
      const T result = atomic(
          in, rank, static_cast<T*>(remote),
          {.op = op, .operand = value_of_bits<T>(operand), .operand2 = value_of_bits<T>(operand2)});
      if (fetches(op)) old_value = bits_of(result);
    }
  });
  return old_value;
}

int atoll_library_test(atoll_event* done) {
  event held = event_of(*done);
  const bool complete = running("atoll_library_test").test(held);
  *done = complete ? nullptr : handle_of(held);
  return complete ? 1 : 0;
}

void atoll_library_wait(atoll_event* done) {
  event held = event_of(*done);
  running("atoll_library_wait").wait(held);
  *done = nullptr;
}

std::size_t atoll_library_progress() { return running("atoll_library_progress").progress(); }

void atoll_library_barrier() { running("atoll_library_barrier").world().barrier(); }
