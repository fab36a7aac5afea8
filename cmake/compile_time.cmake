# SPDX-License-Identifier: BSD-3-Clause
#
# Shorter builds. Sources of one target are compiled ten at a time as one (ATOLL_UNITE), and headers of the standard
# library and of GoogleTest are precompiled (ATOLL_PRECOMPILE): together they take two thirds off. The compiler then
# accepts a source that forgets to include a header, if a source before it includes that header; the rule `includes` of
# tests/tidy finds this for headers of the standard library and of the system. Some programs and sources are not
# optimised, in any build or with sanitizers, because that takes longer than it saves. Where sources are united, test
# programs are linked by a linker that takes a quarter of the time.

include(CheckLinkerFlag)

# Collects the targets of a folder and of those below it in the global property ATOLL_TARGETS.
function(atoll_collect_targets folder)
  get_property(targets DIRECTORY ${folder} PROPERTY BUILDSYSTEM_TARGETS)
  set_property(GLOBAL APPEND PROPERTY ATOLL_TARGETS ${targets})
  get_property(folders DIRECTORY ${folder} PROPERTY SUBDIRECTORIES)
  foreach(each IN LISTS folders)
    atoll_collect_targets(${each})
  endforeach()
endfunction()

atoll_collect_targets(${PROJECT_SOURCE_DIR})

# Sources that read command lines: CLI11 takes 20 s to compile at -O3 and 10 s without optimisation. The start of such
# a program then takes a millisecond more, which matters only for `atoll run`.
set(ATOLL_COMMAND_LINES
    tools/doctor/doctor.cpp tools/info/info.cpp tools/tune/tune.cpp tools/tune/measure/main.cpp
    apps/cholesky/options.cpp apps/fft3d/options.cpp apps/gups/options.cpp apps/kv/options.cpp
    apps/matmul/options.cpp apps/spin/options.cpp apps/stencil2d/options.cpp apps/trial/options.cpp
    bench/harness/command_line.cpp)
set(ATOLL_COMMAND_LINES_OF_STARTS tools/command_line.cpp tools/run/options.cpp)

# Sources that clang optimises for long once a sanitizer has added its branches: loops for every type and operation
# (reductions.cpp 47 s, and 5 s without optimisation), a reader of JSON, an app that is one source.
set(ATOLL_SLOW_WITH_SANITIZERS
    apps/hpcc/main.cpp atoll/coll/tuned/table.cpp front/coarray/data/chosen_rows.cpp front/coarray/data/convert.cpp
    front/upc/reductions.cpp tests/conformance/atomic_suite_test.cpp)

# Folders of programs that are all templates and compute little: one of UPC++ takes 30 s to compile with sanitizers, and
# 14 s without optimisation. Other test programs would compile in half of the time, but run up to ten times as long.
set(ATOLL_TEMPLATES docs/guide/upcxx front/upcxx tests/fault/upcxx tests/multi/upcxx tests/spec/upcxx)

set(ATOLL_HAS_SLOW_SANITIZERS OFF)
if(ATOLL_SANITIZE AND CMAKE_CXX_COMPILER_ID STREQUAL "Clang")
  set(ATOLL_HAS_SLOW_SANITIZERS ON)
endif()

function(atoll_leave_slow_sources_plain)
  get_property(targets GLOBAL PROPERTY ATOLL_TARGETS)
  set(sources ${ATOLL_COMMAND_LINES})
  if(ATOLL_HAS_SLOW_SANITIZERS)
    list(APPEND sources ${ATOLL_COMMAND_LINES_OF_STARTS} ${ATOLL_SLOW_WITH_SANITIZERS})
  endif()
  list(TRANSFORM sources PREPEND ${PROJECT_SOURCE_DIR}/)
  # The compiler accepts precompiled headers only for the options that they were made with, which optimise.
  set_source_files_properties(${sources} TARGET_DIRECTORY ${targets}
                              PROPERTIES COMPILE_OPTIONS "-O0;-U_FORTIFY_SOURCE" SKIP_PRECOMPILE_HEADERS ON)
endfunction()

# Whether a target is a program of tests, by its folder.
function(atoll_is_test_program target result)
  get_target_property(type ${target} TYPE)
  get_target_property(folder ${target} RUNTIME_OUTPUT_DIRECTORY)
  set(${result} OFF PARENT_SCOPE)
  if(type STREQUAL "EXECUTABLE" AND folder MATCHES "^${ATOLL_TEST_OUTPUT_DIRECTORY}")
    set(${result} ON PARENT_SCOPE)
  endif()
