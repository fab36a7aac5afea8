// SPDX-License-Identifier: BSD-3-Clause
//
// The functions that gfortran calls for FAIL IMAGE, IMAGE_STATUS and FAILED_IMAGES, in a file of
// their own: the linker takes it only for programs with one of these, and with it a mark. Images of
// such a program outlive a failed one from the start; others do from their first STAT= on.
#include <front/coarray/failures/failed_images.hpp>
#include <front/coarray/failures/image_status.hpp>
#include <front/coarray/libcaf/team_argument.hpp>
#include <front/coarray/statements/termination.hpp>

#include <cstdint>

namespace caf = atl::coarray;
using caf::gfortran::array_descriptor;

// NOLINTBEGIN(readability-identifier-naming): the names are not ours

extern "C" {

extern const bool atoll_program_outlives_failures;
const bool atoll_program_outlives_failures = true;

void _gfortran_flush_i4(const std::int32_t* unit);  // of the Fortran library; null: all units

void _gfortran_caf_fail_image() {
  _gfortran_flush_i4(nullptr);
  caf::fail_image();
}

int _gfortran_caf_image_status(int image, caf::image_team** team) {
  const caf::image_state state = caf::state_of_image(image, caf::team_at(team));
  if (state == caf::image_state::active) return 0;
  return code_of(caf::gfortran_codes, state == caf::image_state::stopped
                                          ? caf::statement_error::stopped_image
                                          : caf::statement_error::failed_image);
}

void _gfortran_caf_failed_images(array_descriptor* list, caf::image_team** team, const int* kind) {
  caf::list_images(*list, caf::image_state::failed, caf::team_at(team),
                   kind != nullptr ? *kind : 4);
}

}  // extern "C"

// NOLINTEND(readability-identifier-naming)
