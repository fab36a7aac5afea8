// SPDX-License-Identifier: BSD-3-Clause
//
// The functions of coindexed objects that gfortran 16 calls in its own way. ALLOCATED() of a part
// takes a pointer to the address of a scalar coarray, and both sides of an assignment between two
// images have a team. Names and orders of arguments, and nothing else.
#include <front/coarray/access/accessors.hpp>
#include <front/coarray/libcaf/team_argument.hpp>

#include <cstdint>

namespace caf = atl::coarray;
using caf::gfortran::array_descriptor;

// NOLINTBEGIN(readability-identifier-naming): the names are not ours

extern "C" {

std::int32_t _gfortran_caf_is_present_on_remote(caf::coarray* token, int image, int accessor,
                                                void* arguments, std::size_t argument_bytes) {
  const bool is_present = caf::is_present_by_accessor(
      {token, nullptr, nullptr, image, accessor, arguments, argument_bytes},
      caf::object_form::pointer);
  return is_present ? 1 : 0;
}

void _gfortran_caf_transfer_between_remotes(
    caf::coarray* target_token, const array_descriptor* target, const std::size_t* target_length,
    int target_image, int target_accessor, void* target_arguments,
    std::size_t target_argument_bytes, caf::coarray* source_token, const array_descriptor* source,
    const std::size_t* source_length, int source_image, int source_accessor, void* source_arguments,
    std::size_t source_argument_bytes, std::size_t bytes, bool is_scalar, int* target_stat,
    int* source_stat, caf::image_team** target_team, const int* target_team_number,
    caf::image_team** source_team, const int* source_team_number) {
  caf::transfer_by_accessors(
      {target_token, target, target_length, target_image, target_accessor, target_arguments,
       target_argument_bytes, caf::team_at(target_team), target_team_number},
      {source_token, source, source_length, source_image, source_accessor, source_arguments,
       source_argument_bytes, caf::team_at(source_team), source_team_number},
      bytes, is_scalar, target_stat, source_stat);
}

}  // extern "C"

// NOLINTEND(readability-identifier-naming)
