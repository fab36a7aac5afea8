// SPDX-License-Identifier: BSD-3-Clause
//
// PRIF: start and end of a program, queries of images, teams. The initial team has the number -1
// for the program, and levels of teams have flang's numbers.
#include <front/coarray/failures/failed_images.hpp>
#include <front/coarray/failures/image_status.hpp>
#include <front/coarray/prif/outcome.hpp>
#include <front/coarray/prif/peer.hpp>
#include <front/coarray/statements/teams.hpp>
#include <front/coarray/statements/termination.hpp>

#include <atoll/base/text.hpp>

#include <cstdlib>

namespace atl::coarray::prif {
namespace {

// The numbers that flang gives to the levels.
constexpr int initial_team = -2;
constexpr int parent_team = -3;

void list(image_state state, const image_team* team, c_descriptor& images) noexcept {
  const std::vector<int> found = images_in(state, team);
  auto* const data = static_cast<int*>(std::malloc((found.size() + 1) * sizeof(int)));
  if (data == nullptr) refuse("a list of images", "there is no memory for it", "use less");
  for (std::size_t i = 0; i < found.size(); ++i) data[i] = found[i];
  images.base = reinterpret_cast<std::byte*>(data);
  images.dim[0] = {1, static_cast<std::ptrdiff_t>(found.size()), sizeof(int)};
}

}  // namespace

extern "C" {

void atoll_prif_init(int* stat) {
  static bool is_initialised = false;
  expect_failures();  // on all images, before the first one can fail
  outlive_failures(running());
  *stat = is_initialised ? already_initialised : 0;
  is_initialised = true;
}

[[noreturn]] void atoll_prif_stop(const bool* quiet, const int* code, const char* text,
                                  std::size_t bytes) {
  if (text != nullptr || code == nullptr) stop(text, bytes, *quiet);
  stop(*code, *quiet);
}

[[noreturn]] void atoll_prif_error_stop(const bool* quiet, const int* code, const char* text,
                                        std::size_t bytes) {
  if (text != nullptr || code == nullptr) error_stop(text, bytes, *quiet);
  error_stop(*code, *quiet);
}

[[noreturn]] void atoll_prif_fail_image() { fail_image(); }

// --- images

void atoll_prif_num_images(int* images) { *images = num_images(0); }

void atoll_prif_num_images_with_team(team_variable const* team, int* images) {
  *images = static_cast<int>(team_or_current(team).core->size());
}

void atoll_prif_num_images_with_team_number(const std::int64_t* number, int* images) {
  *images = static_cast<int>(members_of_sibling(*number).size());
}

void atoll_prif_this_image_no_coarray(team_variable const* team, int* image) {
  *image = static_cast<int>(team_or_current(team).core->rank()) + 1;
}

void atoll_prif_failed_images(team_variable const* team, c_descriptor* images) {
  list(image_state::failed, &team_or_current(team), *images);
}

void atoll_prif_stopped_images(team_variable const* team, c_descriptor* images) {
  list(image_state::stopped, &team_or_current(team), *images);
}

void atoll_prif_image_status(const int* image, team_variable const* team, int* status) {
  const image_state state = state_of_image(*image, &team_or_current(team));
  *status = 0;
  if (state == image_state::stopped) *status = code_of(stat_codes, statement_error::stopped_image);
  if (state == image_state::failed) *status = code_of(stat_codes, statement_error::failed_image);
}

// --- teams

void atoll_prif_form_team(const std::int64_t* number, team_variable* team, const int* new_index,
                          int* stat, const c_descriptor* message, c_descriptor* allocated_message) {
  outcome status(stat, message, allocated_message);
  *team = form_team(*number, new_index != nullptr ? *new_index : 0, status.variables());
}

void atoll_prif_change_team(team_variable const* team, int* stat, const c_descriptor* message,
                            c_descriptor* allocated_message) {
  outcome status(stat, message, allocated_message);
  change_team(*team, status.variables());
}

void atoll_prif_end_team(int* stat, const c_descriptor* message, c_descriptor* allocated_message) {
  outcome status(stat, message, allocated_message);
  end_team(status.variables());
}

void atoll_prif_get_team(const int* level, team_variable* team) {
  process_state& us = running();
  *team = us.current;
  if (level == nullptr) return;
  if (*level == parent_team && us.current->parent != nullptr) *team = us.current->parent;
  if (*level == initial_team) *team = us.initial;
}

void atoll_prif_team_number(team_variable const* team, std::int64_t* number) {
  *number = team_number(&team_or_current(team));
}

}  // extern "C"

}  // namespace atl::coarray::prif
