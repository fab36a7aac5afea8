# SPDX-License-Identifier: BSD-3-Clause
#
# Shorter builds with sanitizers. Precompiled headers: those of the standard library and of GoogleTest
# are most of what the compiler reads here, and save a third of these builds. The release build has none, so a
# source that forgets to include something does not compile there. And sources that are not worth optimising.

# Collects the targets of a folder and of those below it in the global property ATOLL_TARGETS.
function(atoll_collect_targets folder)
  get_property(targets DIRECTORY ${folder} PROPERTY BUILDSYSTEM_TARGETS)
  set_property(GLOBAL APPEND PROPERTY ATOLL_TARGETS ${targets})
  get_property(folders DIRECTORY ${folder} PROPERTY SUBDIRECTORIES)
  foreach(each IN LISTS folders)
    atoll_collect_targets(${each})
  endforeach()
endfunction()

# Sources that clang optimises for long once a sanitizer has added its branches: loops for every type and
# operation, and CLI11. Without optimisation they take a quarter to a tenth of the time (reductions.cpp 47 s and 5 s).
set(ATOLL_NOT_OPTIMISED_SANITIZED
    front/upc/reductions.cpp tests/conformance/atomic_suite_test.cpp
    tools/command_line.cpp tools/doctor/doctor.cpp tools/info/info.cpp tools/run/options.cpp tools/tune/tune.cpp
    tools/tune/measure/main.cpp
    apps/gups/options.cpp apps/kv/options.cpp apps/spin/options.cpp apps/stencil2d/options.cpp
    bench/harness/command_line.cpp)

function(atoll_leave_slow_sources_plain)
  atoll_collect_targets(${PROJECT_SOURCE_DIR})
  get_property(targets GLOBAL PROPERTY ATOLL_TARGETS)
  list(TRANSFORM ATOLL_NOT_OPTIMISED_SANITIZED PREPEND ${PROJECT_SOURCE_DIR}/ OUTPUT_VARIABLE sources)
  # The precompiled headers were optimised, and the compiler takes them for nothing else.
  set_source_files_properties(${sources} TARGET_DIRECTORY ${targets}
                              PROPERTIES COMPILE_OPTIONS -O0 SKIP_PRECOMPILE_HEADERS ON)
endfunction()

# The compiler takes a set only with the options that it was made with. So there are two, of position-independent
# code for the library and of position-independent executables for programs, and a target with options of its own,
# or of another standard of C++, has none.
function(atoll_precompile_headers)
  atoll_collect_targets(${PROJECT_SOURCE_DIR})
  get_property(targets GLOBAL PROPERTY ATOLL_TARGETS)
  set(standard algorithm array atomic chrono cstring exception filesystem functional map memory mutex
               optional random set span sstream string thread utility variant vector)
  list(TRANSFORM standard REPLACE "(.+)" "<\\1>")
  file(WRITE ${CMAKE_BINARY_DIR}/precompiled.cpp "")
  add_library(atoll_precompiled_library OBJECT ${CMAKE_BINARY_DIR}/precompiled.cpp)
  target_precompile_headers(atoll_precompiled_library PRIVATE ${standard})
  target_link_libraries(atoll_precompiled_library PRIVATE Threads::Threads)
  add_executable(atoll_precompiled_program ${CMAKE_BINARY_DIR}/precompiled.cpp
                 ${PROJECT_SOURCE_DIR}/tests/support/test_main.cpp)
  target_precompile_headers(atoll_precompiled_program PRIVATE ${standard} <gtest/gtest.h>)
  target_link_libraries(atoll_precompiled_program PRIVATE Threads::Threads GTest::gtest)
  target_include_directories(atoll_precompiled_program PRIVATE ${PROJECT_SOURCE_DIR})
  get_target_property(usual_options atoll_precompiled_library COMPILE_OPTIONS)
  foreach(target IN LISTS targets)
    get_target_property(type ${target} TYPE)
    get_target_property(sources ${target} SOURCES)
    get_target_property(standard ${target} CXX_STANDARD)
    get_target_property(options ${target} COMPILE_OPTIONS)
    if(NOT sources MATCHES "\\.cpp" OR NOT standard EQUAL CMAKE_CXX_STANDARD
       OR NOT options STREQUAL usual_options)
      continue()
    elseif(type STREQUAL "EXECUTABLE")
      target_precompile_headers(${target} REUSE_FROM atoll_precompiled_program)
    elseif(type MATCHES "LIBRARY" AND NOT type STREQUAL "INTERFACE_LIBRARY")
      target_precompile_headers(${target} REUSE_FROM atoll_precompiled_library)
    endif()
  endforeach()
endfunction()
