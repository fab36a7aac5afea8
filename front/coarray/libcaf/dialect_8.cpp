// SPDX-License-Identifier: BSD-3-Clause
//
// The functions that gfortran 8 to 14 calls for -fcoarray=lib: names and orders of arguments, and
// nothing else. Before an image ends, the buffers of the Fortran library are written out here,
// since libatoll does not know that library.
#include <front/coarray/atomics.hpp>
#include <front/coarray/coarray.hpp>
#include <front/coarray/collectives.hpp>
#include <front/coarray/element_access.hpp>
#include <front/coarray/events.hpp>
#include <front/coarray/failed_images.hpp>
#include <front/coarray/image_status.hpp>
#include <front/coarray/locks.hpp>
#include <front/coarray/random.hpp>
#include <front/coarray/reference.hpp>
#include <front/coarray/synchronization.hpp>
#include <front/coarray/teams.hpp>
#include <front/coarray/termination.hpp>
#include <front/coarray/transfer.hpp>

#include <cstdint>

namespace caf = atl::coarray;
using caf::gfortran::descriptor;
using caf::gfortran::reference;
using caf::gfortran::subscripts;
using caf::gfortran::type_code;

extern "C" [[gnu::weak]] const bool atoll_program_outlives_failures;  // in failed_images.cpp

