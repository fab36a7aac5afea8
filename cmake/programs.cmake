# SPDX-License-Identifier: BSD-3-Clause
#
# Commands, apps and benchmarks: programs that link libatoll.so and land in bin/. The sources other
# than MAIN form an object library, so that the unit tests beside them link the same objects.

# atoll_add_program(name MAIN main.cpp [SOURCES a.cpp ...] [TESTS a_test.cpp ...] [LINK libs...]
#                   [OUTPUT file-name])
function(atoll_add_program name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "MAIN;OUTPUT" "SOURCES;TESTS;LINK")
  if(NOT arg_MAIN)
    message(FATAL_ERROR "program '${name}' has no MAIN source")
  endif()
  set(parts)
  if(arg_SOURCES)
    set(parts ${name}_parts)
    add_library(${parts} OBJECT ${arg_SOURCES})
    target_link_libraries(${parts} PUBLIC atoll ${arg_LINK})
  endif()
  add_executable(${name} ${arg_MAIN})
  target_link_libraries(${name} PRIVATE ${parts} atoll ${arg_LINK})
  if(arg_OUTPUT)
    set_target_properties(${name} PROPERTIES OUTPUT_NAME ${arg_OUTPUT})
  endif()
  if(arg_TESTS AND ATOLL_BUILD_TESTS)
    atoll_add_test(${name}_tests SOURCES ${arg_TESTS} LINK ${parts} atoll ${arg_LINK})
  endif()
endfunction()

# A command: as atoll_add_program, and installed into bin/.
function(atoll_add_tool name)
  atoll_add_program(${name} ${ARGN})
  install(TARGETS ${name} RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
endfunction()

# The programs that `atoll bench` runs: installed into libexec/atoll.
function(atoll_install_measured name)
  set_target_properties(${name} PROPERTIES
                        INSTALL_RPATH "$ORIGIN/../../${CMAKE_INSTALL_LIBDIR}")
  install(TARGETS ${name} RUNTIME DESTINATION ${CMAKE_INSTALL_LIBEXECDIR}/atoll)
  set_property(GLOBAL APPEND PROPERTY ATOLL_MEASURED ${name})  # see bench/CMakeLists.txt
endfunction()

function(atoll_add_app name)
  atoll_add_program(${name} ${ARGN})
  atoll_install_measured(${name})
endfunction()

function(atoll_add_bench name)
  atoll_add_program(${name} ${ARGN})
  atoll_install_measured(${name})
endfunction()
