// SPDX-License-Identifier: BSD-3-Clause
//
// The functions that gfortran calls for -fcoarray=lib in the same way in all versions: start and
// end, memory, locks, events, atomic and collective subroutines; names and orders of arguments, and
// nothing else. Before an image ends, the buffers of the Fortran library are written out here,
// since libatoll does not know that library.
#include <front/coarray/failures/failed_images.hpp>
#include <front/coarray/failures/image_status.hpp>
#include <front/coarray/libcaf/quad_arithmetic.hpp>
#include <front/coarray/libcaf/team_argument.hpp>
#include <front/coarray/memory/coarray.hpp>
#include <front/coarray/statements/atomics.hpp>
#include <front/coarray/statements/collectives.hpp>
#include <front/coarray/statements/events.hpp>
#include <front/coarray/statements/locks.hpp>
#include <front/coarray/statements/random.hpp>
#include <front/coarray/statements/synchronization.hpp>
#include <front/coarray/statements/termination.hpp>
#include <front/coarray/statements/wide_reals.hpp>

#include <cstddef>
#include <cstdint>

namespace caf = atl::coarray;
using caf::gfortran::array_descriptor;
using caf::gfortran::type_code;

extern "C" [[gnu::weak]] const bool atoll_program_outlives_failures;  // in failed_images.cpp
extern "C" [[gnu::weak]] const bool atoll_program_shares_memory;      // in shared_allocation.cpp

namespace {

/// The job starts with the first call of the program: its main program, or a coarray.
void note_program() noexcept {
  if (&atoll_program_outlives_failures != nullptr) caf::expect_failures();
  if (&atoll_program_shares_memory != nullptr) caf::expect_shared_variables();
}

caf::registration registration_of(int kind) noexcept {
  return static_cast<caf::registration>(kind);
}

atl::atomic_op operation_of(int number, bool fetches) noexcept {
  using enum atl::atomic_op;
  switch (number) {
    case 1:
      return fetches ? fetch_add : add;
    case 2:
      return fetches ? fetch_and : bit_and;
    case 3:
      return fetches ? fetch_or : bit_or;
    default:
      return fetches ? fetch_xor : bit_xor;
  }
}

int kind_of_reals(const char* call, const array_descriptor& data, int* stat) noexcept {
  return caf::kind_of_reals(data, call, caf::program_has_kind_16(), {.stat = stat});
}

void find_extreme(array_descriptor& data, caf::extreme which, int result_image, int length,
                  int* stat) noexcept {
  const int kind = kind_of_reals(which == caf::extreme::least ? "CO_MIN" : "CO_MAX", data, stat);
  if (kind < 0) return;
  caf::co_extreme(data, which, result_image, {.kind = kind, .length = length}, {.stat = stat});
}

bool is_failed_image(const int* stat) noexcept {
  return stat != nullptr &&
         *stat == code_of(caf::gfortran_codes, caf::statement_error::failed_image);
}

caf::remote_place word_at(const char* call, const caf::coarray* token, std::size_t index,
                          int image) noexcept {
  return caf::place_of(call, *token, index * caf::word_bytes, image);
}

// Not inlined, so that the usual EVENT POST and EVENT WAIT stay short. The arguments are in the
// order of their callers, so that they stay in their registers.

[[gnu::noinline]] void post_event_in_general(const caf::coarray* token, std::size_t index,
                                             int image, int* stat, char* message,
                                             std::size_t message_bytes) noexcept {
  caf::post_event(word_at("EVENT POST", token, index, image), {stat, message, message_bytes});
}

[[gnu::noinline]] void wait_for_event_in_general(const caf::coarray* token, std::size_t index,
                                                 int until_count, int* stat, char* message,
                                                 std::size_t message_bytes) noexcept {
  caf::wait_for_event(token->memory + index * caf::word_bytes, token->to_taken, until_count,
                      {stat, message, message_bytes});
}

}  // namespace

// NOLINTBEGIN(readability-identifier-naming): the names are not ours

