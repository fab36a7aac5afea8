# SPDX-License-Identifier: BSD-3-Clause
#
# For projects with find_package(OpenCoarrays): its targets lead to Atoll, and need no MPI.

find_package(Coarray CONFIG QUIET PATHS ${CMAKE_CURRENT_LIST_DIR}/../Coarray NO_DEFAULT_PATH)
set(OpenCoarrays_FOUND ${Coarray_FOUND})
set(OpenCoarrays_NOT_FOUND_MESSAGE "${Coarray_NOT_FOUND_MESSAGE}")
foreach(target caf_mpi caf_mpi_static)
  if(Coarray_FOUND AND NOT TARGET OpenCoarrays::${target})
    add_library(OpenCoarrays::${target} INTERFACE IMPORTED)
    set_target_properties(OpenCoarrays::${target} PROPERTIES INTERFACE_LINK_LIBRARIES Coarray::Coarray)
  endif()
endforeach()
