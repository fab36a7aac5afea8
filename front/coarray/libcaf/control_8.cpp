// SPDX-License-Identifier: BSD-3-Clause
//
// Numbers of images, SYNC statements and teams as gfortran 8 to 15 calls them for -fcoarray=lib:
// names and orders of arguments, and nothing else.
#include <front/coarray/failures/failed_images.hpp>
#include <front/coarray/memory/coarray.hpp>
#include <front/coarray/statements/synchronization.hpp>
#include <front/coarray/statements/teams.hpp>

namespace caf = atl::coarray;

namespace {

/// ERRMSG= of SYNC ALL, SYNC IMAGES and SYNC MEMORY comes as the address of a pointer to the
/// variable.
caf::status_variables status_of_sync(int* stat, char** message, std::size_t bytes) noexcept {
  return {stat, message != nullptr ? *message : nullptr, bytes};
}

// Not inlined, so that SYNC ALL without arguments stays short.
[[gnu::noinline]] void sync_all_in_general(int* stat, char** message, std::size_t bytes) noexcept {
  if (!caf::does_sync_all_tolerate_losses())
    return caf::sync_all(status_of_sync(stat, message, bytes));
  const caf::unseen_status status(caf::running(), stat);
  caf::sync_all(status.variables());
  if (stat == nullptr) status.require_no_error("ALLOCATE");
}

}  // namespace

// NOLINTBEGIN(readability-identifier-naming): the names are not ours

extern "C" {

// --- numbers of images

int _gfortran_caf_this_image(int distance) { return caf::this_image(distance); }

// `failed` asks for all images (-1), for those that have not failed (0), or for those that have
// (1).
int _gfortran_caf_num_images(int distance, int failed) {
  if (failed < 0) return caf::num_images(distance);
  const int lost = caf::count_failed(distance);
  return failed == 1 ? lost : caf::num_images(distance) - lost;
}

// --- image control

// The compiler also calls this behind ALLOCATE, without its STAT=.
void _gfortran_caf_sync_all(int* stat, char** message, std::size_t message_bytes) {
  const caf::process_state* const us = caf::the_process;
  if (stat == nullptr && us != nullptr && !us->next_sync_all_tolerates_losses) [[likely]]
    return caf::sync_all();
  sync_all_in_general(stat, message, message_bytes);
}

void _gfortran_caf_sync_images(int count, int* images, int* stat, char** message,
                               std::size_t message_bytes) {
  caf::sync_images(count, images, status_of_sync(stat, message, message_bytes));
}

void _gfortran_caf_sync_memory(int* stat, char** message, std::size_t message_bytes) {
  caf::sync_memory(status_of_sync(stat, message, message_bytes));
}

// --- teams

// The compiler does not pass STAT= of these.

void _gfortran_caf_form_team(int number, caf::image_team** team, int new_index) {
  const caf::unseen_status status(caf::running());
  *team = caf::form_team(number, new_index, status.variables());
  status.require_no_error("FORM TEAM");
}

void _gfortran_caf_change_team(caf::image_team** team, int) {
  const caf::unseen_status status(caf::running());
  caf::change_team(*team, status.variables());
  status.require_no_error("CHANGE TEAM");
}

void _gfortran_caf_end_team(caf::image_team**) {
  const caf::unseen_status status(caf::running());
  caf::end_team(status.variables());
  status.require_no_error("END TEAM");
}

void _gfortran_caf_sync_team(caf::image_team** team, int) {
  const caf::unseen_status status(caf::running());
  caf::sync_team(*team, status.variables());
  status.require_no_error("SYNC TEAM");
}

int _gfortran_caf_team_number(caf::image_team* team) {
  return static_cast<int>(caf::team_number(team));
}

caf::image_team* _gfortran_caf_get_team(const int*) { return caf::get_team(); }

}  // extern "C"

// NOLINTEND(readability-identifier-naming)
