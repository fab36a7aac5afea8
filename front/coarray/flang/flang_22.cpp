// SPDX-License-Identifier: BSD-3-Clause
//
// The procedures that flang 22 calls for -fcoarray: those of module prif, by its own names. errmsg
// comes by descriptor, as the C functions take it, but a team variable, which has the size of a
// pointer, comes by a descriptor of its own. STOP, ERROR STOP, FAIL IMAGE and the end of the
// program call only the compiler's library; the linker replaces those functions by the ones here
// (--wrap), so that an image ends as PRIF says.
#include <front/coarray/prif/c_descriptor.hpp>
#include <front/coarray/process_state.hpp>
#include <front/coarray/statements/termination.hpp>

#include <cstddef>
#include <cstdint>

namespace caf = atl::coarray;
using caf::prif::c_descriptor;

namespace {

using team_variable = caf::image_team*;

team_variable* team_of(const c_descriptor* described) noexcept {
  return described != nullptr ? reinterpret_cast<team_variable*>(described->base) : nullptr;
}

// For an allocatable errmsg the compiler passes a copy of the descriptor. So such a variable can be
// filled if it is allocated, but it cannot be allocated here.
const c_descriptor* text_of(const c_descriptor* message, const c_descriptor* allocated) noexcept {
  if (message != nullptr) return message;
  return allocated != nullptr && allocated->base != nullptr ? allocated : nullptr;
}

constexpr int all_units = -1;

}  // namespace

// NOLINTBEGIN(readability-identifier-naming,bugprone-reserved-identifier): the names are not ours