extern "C" {

// --- of the Fortran library

void _gfortran_flush_i4(const std::int32_t* unit);  // null: all units
void _gfortran_random_seed_i4(std::int32_t* size, array_descriptor* put, array_descriptor* get);

// --- start, end

void _gfortran_caf_init(int*, char***) {
  note_program();
  static_cast<void>(caf::running());  // here, so that the stamp of this archive is compared
  caf::sync_all();
}

void _gfortran_caf_finalize() {
  _gfortran_flush_i4(nullptr);
  caf::finalize();
}

void _gfortran_caf_stop_numeric(int code, bool quiet) {
  _gfortran_flush_i4(nullptr);
  caf::stop(code, quiet);
}

void _gfortran_caf_stop_str(const char* text, std::size_t bytes, bool quiet) {
  _gfortran_flush_i4(nullptr);
  caf::stop(text, bytes, quiet);
}

void _gfortran_caf_error_stop(int code, bool quiet) {
  _gfortran_flush_i4(nullptr);
  caf::error_stop(code, quiet);
}

void _gfortran_caf_error_stop_str(const char* text, std::size_t bytes, bool quiet) {
  _gfortran_flush_i4(nullptr);
  caf::error_stop(text, bytes, quiet);
}

void _gfortran_caf_stopped_images(array_descriptor* list, caf::image_team** team, const int* kind) {
  caf::list_images(*list, caf::image_state::stopped, caf::team_at(team),
                   kind != nullptr ? *kind : 4);
}

void _gfortran_caf_random_init(bool repeatable, bool image_distinct) {
  std::int32_t size = 0;
  _gfortran_random_seed_i4(&size, nullptr, nullptr);
  std::int32_t words[64] = {};
  caf::make_seed(repeatable, image_distinct, words);
  array_descriptor seed = {};
  seed.data = reinterpret_cast<std::byte*>(words);
  seed.dtype = {sizeof words[0], 0, 1, type_code::integer, 0};
  seed.span = sizeof words[0];
  seed.dim[0] = {1, 0, size - 1};
  _gfortran_random_seed_i4(nullptr, &seed, nullptr);
}

// --- memory

// Where STAT= is not 0 the compiler does not set the bounds. So if the others have their parts this
// reports no failed images; the next statement that can do so reports them.
void _gfortran_caf_register(std::size_t size, int kind, caf::coarray** token,
                            array_descriptor* described_by, int* stat, char* message,
                            std::size_t message_bytes) {
  note_program();
  caf::process_state& us = caf::running();
  const std::size_t failures_reported = us.failures_reported;
  caf::register_coarray(size, registration_of(kind), token, described_by,
                        {stat, message, message_bytes});
  if (!is_failed_image(stat) || described_by->data == nullptr) return;
  *stat = 0;
  us.failures_reported = failures_reported;
}

void _gfortran_caf_deregister(caf::coarray** token, int kind, int* stat, char* message,
                              std::size_t message_bytes) {
  caf::deregister_coarray(token, static_cast<caf::deregistration>(kind),
                          {stat, message, message_bytes});
}

// --- locks, events

void _gfortran_caf_lock(caf::coarray* token, std::size_t index, int image, int* acquired, int* stat,
                        char* message, std::size_t message_bytes) {
  caf::lock(word_at("LOCK", token, index, image), acquired, {stat, message, message_bytes});
}

void _gfortran_caf_unlock(caf::coarray* token, std::size_t index, int image, int* stat,
                          char* message, std::size_t message_bytes) {
  caf::unlock(word_at("UNLOCK", token, index, image), {stat, message, message_bytes});
}

void _gfortran_caf_event_post(caf::coarray* token, std::size_t index, int image, int* stat,
                              char* message, std::size_t message_bytes) {
  caf::event_count* const posts = stat == nullptr ? caf::find_posts(*token, index, image) : nullptr;
  if (posts == nullptr) [[unlikely]]
    return post_event_in_general(token, index, image, stat, message, message_bytes);
  caf::count_post(*posts);
  caf::wake_image(image);
}

void _gfortran_caf_event_wait(caf::coarray* token, std::size_t index, int until_count, int* stat,
                              char* message, std::size_t message_bytes) {
  if (stat == nullptr && caf::take_prompt_posts(*token, index, until_count)) [[likely]]
    return;
  wait_for_event_in_general(token, index, until_count, stat, message, message_bytes);
}

void _gfortran_caf_event_query(caf::coarray* token, std::size_t index, int image, int* count,
                               int* stat) {
  *count = static_cast<int>(caf::query_event(word_at("EVENT_QUERY", token, index, image),
                                             token->to_taken, {.stat = stat}));
}

// --- atomics

void _gfortran_caf_atomic_define(caf::coarray* token, std::size_t offset, int image,
                                 const void* value, int* stat, int, int kind) {
  static constexpr const char* call = "ATOMIC_DEFINE";
  caf::run_atomic(call, caf::place_of(call, *token, offset, image), kind,
                  {.op = atl::atomic_op::set, .operand = value}, {.stat = stat});
}

void _gfortran_caf_atomic_ref(caf::coarray* token, std::size_t offset, int image, void* value,
                              int* stat, int, int kind) {
  static constexpr const char* call = "ATOMIC_REF";
  caf::run_atomic(call, caf::place_of(call, *token, offset, image), kind,
                  {.op = atl::atomic_op::get, .old = value}, {.stat = stat});
}

void _gfortran_caf_atomic_cas(caf::coarray* token, std::size_t offset, int image, void* old,
                              const void* compared, const void* value, int* stat, int, int kind) {
  static constexpr const char* call = "ATOMIC_CAS";
  caf::run_atomic(
      call, caf::place_of(call, *token, offset, image), kind,
      {.op = atl::atomic_op::fetch_cas, .operand = compared, .operand2 = value, .old = old},
      {.stat = stat});
}

void _gfortran_caf_atomic_op(int operation, caf::coarray* token, std::size_t offset, int image,
                             const void* value, void* old, int* stat, int, int kind) {
  static constexpr const char* call = "an atomic subroutine";
  caf::run_atomic(call, caf::place_of(call, *token, offset, image), kind,
                  {.op = operation_of(operation, old != nullptr), .operand = value, .old = old},
                  {.stat = stat});
}

// --- collectives

// gfortran 12 passes the text of ERRMSG= by value, where its address and length should be, so the
// variable is not changed.

void _gfortran_caf_co_broadcast(array_descriptor* data, int source_image, int* stat, char*,
                                std::size_t) {
  if (!caf::lacks_span(*data)) return caf::co_broadcast(*data, source_image, {.stat = stat});
  array_descriptor component{.data = data->data,
                             .offset = 0,
                             .dtype = data->dtype,
                             .span = static_cast<std::ptrdiff_t>(data->dtype.element_bytes),
                             .dim = {data->dim[0]}};
  caf::co_broadcast(component, source_image, {.stat = stat});
}

void _gfortran_caf_co_sum(array_descriptor* data, int result_image, int* stat, char*, std::size_t) {
  const int kind = kind_of_reals("CO_SUM", *data, stat);
  if (kind >= 0) caf::co_sum(*data, result_image, kind, {.stat = stat});
}

void _gfortran_caf_co_min(array_descriptor* data, int result_image, int* stat, char*, int length,
                          std::size_t) {
  find_extreme(*data, caf::extreme::least, result_image, length, stat);
}

void _gfortran_caf_co_max(array_descriptor* data, int result_image, int* stat, char*, int length,
                          std::size_t) {
  find_extreme(*data, caf::extreme::greatest, result_image, length, stat);
}

void _gfortran_caf_co_reduce(array_descriptor* data, void* function, int flags, int result_image,
                             int* stat, char*, int length, std::size_t) {
  const int kind = kind_of_reals("CO_REDUCE", *data, stat);
  if (kind < 0) return;
  caf::co_reduce(*data, {function, flags, kind}, result_image, length, {.stat = stat});
}

}  // extern "C"

// NOLINTEND(readability-identifier-naming)
