# SPDX-License-Identifier: BSD-3-Clause
#
# Another implementation of OpenSHMEM with which benchmarks compare. Its flags come from its compiler command,
# and a missing one is a line at configure time, never an error. Atoll's own oshcc is not accepted. Under the
# sanitizers there is no such peer, as with MPI.

set(ATOLL_PEER_OSHCC "" CACHE STRING
    "oshcc of another implementation to compare with; empty: that of Open MPI where it is installed, OFF: none")

# Defines the interface target shmem_peer, and ATOLL_SHMEM_PEER: openmpi, or peer for any other.
function(atoll_find_shmem_peer)
  if(TARGET shmem_peer OR ATOLL_SANITIZE)
    return()
  endif()
  set(command "${ATOLL_PEER_OSHCC}")
  if("${command}" STREQUAL "")
    find_program(ATOLL_FOUND_OSHCC NAMES oshcc.openmpi oshcc)
    mark_as_advanced(ATOLL_FOUND_OSHCC)
    set(command ${ATOLL_FOUND_OSHCC})
  endif()
  if(NOT command)
    return()
  endif()
  set(words)
  # Open MPI's command prints the flags of compiler and linker separately, Sandia's all at once.
  foreach(part -showme:compile -showme:link -show)
    execute_process(COMMAND ${command} ${part} OUTPUT_VARIABLE shown ERROR_QUIET
                    OUTPUT_STRIP_TRAILING_WHITESPACE RESULT_VARIABLE failed)
    if(NOT failed)
      separate_arguments(found UNIX_COMMAND "${shown}")
      list(APPEND words ${found})
    endif()
  endforeach()
  if(NOT "${words}" MATCHES "(^|;)-l" OR "-latoll" IN_LIST words)
    if(ATOLL_PEER_OSHCC)
      message(STATUS "${command}: it does not tell its flags, or is Atoll's; no peer for OpenSHMEM")
    endif()
    return()
  endif()
  set(libraries)
  add_library(shmem_peer INTERFACE IMPORTED GLOBAL)
  foreach(word IN LISTS words)
    if(word MATCHES "^-I(.+)")
      target_include_directories(shmem_peer SYSTEM INTERFACE ${CMAKE_MATCH_1})
    elseif(word MATCHES "^-(L|l|Wl,)")
      list(APPEND libraries ${word})
    endif()
  endforeach()
  target_link_libraries(shmem_peer INTERFACE ${libraries})
  set(name peer)
  if("-loshmem" IN_LIST words)
    set(name openmpi)
  endif()
  set(ATOLL_SHMEM_PEER ${name} CACHE INTERNAL "")
endfunction()

# atoll_add_shmem_peer(name SOURCES ... NEW a.c OLD b.c [LINK ...])
# Adds <name>_openmpi, or <name>_peer, to bin/ and to what is installed for `atoll bench`, if there is a peer.
# NEW is a source that needs OpenSHMEM 1.5; OLD takes its place where it does not compile.
function(atoll_add_shmem_peer name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "NEW;OLD" "SOURCES;LINK")
  atoll_find_shmem_peer()
  if(NOT TARGET shmem_peer)
    return()
  endif()
  set(CMAKE_TRY_COMPILE_TARGET_TYPE STATIC_LIBRARY)
  try_compile(ATOLL_SHMEM_PEER_IS_NEW ${CMAKE_CURRENT_BINARY_DIR}/shmem_peer
              SOURCES ${CMAKE_CURRENT_SOURCE_DIR}/${arg_NEW}
              CMAKE_FLAGS -DINCLUDE_DIRECTORIES=${PROJECT_SOURCE_DIR}
              COMPILE_DEFINITIONS -Werror=implicit-function-declaration
              LINK_LIBRARIES shmem_peer)
  set(chosen ${arg_OLD})
  if(ATOLL_SHMEM_PEER_IS_NEW)
    set(chosen ${arg_NEW})
  endif()
  set(target ${name}_${ATOLL_SHMEM_PEER})
  add_executable(${target} ${arg_SOURCES} ${chosen})
  target_include_directories(${target} PRIVATE ${PROJECT_SOURCE_DIR})
  target_link_libraries(${target} PRIVATE shmem_peer ${arg_LINK})
  atoll_install_measured(${target})
endfunction()