extern "C" {

// --- of the compiler's library

void _FortranAFlush(int unit);
void __real__FortranAProgramEndStatement();

// --- PRIF by its C names

void atoll_prif_init(int* stat);
void atoll_prif_num_images(int* images);
void atoll_prif_num_images_with_team(const team_variable* team, int* images);
void atoll_prif_num_images_with_team_number(const std::int64_t* number, int* images);
void atoll_prif_this_image_no_coarray(const team_variable* team, int* image);
void atoll_prif_sync_all(int* stat, const c_descriptor* message, c_descriptor* allocated);
void atoll_prif_sync_memory(int* stat, const c_descriptor* message, c_descriptor* allocated);
void atoll_prif_sync_images(const c_descriptor* images, int* stat, const c_descriptor* message,
                            c_descriptor* allocated);
void atoll_prif_sync_team(const team_variable* team, int* stat, const c_descriptor* message,
                          c_descriptor* allocated);
void atoll_prif_co_broadcast(const c_descriptor* array, const int* source, int* stat,
                             const c_descriptor* message, c_descriptor* allocated);
void atoll_prif_co_sum(const c_descriptor* array, const int* image, int* stat,
                       const c_descriptor* message, c_descriptor* allocated);
void atoll_prif_co_min(const c_descriptor* array, const int* image, int* stat,
                       const c_descriptor* message, c_descriptor* allocated);
void atoll_prif_co_max(const c_descriptor* array, const int* image, int* stat,
                       const c_descriptor* message, c_descriptor* allocated);
void atoll_prif_form_team(const std::int64_t* number, team_variable* team, const int* new_index,
                          int* stat, const c_descriptor* message, c_descriptor* allocated);
void atoll_prif_change_team(const team_variable* team, int* stat, const c_descriptor* message,
                            c_descriptor* allocated);
void atoll_prif_end_team(int* stat, const c_descriptor* message, c_descriptor* allocated);
void atoll_prif_get_team(const int* level, team_variable* team);
void atoll_prif_team_number(const team_variable* team, std::int64_t* number);

// --- PRIF by flang's names

void _QMprifPprif_init(int* stat) { atoll_prif_init(stat); }

void _QMprifPprif_num_images(int* images) { atoll_prif_num_images(images); }

void _QMprifPprif_num_images_with_team(const c_descriptor* team, int* images) {
  atoll_prif_num_images_with_team(team_of(team), images);
}

void _QMprifPprif_num_images_with_team_number(const std::int64_t* number, int* images) {
  atoll_prif_num_images_with_team_number(number, images);
}

void _QMprifPprif_this_image_no_coarray(const c_descriptor* team, int* image) {
  atoll_prif_this_image_no_coarray(team_of(team), image);
}

void _QMprifPprif_sync_all(int* stat, const c_descriptor* message, const c_descriptor* allocated) {
  atoll_prif_sync_all(stat, text_of(message, allocated), nullptr);
}

void _QMprifPprif_sync_memory(int* stat, const c_descriptor* message,
                              const c_descriptor* allocated) {
  atoll_prif_sync_memory(stat, text_of(message, allocated), nullptr);
}

void _QMprifPprif_sync_images(const c_descriptor* images, int* stat, const c_descriptor* message,
                              const c_descriptor* allocated) {
  atoll_prif_sync_images(images, stat, text_of(message, allocated), nullptr);
}

void _QMprifPprif_sync_team(const c_descriptor* team, int* stat, const c_descriptor* message,
                            const c_descriptor* allocated) {
  atoll_prif_sync_team(team_of(team), stat, text_of(message, allocated), nullptr);
}

void _QMprifPprif_co_broadcast(const c_descriptor* array, const int* source, int* stat,
                               const c_descriptor* message, const c_descriptor* allocated) {
  atoll_prif_co_broadcast(array, source, stat, text_of(message, allocated), nullptr);
}

void _QMprifPprif_co_sum(const c_descriptor* array, const int* image, int* stat,
                         const c_descriptor* message, const c_descriptor* allocated) {
  atoll_prif_co_sum(array, image, stat, text_of(message, allocated), nullptr);
}

void _QMprifPprif_co_min(const c_descriptor* array, const int* image, int* stat,
                         const c_descriptor* message, const c_descriptor* allocated) {
  atoll_prif_co_min(array, image, stat, text_of(message, allocated), nullptr);
}

void _QMprifPprif_co_max(const c_descriptor* array, const int* image, int* stat,
                         const c_descriptor* message, const c_descriptor* allocated) {
  atoll_prif_co_max(array, image, stat, text_of(message, allocated), nullptr);
}

void _QMprifPprif_co_min_character(const c_descriptor* array, const int* image, int* stat,
                                   const c_descriptor* message, const c_descriptor* allocated) {
  atoll_prif_co_min(array, image, stat, text_of(message, allocated), nullptr);
}

void _QMprifPprif_co_max_character(const c_descriptor* array, const int* image, int* stat,
                                   const c_descriptor* message, const c_descriptor* allocated) {
  atoll_prif_co_max(array, image, stat, text_of(message, allocated), nullptr);
}

void _QMprifPprif_form_team(const std::int64_t* number, const c_descriptor* team,
                            const int* new_index, int* stat, const c_descriptor* message,
                            const c_descriptor* allocated) {
  atoll_prif_form_team(number, team_of(team), new_index, stat, text_of(message, allocated),
                       nullptr);
}

void _QMprifPprif_change_team(const c_descriptor* team, int* stat, const c_descriptor* message,
                              const c_descriptor* allocated) {
  atoll_prif_change_team(team_of(team), stat, text_of(message, allocated), nullptr);
}

void _QMprifPprif_end_team(int* stat, const c_descriptor* message, const c_descriptor* allocated) {
  atoll_prif_end_team(stat, text_of(message, allocated), nullptr);
}

void _QMprifPprif_get_team(const int* level, const c_descriptor* team) {
  atoll_prif_get_team(level, team_of(team));
}

void _QMprifPprif_team_number(const c_descriptor* team, std::int64_t* number) {
  atoll_prif_team_number(team_of(team), number);
}

// --- the end of an image

void __wrap__FortranAProgramEndStatement() {
  _FortranAFlush(all_units);
  caf::finalize();
  __real__FortranAProgramEndStatement();
}

// For a STOP without a code the compiler passes 0, and nothing is printed then.
[[noreturn]] void __wrap__FortranAStopStatement(int code, bool is_error_stop, bool is_quiet) {
  _FortranAFlush(all_units);
  if (is_error_stop) caf::error_stop(code, is_quiet);
  caf::stop(code, is_quiet || code == 0);
}

[[noreturn]] void __wrap__FortranAStopStatementText(const char* text, std::size_t bytes,
                                                    bool is_error_stop, bool is_quiet) {
  _FortranAFlush(all_units);
  if (is_error_stop) caf::error_stop(text, bytes, is_quiet);
  caf::stop(text, bytes, is_quiet);
}

[[noreturn]] void __wrap__FortranAFailImageStatement() {
  _FortranAFlush(all_units);
  caf::fail_image();
}

}  // extern "C"

// NOLINTEND(readability-identifier-naming,bugprone-reserved-identifier)
