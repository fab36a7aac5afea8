// SPDX-License-Identifier: BSD-3-Clause
//
// Numbers of images, SYNC statements and teams as gfortran 16 calls them for -fcoarray=lib: teams
// come by value, and with STAT= and ERRMSG=. Names and orders of arguments, and nothing else.
#include <front/coarray/failures/failed_images.hpp>
#include <front/coarray/memory/coarray.hpp>
#include <front/coarray/statements/synchronization.hpp>
#include <front/coarray/statements/teams.hpp>

#include <cstdint>

namespace caf = atl::coarray;

namespace {

/// The values of INITIAL_TEAM, PARENT_TEAM and CURRENT_TEAM.
enum team_level : std::int32_t { initial_team, parent_team, current_team };

}  // namespace

// NOLINTBEGIN(readability-identifier-naming): the names are not ours

extern "C" {

// --- numbers of images

int _gfortran_caf_this_image(const caf::image_team* team) {
  return team != nullptr ? caf::this_image(*team) : caf::this_image(0);
}

int _gfortran_caf_num_images(const caf::image_team* team, const std::int32_t* team_number) {
  if (team != nullptr) return caf::num_images(*team);
  return team_number != nullptr ? caf::num_images_of_sibling(*team_number) : caf::num_images(0);
}

// --- image control

// The compiler also calls this behind ALLOCATE, without its STAT=.
void _gfortran_caf_sync_all(int* stat, char* message, std::size_t message_bytes) {
  if (!caf::does_sync_all_tolerate_losses()) {
    return stat == nullptr ? caf::sync_all() : caf::sync_all({stat, message, message_bytes});
  }
  const caf::unseen_status status(caf::running(), stat);
  caf::sync_all(status.variables());
  if (stat == nullptr) status.require_no_error("ALLOCATE");
}

void _gfortran_caf_sync_images(int count, int* images, int* stat, char* message,
                               std::size_t message_bytes) {
  caf::sync_images(count, images, {stat, message, message_bytes});
}

void _gfortran_caf_sync_memory(int* stat, char* message, std::size_t message_bytes) {
  caf::sync_memory({stat, message, message_bytes});
}

// --- teams

void _gfortran_caf_form_team(int number, caf::image_team** team, const int* new_index, int* stat,
                             char* message, std::size_t message_bytes) {
  *team =
      caf::form_team(number, new_index != nullptr ? *new_index : 0, {stat, message, message_bytes});
}

void _gfortran_caf_change_team(caf::image_team* team, int* stat, char* message,
                               std::size_t message_bytes) {
  caf::change_team(team, {stat, message, message_bytes});
}

void _gfortran_caf_end_team(int* stat, char* message, std::size_t message_bytes) {
  caf::end_team({stat, message, message_bytes});
}

void _gfortran_caf_sync_team(caf::image_team* team, int* stat, char* message,
                             std::size_t message_bytes) {
  caf::sync_team(team, {stat, message, message_bytes});
}

int _gfortran_caf_team_number(const caf::image_team* team) {
  return static_cast<int>(caf::team_number(team));
}

caf::image_team* _gfortran_caf_get_team(const std::int32_t* level) {
  caf::image_team* const current = caf::get_team();
  if (level == nullptr || *level == current_team) return current;
  if (*level == initial_team) return caf::running().initial;
  return current->parent != nullptr ? current->parent : current;
}

}  // extern "C"

// NOLINTEND(readability-identifier-naming)