endfunction()

function(atoll_leave_templates_unoptimised)
  get_property(targets GLOBAL PROPERTY ATOLL_TARGETS)
  foreach(target IN LISTS targets)
    get_target_property(type ${target} TYPE)
    get_target_property(folder ${target} SOURCE_DIR)
    file(RELATIVE_PATH folder ${PROJECT_SOURCE_DIR} ${folder})
    if(ATOLL_HAS_SLOW_SANITIZERS AND type STREQUAL "EXECUTABLE" AND folder IN_LIST ATOLL_TEMPLATES)
      target_compile_options(${target} PRIVATE -O0)
    endif()
  endforeach()
endfunction()

# Sources whose own names (constants, macros, the C interface of another compiler) are those of another source of
# their target, or whose functions a test replaces in calls of the library (front/shmem/process_state.cpp); each of them is
# compiled alone. So is each source of a static library, of which a program links only
# the objects that it needs, and each C source, since some test programs are of two that must not see each other.
set(ATOLL_COMPILED_ALONE
    atoll/coll/engine/online_test.cpp atoll/coll/message/gather.cpp atoll/coll/message/reduce_scatter.cpp
    atoll/coll/symmetric_heap_test.cpp
    atoll/core/job/network_cards_test.cpp atoll/core/strided/rows_test.cpp
    atoll/core/strided/strided_plan_test.cpp
    atoll/memory/host_memory.cpp atoll/memory/host_memory_test.cpp atoll/memory/kernel_copy_test.cpp
    atoll/memory/registration_cache_test.cpp atoll/memory/static_data_test.cpp
    atoll/transport/ofi/factory.cpp
    front/coarray/access/reference.cpp front/coarray/access/transfer.cpp front/coarray/statements/locks.cpp
    front/shmem/collectives.cpp front/shmem/process_state.cpp front/shmem/rma.cpp front/shmem/signals.cpp
    front/upc/collectives.cpp front/upc/locks.cpp
    tools/hosts/daemon_listener.cpp tools/hosts/upstream_link.cpp
    apps/kv/count_words.cpp apps/spin/shmem/variants.cpp apps/stencil2d/shared_fields.cpp
    bench/mpi/curves.cpp bench/mpi/strided.cpp bench/mpi/threads.cpp
    tests/conformance/ofi/starvation_test.cpp tests/multi/device/scattered_checks.cpp
    tests/support/device/streams.cpp)

function(atoll_compile_alone)
  get_property(targets GLOBAL PROPERTY ATOLL_TARGETS)
  list(TRANSFORM ATOLL_COMPILED_ALONE PREPEND ${PROJECT_SOURCE_DIR}/ OUTPUT_VARIABLE sources)
  set_source_files_properties(${sources} TARGET_DIRECTORY ${targets} PROPERTIES SKIP_UNITY_BUILD_INCLUSION ON)
  foreach(target IN LISTS targets)
    get_target_property(type ${target} TYPE)
    if(type STREQUAL "STATIC_LIBRARY")
      set_target_properties(${target} PROPERTIES UNITY_BUILD OFF)
    endif()
    get_target_property(folder ${target} SOURCE_DIR)
    get_target_property(sources ${target} SOURCES)
    list(FILTER sources INCLUDE REGEX "^[^$]*\\.c$")
    foreach(source IN LISTS sources)
      get_filename_component(source ${source} ABSOLUTE BASE_DIR ${folder})
      set_source_files_properties(${source} TARGET_DIRECTORY ${target} PROPERTIES SKIP_UNITY_BUILD_INCLUSION ON)
    endforeach()
  endforeach()
endfunction()

