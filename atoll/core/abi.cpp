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
#include <atoll/core/job/starting.hpp>
#include <atoll/core/progress/operation_group.hpp>
#include <atoll/core/rma/rma.hpp>
#include <atoll/core/segment/segment_access.hpp>

#include <cstdlib>
#include <deque>
#include <mutex>
#include <new>
#include <string>
#include <string_view>

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

static_assert(static_cast<int>(operation_status::done) == ATOLL_DONE &&
              static_cast<int>(operation_status::peer_lost) == ATOLL_PEER_LOST);
int code_of(operation_status status) noexcept { return static_cast<int>(status); }

operation_group& group_of(atoll_group handle) noexcept {
  return *reinterpret_cast<operation_group*>(handle);
}

/// A handler in C of losses. It is kept until the process ends, because the runtime may call it as
/// long as it lasts.
struct loss_handler {
  void (*run)(void* context, std::uint32_t rank, const char* cause);
  void* context;
};

void tell_of_loss(void* context, rank_id peer, std::string_view cause) noexcept {
  const loss_handler& handler = *static_cast<loss_handler*>(context);
  if (handler.run != nullptr) handler.run(handler.context, peer, std::string(cause).c_str());
}

loss_handler& keep(const loss_handler& handler) {
  static std::mutex guard;
  static auto& kept = *new std::deque<loss_handler>;
  const std::lock_guard hold(guard);
  return kept.emplace_back(handler);
}

event event_of(atoll_event handle) noexcept { return event(reinterpret_cast<operation*>(handle)); }

}  // namespace
}  // namespace atl

using namespace atl;

const atoll_segment* atoll_library_heaps(unsigned abi) {
  const unsigned version = abi & 0xffffu;
  const unsigned minor = abi >> 16;
  if (version != ATOLL_ABI_VERSION || minor > ATOLL_ABI_MINOR) {
    log_error(text("atoll_library_heaps: compiled with atoll/abi.h of version ", version, ".",
                   minor, ", but libatoll.so has version ", ATOLL_ABI_VERSION, ".", ATOLL_ABI_MINOR,
                   "; compile the program again with the headers of this installation, or run it "
                   "with the library that it was compiled for"));
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
  atoll_atomic request{type, operation, operand, operand2, 0};
  atoll_library_atomic_status(shared, rank, remote, &request);
  return request.old_value;
}

int atoll_library_atomic_status(const atoll_segment* shared, std::uint32_t rank, void* remote,
                                atoll_atomic* request) {
  segment& in = segment::from_handle(shared);
  const int type = request->type;
  const int operation = request->operation;
  const bool is_type = type >= ATOLL_I32 && type <= ATOLL_F64;
  if (!is_type || operation < 0 || operation > ATOLL_ATOMIC_FETCH_CAS) {
    in.owner().fail(text("an atomic of atoll/abi.h to rank ", rank),
                    text("there is no type ", type, " with an operation ", operation),
                    "use the names of atoll/abi.h");
  }
  operation_status status = operation_status::done;
  const auto op = static_cast<atomic_op>(operation);
  with_type(static_cast<data_type>(type), [&]<class T>(T) {
    if constexpr (is_atomic_number<T>) {
      T result{};
      const atomic_request<T> asked{.op = op,
                                    .operand = value_of_bits<T>(request->operand),
                                    .operand2 = value_of_bits<T>(request->operand2)};
      status = atomic_out_of_line(in, rank, call_of<T>(static_cast<T*>(remote), asked, &result));
      if (fetches(op) && status == operation_status::done) request->old_value = bits_of(result);
    }
  });
  return code_of(status);
}

int atoll_library_test(atoll_event* done) {
  return atoll_library_test_status(done) != ATOLL_UNDER_WAY ? 1 : 0;
}

void atoll_library_wait(atoll_event* done) { atoll_library_wait_status(done); }

int atoll_library_test_status(atoll_event* done) {
  event held = event_of(*done);
  operation_status status = operation_status::done;
  const bool complete = running("a test of an atoll_event").test(held, status);
  *done = complete ? nullptr : handle_of(held);
  return complete ? code_of(status) : ATOLL_UNDER_WAY;
}

int atoll_library_wait_status(atoll_event* done) {
  event held = event_of(*done);
  *done = nullptr;
  return code_of(running("a wait for an atoll_event").wait(held));
}

std::size_t atoll_library_progress() { return running("atoll_library_progress").progress(); }

void atoll_library_barrier() { atoll_library_barrier_status(); }

int atoll_library_barrier_status() {
  return code_of(running("atoll_library_barrier").world().barrier());
}

void atoll_library_on_peer_lost(void (*handler)(void* context, std::uint32_t rank,
                                                const char* cause),
                                void* context) {
  running("atoll_library_on_peer_lost")
      .on_peer_lost({.run = tell_of_loss, .context = &keep({handler, context})});
}

int atoll_library_is_lost(std::uint32_t rank) {
  return running("atoll_library_is_lost").failed(rank) ? 1 : 0;
}

int atoll_library_put_status(const atoll_segment* shared, std::uint32_t rank, void* to,
                             const void* from, std::size_t bytes) {
  return code_of(put(segment::from_handle(shared), rank, to, from, bytes));
}

int atoll_library_get_status(const atoll_segment* shared, void* to, std::uint32_t rank,
                             const void* from, std::size_t bytes) {
  return code_of(get(segment::from_handle(shared), to, rank, from, bytes));
}

atoll_group atoll_library_group_begin() {
  return reinterpret_cast<atoll_group>(new (std::nothrow)
                                           operation_group(running("atoll_library_group_begin")));
}

void atoll_library_group_end(atoll_group group) { delete &group_of(group); }

void atoll_library_put_in(atoll_group group, const atoll_segment* shared, std::uint32_t rank,
                          void* to, const void* from, std::size_t bytes) {
  segment& in = segment::from_handle(shared);
  if (put_mapped(in, rank, to, from, bytes)) {
    fence_stores();
    return;
  }
  refuse_in_handler(in, "put", rank);
  segment_access::start_put(in, rank, to, from, bytes, group_of(group).current(), {});
}

void atoll_library_get_in(atoll_group group, const atoll_segment* shared, void* to,
                          std::uint32_t rank, const void* from, std::size_t bytes) {
  segment& in = segment::from_handle(shared);
  if (get_mapped(in, to, rank, from, bytes)) return;
  refuse_in_handler(in, "get", rank);
  segment_access::start_get(in, to, rank, from, bytes, group_of(group).current(), {});
}

int atoll_library_group_wait(atoll_group group) { return code_of(group_of(group).wait()); }

int atoll_library_group_test(atoll_group group) {
  operation_status status = operation_status::done;
  return group_of(group).test(status) ? code_of(status) : ATOLL_UNDER_WAY;
}
