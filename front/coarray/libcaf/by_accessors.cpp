// SPDX-License-Identifier: BSD-3-Clause
//
// Coindexed objects as gfortran 15 and 16 call for them with -fcoarray=lib: by accessor functions
// of the program, which its constructors register. Names and orders of arguments, and nothing else.
// The functions that the two versions call differently are in dialect_15.cpp and dialect_16.cpp.
#include <front/coarray/access/accessors.hpp>
#include <front/coarray/libcaf/team_argument.hpp>

namespace caf = atl::coarray;
using caf::gfortran::array_descriptor;

// NOLINTBEGIN(readability-identifier-naming): the names are not ours

extern "C" {

void _gfortran_caf_register_accessor(int hash, caf::accessor_address accessor) {
  caf::add_accessor(hash, accessor);
}

void _gfortran_caf_register_accessors_finish() {}

int _gfortran_caf_get_remote_function_index(int hash) { return caf::number_of_accessor(hash); }

void _gfortran_caf_get_from_remote(caf::coarray* token, const array_descriptor* source,
                                   const std::size_t* source_length, int image, std::size_t bytes,
                                   void** target_data, std::size_t* target_length,
                                   array_descriptor* target, bool may_allocate, int accessor,
                                   void* arguments, std::size_t argument_bytes, int* stat,
                                   caf::image_team** team, const int* team_number) {
  caf::get_by_accessor({target_data, bytes, target_length, target, may_allocate},
                       {token, source, source_length, image, accessor, arguments, argument_bytes,
                        caf::team_at(team), team_number},
                       stat);
}

void _gfortran_caf_send_to_remote(caf::coarray* token, const array_descriptor* target,
                                  const std::size_t* target_length, int image, std::size_t bytes,
                                  const void* source_data, const std::size_t* source_length,
                                  const array_descriptor* source, int accessor, void* arguments,
                                  std::size_t argument_bytes, int* stat, caf::image_team** team,
                                  const int* team_number) {
  caf::send_by_accessor({token, target, target_length, image, accessor, arguments, argument_bytes,
                         caf::team_at(team), team_number},
                        {source_data, bytes, source_length, source}, stat);
}

}  // extern "C"

// NOLINTEND(readability-identifier-naming)