# Links the programs of tests with LLVM's linker by clang, and with gold by g++, where they are installed. Other
# programs, and tests that use the library of gfortran, keep the usual linker: gold refuses libraries of others (Open
# MPI's OpenSHMEM, gfortran's) whose undefined symbols are found only later.
function(atoll_link_quickly)
  set(linker gold)
  if(CMAKE_CXX_COMPILER_ID STREQUAL "Clang")
    set(linker lld)
  endif()
  check_linker_flag(CXX -fuse-ld=${linker} ATOLL_LINKS_WITH_${linker})
  if(NOT ATOLL_LINKS_WITH_${linker})
    message(STATUS "there is no ${linker}: programs are linked by the usual linker, which takes longer")
    return()
  endif()
  get_property(targets GLOBAL PROPERTY ATOLL_TARGETS)
  foreach(target IN LISTS targets)
    atoll_is_test_program(${target} is_test_program)
    get_target_property(libraries ${target} LINK_LIBRARIES)
    if(is_test_program AND NOT libraries MATCHES "gfortran|caf_atoll")
      target_link_options(${target} PRIVATE -fuse-ld=${linker})
    endif()
  endforeach()
endfunction()

# Makes a set of precompiled headers in a target that compiles nothing else, with `options` besides the usual ones.
function(atoll_add_precompiled_set name options)
  target_link_libraries(${name} PRIVATE Threads::Threads GTest::gtest)
  target_precompile_headers(${name} PRIVATE ${ARGN})
  target_compile_options(${name} PRIVATE ${options})
endfunction()

# Whether the compiler accepts a set for the sources of a target: all must be C++, of the same kind, with the options
# and the standard that the set was made with.
function(atoll_may_use_set target set result)
  foreach(each target set)
    get_target_property(type ${${each}} TYPE)
    get_target_property(options_of_${each} ${${each}} COMPILE_OPTIONS)
    set(is_program_${each} OFF)
    if(type STREQUAL "EXECUTABLE")
      set(is_program_${each} ON)
    endif()
  endforeach()
  get_target_property(type ${target} TYPE)
  get_target_property(sources ${target} SOURCES)
  get_target_property(standard ${target} CXX_STANDARD)
  set(${result} OFF PARENT_SCOPE)
  if(type MATCHES "^(EXECUTABLE|[A-Z]+_LIBRARY)$" AND NOT type STREQUAL "INTERFACE_LIBRARY"
     AND sources MATCHES "\\.cpp" AND NOT sources MATCHES "\\.c(;|$)" AND standard EQUAL CMAKE_CXX_STANDARD
     AND options_of_target STREQUAL options_of_set AND is_program_target STREQUAL is_program_set)
    set(${result} ON PARENT_SCOPE)
  endif()
endfunction()

# There are three sets: of position-independent executables for programs, also for those that are not optimised, and of
# position-independent code for libraries. g++ uses only the first, for the tests of the release build: when it
# optimises fully, it gives false warnings about a precompiled std::string.
function(atoll_precompile_headers)
  if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND NOT ATOLL_TEST_OPTIONS)
    return()
  endif()
  get_property(targets GLOBAL PROPERTY ATOLL_TARGETS)
  set(headers algorithm array atomic chrono cstring exception filesystem functional map memory mutex
              optional random set span sstream string thread utility variant vector)
  list(TRANSFORM headers REPLACE "(.+)" "<\\1>")
  file(WRITE ${CMAKE_BINARY_DIR}/precompiled.cpp "int main() {}\n")
  set(sets atoll_precompiled_program)
  add_executable(atoll_precompiled_program ${CMAKE_BINARY_DIR}/precompiled.cpp)
  atoll_add_precompiled_set(atoll_precompiled_program "${ATOLL_TEST_OPTIONS}" ${headers} <gtest/gtest.h>)
  if(NOT CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
    list(APPEND sets atoll_precompiled_plain atoll_precompiled_library)
    add_executable(atoll_precompiled_plain ${CMAKE_BINARY_DIR}/precompiled.cpp)
    atoll_add_precompiled_set(atoll_precompiled_plain "${ATOLL_TEST_OPTIONS};-O0" ${headers} <gtest/gtest.h>)
    add_library(atoll_precompiled_library OBJECT ${CMAKE_BINARY_DIR}/precompiled.cpp)
    atoll_add_precompiled_set(atoll_precompiled_library "" ${headers})
  endif()
  foreach(target IN LISTS targets)
    foreach(set IN LISTS sets)
      atoll_may_use_set(${target} ${set} may_use)
      if(may_use)
        target_precompile_headers(${target} REUSE_FROM ${set})
        # If the compiler rejects the set after all, it reads the headers.
        set_target_properties(${target} PROPERTIES PCH_WARN_INVALID OFF)
        break()
      endif()
    endforeach()
  endforeach()
endfunction()