namespace {

/// The job starts with the first call of the program: its main program, or a coarray.
void note_program() noexcept {
  if (&atoll_program_outlives_failures != nullptr) caf::expect_failures();
}

/// The compiler passes an integer of 32 bits, -1, where it has no team variable to name.
const caf::team_state* team_at(caf::team_state** variable) noexcept {
  const auto number = static_cast<std::int32_t>(reinterpret_cast<std::intptr_t>(variable));
  return variable == nullptr || number == -1 ? nullptr : *variable;
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

/// ERRMSG= of SYNC ALL, SYNC IMAGES and SYNC MEMORY comes as the address of a pointer to the
/// variable.
caf::status_variables status_of_sync(int* stat, char** message, std::size_t bytes) noexcept {
  return {stat, message != nullptr ? *message : nullptr, bytes};
}

bool is_failed_image(const int* stat) noexcept {
  return stat != nullptr && *stat == code_of(caf::gfortran_codes, caf::failure::failed_image);
}

caf::remote_place word_at(const char* call, const caf::coarray* token, std::size_t index,
                          int image) noexcept {
  return caf::place_of(call, *token, index * caf::word_bytes, image);
}

// The arguments of the next two are in the order of their callers, whose registers they are still
// in.

[[gnu::noinline]] void get_by_reference(caf::coarray* token, int image, descriptor* target,
                                        const reference* chain, int target_kind, int source_kind,
                                        bool may_allocate, int* stat, type_code type) noexcept {
  const caf::local_side to{target, target_kind};
  const caf::referenced from{token, image, chain, source_kind, type};
  if (stat == nullptr) return caf::get_by_reference(to, from, may_allocate);
  caf::get_by_reference(to, from, may_allocate, *stat);
}

[[gnu::noinline]] void send_by_reference(caf::coarray* token, int image, descriptor* source,
                                         const reference* chain, int target_kind, int source_kind,
                                         int* stat, type_code type) noexcept {
  const caf::referenced to{token, image, chain, target_kind, type};
  const caf::local_side from{source, source_kind};
  if (stat == nullptr) return caf::send_by_reference(to, from);
  caf::send_by_reference(to, from, *stat);
}

}  // namespace

// NOLINTBEGIN(readability-identifier-naming): the names are not ours

extern "C" {

// --- of the Fortran library

void _gfortran_flush_i4(const std::int32_t* unit);  // null: all units
void _gfortran_random_seed_i4(std::int32_t* size, descriptor* put, descriptor* get);

// --- start, end, questions

void _gfortran_caf_init(int*, char***) {
  note_program();
  caf::sync_all({});
}

void _gfortran_caf_finalize() {
  _gfortran_flush_i4(nullptr);
  caf::finalize();
}

int _gfortran_caf_this_image(int distance) { return caf::this_image(distance); }

// `failed` asks for all images (-1), for those that have not failed (0), or for those that have
// (1).
int _gfortran_caf_num_images(int distance, int failed) {
  if (failed < 0) return caf::num_images(distance);
  const int lost = caf::count_failed(distance);
  return failed == 1 ? lost : caf::num_images(distance) - lost;
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

void _gfortran_caf_stopped_images(descriptor* list, caf::team_state** team, const int* kind) {
  caf::list_images(*list, caf::image_state::stopped, team_at(team), kind != nullptr ? *kind : 4);
}

void _gfortran_caf_random_init(bool repeatable, bool image_distinct) {
  std::int32_t size = 0;
  _gfortran_random_seed_i4(&size, nullptr, nullptr);
  std::int32_t words[64] = {};
  caf::make_seed(repeatable, image_distinct, words);
  descriptor seed = {};
  seed.data = reinterpret_cast<std::byte*>(words);
  seed.dtype = {sizeof words[0], 0, 1, type_code::integer, 0};
  seed.span = sizeof words[0];
  seed.dim[0] = {1, 0, size - 1};
  _gfortran_random_seed_i4(nullptr, &seed, nullptr);
}

// --- memory

// Where STAT= is not 0 the compiler does not set the bounds. So it tells nothing of failed images
// when the others have their parts.
void _gfortran_caf_register(std::size_t size, int kind, caf::coarray** token,
                            descriptor* described_by, int* stat, char* message,
                            std::size_t message_bytes) {
  note_program();
  caf::register_coarray(size, registration_of(kind), token, described_by,
                        {stat, message, message_bytes});
  if (is_failed_image(stat) && described_by->data != nullptr) *stat = 0;
}

void _gfortran_caf_deregister(caf::coarray** token, int kind, int* stat, char* message,
                              std::size_t message_bytes) {
  caf::deregister_coarray(token, static_cast<caf::deregistration>(kind),
                          {stat, message, message_bytes});
}

int _gfortran_caf_is_present(caf::coarray* token, int image, const reference* chain) {
  return caf::is_present(*token, image, chain) ? 1 : 0;
}

// --- coindexed objects

void _gfortran_caf_get(caf::coarray* token, std::size_t offset, int image, descriptor* source,
                       const subscripts* source_vectors, descriptor* target, int source_kind,
                       int target_kind, bool, int* stat) {
  if (stat != nullptr) [[unlikely]] {
    return caf::get({target, target_kind},
                    {token, offset, image, source, source_vectors, source_kind}, *stat);
  }
  caf::get({target, target_kind}, {token, offset, image, source, source_vectors, source_kind});
}

void _gfortran_caf_send(caf::coarray* token, std::size_t offset, int image, descriptor* target,
                        const subscripts* target_vectors, descriptor* source, int target_kind,
                        int source_kind, bool, int* stat, caf::team_state** team) {
  const caf::coindexed to{token, offset, image, target, target_vectors, target_kind, team_at(team)};
  const caf::local_side from{source, source_kind};
  if (stat == nullptr) [[likely]]
    return caf::send(to, from);
  caf::send(to, from, *stat);
}

void _gfortran_caf_sendget(caf::coarray* target_token, std::size_t target_offset, int target_image,
                           descriptor* target, const subscripts* target_vectors,
                           caf::coarray* source_token, std::size_t source_offset, int source_image,
                           descriptor* source, const subscripts* source_vectors, int target_kind,
                           int source_kind, bool, int* stat) {
  caf::sendget({target_token, target_offset, target_image, target, target_vectors, target_kind},
               {source_token, source_offset, source_image, source, source_vectors, source_kind},
               stat);
}

void _gfortran_caf_get_by_ref(caf::coarray* token, int image, descriptor* target,
                              const reference* chain, int target_kind, int source_kind, bool,
                              bool may_allocate, int* stat, int source_type) {
  const auto type = static_cast<type_code>(source_type);
  const std::byte* mapped = nullptr;
  if (stat == nullptr) [[likely]]
    mapped = caf::find_element(*target, target_kind, {token, image, chain, source_kind, type});
  if (mapped != nullptr) [[likely]] {
    caf::copy_element(target->data, mapped, target->dtype.element_bytes);
    atl::fence_loads();
    return;
  }
  get_by_reference(token, image, target, chain, target_kind, source_kind, may_allocate, stat, type);
}

void _gfortran_caf_send_by_ref(caf::coarray* token, int image, descriptor* source,
                               const reference* chain, int target_kind, int source_kind, bool, bool,
                               int* stat, int target_type) {
  const auto type = static_cast<type_code>(target_type);
  std::byte* mapped = nullptr;
  if (stat == nullptr) [[likely]]
    mapped = caf::find_element(*source, source_kind, {token, image, chain, target_kind, type});
  if (mapped != nullptr) [[likely]] {
    caf::copy_element(mapped, source->data, source->dtype.element_bytes);
    atl::fence_stores();
    return;
  }
  send_by_reference(token, image, source, chain, target_kind, source_kind, stat, type);
}

void _gfortran_caf_sendget_by_ref(caf::coarray* target_token, int target_image,
                                  const reference* target_chain, caf::coarray* source_token,
                                  int source_image, const reference* source_chain, int target_kind,
                                  int source_kind, bool, int* target_stat, int* source_stat,
                                  int target_type, int source_type) {
  caf::sendget_by_reference(
      {target_token, target_image, target_chain, target_kind, static_cast<type_code>(target_type)},
      {source_token, source_image, source_chain, source_kind, static_cast<type_code>(source_type)},
      target_stat, source_stat);
}

// --- image control

// The compiler calls this behind ALLOCATE, too, without its STAT=.
void _gfortran_caf_sync_all(int* stat, char** message, std::size_t message_bytes) {
  if (!caf::has_allocated_without_failed()) {
    return caf::sync_all(status_of_sync(stat, message, message_bytes));
  }
  const caf::unseen_status status(caf::running(), stat);
  caf::sync_all(status.variables());
  if (stat == nullptr) status.require_no_error("ALLOCATE");
}

void _gfortran_caf_sync_images(int count, int* images, int* stat, char** message,
                               std::size_t message_bytes) {
  caf::sync_images(count, images, status_of_sync(stat, message, message_bytes));
}

void _gfortran_caf_sync_memory(int* stat, char** message, std::size_t message_bytes) {
  caf::sync_memory(status_of_sync(stat, message, message_bytes));
}

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
  caf::post_event(word_at("EVENT POST", token, index, image), {stat, message, message_bytes});
}

void _gfortran_caf_event_wait(caf::coarray* token, std::size_t index, int until_count, int* stat,
                              char* message, std::size_t message_bytes) {
  caf::wait_for_event(token->memory + index * caf::word_bytes, until_count,
                      {stat, message, message_bytes});
}

void _gfortran_caf_event_query(caf::coarray* token, std::size_t index, int image, int* count,
                               int* stat) {
  *count = static_cast<int>(
      caf::query_event(word_at("EVENT_QUERY", token, index, image), {.stat = stat}));
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

// gfortran 12 passes the text of ERRMSG= by value, where its address and length are to be, so the
// variable stays as it is.

void _gfortran_caf_co_broadcast(descriptor* data, int source_image, int* stat, char*, std::size_t) {
  caf::co_broadcast(*data, source_image, {.stat = stat});
}

void _gfortran_caf_co_sum(descriptor* data, int result_image, int* stat, char*, std::size_t) {
  caf::co_sum(*data, result_image, 0, {.stat = stat});
}

void _gfortran_caf_co_min(descriptor* data, int result_image, int* stat, char*, int length,
                          std::size_t) {
  caf::co_extreme(*data, caf::extreme::least, result_image, {.length = length}, {.stat = stat});
}

void _gfortran_caf_co_max(descriptor* data, int result_image, int* stat, char*, int length,
                          std::size_t) {
  caf::co_extreme(*data, caf::extreme::greatest, result_image, {.length = length}, {.stat = stat});
}

void _gfortran_caf_co_reduce(descriptor* data, void* function, int flags, int result_image,
                             int* stat, char*, int length, std::size_t) {
  caf::co_reduce(*data, {function, flags}, result_image, length, {.stat = stat});
}

// --- teams

// The compiler does not pass STAT= of these.

void _gfortran_caf_form_team(int number, caf::team_state** team, int new_index) {
  const caf::unseen_status status(caf::running());
  *team = caf::form_team(number, new_index, status.variables());
  status.require_no_error("FORM TEAM");
}

void _gfortran_caf_change_team(caf::team_state** team, int) {
  const caf::unseen_status status(caf::running());
  caf::change_team(*team, status.variables());
  status.require_no_error("CHANGE TEAM");
}

void _gfortran_caf_end_team(caf::team_state**) {
  const caf::unseen_status status(caf::running());
  caf::end_team(status.variables());
  status.require_no_error("END TEAM");
}

void _gfortran_caf_sync_team(caf::team_state** team, int) {
  const caf::unseen_status status(caf::running());
  caf::sync_team(*team, status.variables());
  status.require_no_error("SYNC TEAM");
}

int _gfortran_caf_team_number(caf::team_state* team) {
  return static_cast<int>(caf::team_number(team));
}

caf::team_state* _gfortran_caf_get_team(const int*) { return caf::get_team(); }

}  // extern "C"

// NOLINTEND(readability-identifier-naming)
