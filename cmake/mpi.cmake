# SPDX-License-Identifier: BSD-3-Clause
#
# Programs for the MPI libraries that benchmarks compare with. Open MPI and MPICH may both be installed
# on one machine, and FindMPI would only find one of them, so the flags come from each library's
# compiler wrapper. A missing library is a line at configure time, never an error. Under the sanitizers
# there are no MPI programs: they would only test the MPI libraries.

set(ATOLL_MPICXX_openmpi mpicxx.openmpi)
set(ATOLL_MPICXX_mpich mpicxx.mpich)
set(ATOLL_MPI_SHOW_openmpi --showme)
set(ATOLL_MPI_SHOW_mpich -show)

# Defines the interface target mpi_<flavour> when that MPI is installed.
function(atoll_find_mpi flavour)
  if(TARGET mpi_${flavour} OR ATOLL_SANITIZE)
    return()
  endif()
  find_program(ATOLL_${flavour}_CXX ${ATOLL_MPICXX_${flavour}})
  mark_as_advanced(ATOLL_${flavour}_CXX)
  if(NOT ATOLL_${flavour}_CXX)
    if(NOT DEFINED CACHE{ATOLL_said_no_${flavour}})
      message(STATUS "${flavour} is not installed: the benchmarks leave its column out")
      set(ATOLL_said_no_${flavour} ON CACHE INTERNAL "")
    endif()
    return()
  endif()
  execute_process(COMMAND ${ATOLL_${flavour}_CXX} ${ATOLL_MPI_SHOW_${flavour}}
                  OUTPUT_VARIABLE shown OUTPUT_STRIP_TRAILING_WHITESPACE RESULT_VARIABLE failed)
  if(failed)
    message(STATUS "${flavour}: its compiler wrapper does not tell its flags; left out")
    return()
  endif()
  separate_arguments(words UNIX_COMMAND "${shown}")
  set(libraries)
  add_library(mpi_${flavour} INTERFACE)
  foreach(word IN LISTS words)
    if(word MATCHES "^-I(.+)")
      target_include_directories(mpi_${flavour} SYSTEM INTERFACE ${CMAKE_MATCH_1})
    elseif(word MATCHES "^-(L|l|Wl,)")
      list(APPEND libraries ${word})
    endif()
  endforeach()
  target_link_libraries(mpi_${flavour} INTERFACE ${libraries})
endfunction()

# atoll_add_mpi_program(name FLAVOUR openmpi|mpich SOURCES ... [LINK ...])
# Adds <name>_<flavour> to bin/, and to what is installed for `atoll bench`, if that MPI is installed.
function(atoll_add_mpi_program name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "FLAVOUR" "SOURCES;LINK")
  atoll_find_mpi(${arg_FLAVOUR})
  if(NOT TARGET mpi_${arg_FLAVOUR})
    return()
  endif()
  set(target ${name}_${arg_FLAVOUR})
  add_executable(${target} ${arg_SOURCES})
  target_include_directories(${target} PRIVATE ${PROJECT_SOURCE_DIR})
  target_link_libraries(${target} PRIVATE mpi_${arg_FLAVOUR} ${arg_LINK})
  atoll_install_measured(${target})
endfunction()
