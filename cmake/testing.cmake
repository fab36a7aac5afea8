# SPDX-License-Identifier: BSD-3-Clause
#
# Tests: GoogleTest binaries and whole programs, run by ctest either plainly or as jobs of several
# ranks under the `atoll run` of this build. Every test has a time limit; a test of more than one rank
# claims two processors, so that ctest -j does not let it time out on an oversubscribed machine.

if(ATOLL_BUILD_TESTS)
  enable_testing()
  find_package(GTest REQUIRED)
  find_package(Python3 3.9 REQUIRED COMPONENTS Interpreter)  # tests of several processes are written in it
endif()

# GoogleTest programs are optimised a little only, which takes a third off their compile time.
set(ATOLL_TEST_OPTIONS)
if(CMAKE_BUILD_TYPE STREQUAL "Release")
  set(ATOLL_TEST_OPTIONS -O1 -Wno-maybe-uninitialized)  # which guesses worse at -O1
endif()

# A time limit is only for tests that hang. Tests give the limit of a fast machine; it is tripled, because a machine
# that also does other work is several times slower. Sanitized processes are slower still.
set(ATOLL_SLOWNESS 1)
if(ATOLL_SANITIZE)
  set(ATOLL_SLOWNESS 4)
endif()
math(EXPR ATOLL_TIMEOUT_FACTOR "2 + ${ATOLL_SLOWNESS}")

# The thread sanitizer compares the threads of one process, so a test whose processes all have one thread is left
# out there.
set(ATOLL_ONLY_RACES OFF)
if("thread" IN_LIST ATOLL_SANITIZE)
  set(ATOLL_ONLY_RACES ON)
endif()

# Suppresses leaks of other libraries, which keep memory until a process ends; our own leaks are still
# reported.
set(ATOLL_TEST_ENVIRONMENT)
if("address" IN_LIST ATOLL_SANITIZE)
  set(leaks ${PROJECT_SOURCE_DIR}/tests/support/leaks.supp)
  set(ATOLL_TEST_ENVIRONMENT LSAN_OPTIONS=suppressions=${leaks}:print_suppressions=0)
endif()

# Tests that mostly wait: for a fault to be noticed, or for another launcher. They begin first, and at most two run at
# a time, so that the processors run other tests meanwhile.
set(ATOLL_WAITING_TESTS
    "^(hosts_|network_|lost_rank|launcher_ending|launchers_(ssh|slurm|mpirun)|stopped_rank$)")

# atoll_mark_waiting(name): marks such a test.
function(atoll_mark_waiting name)
  string(MD5 digest ${name})
  string(SUBSTRING ${digest} 0 1 digit)
  math(EXPR half "0x${digit} % 2")
  set_tests_properties(${name} PROPERTIES COST 80 RESOURCE_LOCK waiting${half})
endfunction()

# atoll_register(name COMMAND prog args... [RANKS 1 2 3 4] [PARTS 3] [TIMEOUT seconds] [LABELS ...]
#                [ENVIRONMENT A=b ...] [SAYS WORDS])
# Without RANKS the command runs as it is; with RANKS once per count under `atoll run -n N`. PARTS: ctest runs the
# tests of a GoogleTest program in this many parts. SAYS: the test passes when its output matches this regular
# expression, whatever its exit status (which `atoll run` prints).
function(atoll_register name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "TIMEOUT;SAYS;PARTS" "COMMAND;RANKS;LABELS;ENVIRONMENT")
  if(NOT arg_TIMEOUT)
    set(arg_TIMEOUT 60)
  endif()
  math(EXPR limit_s "${arg_TIMEOUT} * ${ATOLL_TIMEOUT_FACTOR}")
  math(EXPR kill_s "${limit_s} + 15")
  if(ATOLL_ONLY_RACES)  # two or three ranks show the same races as more
    set(few ${arg_RANKS})
    list(FILTER few INCLUDE REGEX "^[23]$")
    if(few)
      set(arg_RANKS ${few})
    endif()
  elseif(ATOLL_SANITIZE AND "3" IN_LIST arg_RANKS)  # a sanitizer finds with four what it finds with three
    list(REMOVE_ITEM arg_RANKS 4)
  endif()
  set(names)
  if(arg_PARTS AND arg_RANKS)
    message(FATAL_ERROR "test '${name}' cannot have both PARTS and RANKS")
  endif()
  if(arg_PARTS)
    foreach(part RANGE 1 ${arg_PARTS})
      math(EXPR index "${part} - 1")
      add_test(NAME ${name}.part${part}
               COMMAND ${CMAKE_COMMAND} -E env GTEST_TOTAL_SHARDS=${arg_PARTS} GTEST_SHARD_INDEX=${index}
                       ${arg_COMMAND})
      list(APPEND names ${name}.part${part})
    endforeach()
    set_tests_properties(${names} PROPERTIES TIMEOUT ${limit_s})
  elseif(NOT arg_RANKS)
    add_test(NAME ${name} COMMAND ${arg_COMMAND})
    set_tests_properties(${name} PROPERTIES TIMEOUT ${limit_s})
    list(APPEND names ${name})
  endif()
  foreach(ranks IN LISTS arg_RANKS)
    set(one ${name}.n${ranks})
    add_test(NAME ${one} COMMAND ${CMAKE_RUNTIME_OUTPUT_DIRECTORY}/atoll run -n ${ranks}
                                 --timeout ${limit_s} ${arg_COMMAND})
    set_tests_properties(${one} PROPERTIES TIMEOUT ${kill_s})
    if(ranks GREATER 1)
      set_tests_properties(${one} PROPERTIES PROCESSORS 2)
    endif()
    list(APPEND names ${one})
  endforeach()
  foreach(one IN LISTS names)
    if(one MATCHES "${ATOLL_WAITING_TESTS}")
      atoll_mark_waiting(${one})
    endif()
  endforeach()
  list(PREPEND arg_ENVIRONMENT ${ATOLL_TEST_ENVIRONMENT})
  set_tests_properties(${names} PROPERTIES LABELS "${arg_LABELS}" ENVIRONMENT "${arg_ENVIRONMENT}")
  if(arg_SAYS)
    set_tests_properties(${names} PROPERTIES PASS_REGULAR_EXPRESSION "${arg_SAYS}")
  else()  # a filter that selects no test is a failure; 77 says that nothing could be tested here
    set_tests_properties(${names} PROPERTIES SKIP_RETURN_CODE 77
                         FAIL_REGULAR_EXPRESSION "(Running|]) 0 tests from 0 ")
  endif()
endfunction()

# atoll_add_test(name SOURCES a_test.cpp ... [LINK targets...] [OWN_MAIN] [RANKS 1 2 3 4] [PARTS 3]
#                [TIMEOUT seconds] [LABELS ...] [ENVIRONMENT A=b ...])
# A GoogleTest binary in test/. LINK defaults to the shared library. OWN_MAIN: a source has main().
function(atoll_add_test name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "OWN_MAIN" "TIMEOUT;PARTS"
                        "SOURCES;LINK;RANKS;LABELS;ENVIRONMENT")
  if(NOT ATOLL_BUILD_TESTS)
    return()
  endif()
  if(NOT arg_LINK)
    set(arg_LINK atoll)
  endif()
  add_executable(${name} ${arg_SOURCES})
  target_link_libraries(${name} PRIVATE ${arg_LINK} GTest::gtest)
  target_compile_options(${name} PRIVATE ${ATOLL_TEST_OPTIONS})
  if(NOT arg_OWN_MAIN)
    if(NOT TARGET atoll_test_main)
      add_library(atoll_test_main OBJECT ${PROJECT_SOURCE_DIR}/tests/support/test_main.cpp)
      target_include_directories(atoll_test_main PRIVATE ${PROJECT_SOURCE_DIR})
      target_link_libraries(atoll_test_main PRIVATE GTest::gtest)
    endif()
    target_sources(${name} PRIVATE $<TARGET_OBJECTS:atoll_test_main>)
  endif()
  set_target_properties(${name} PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${ATOLL_TEST_OUTPUT_DIRECTORY})
  atoll_register(${name} COMMAND $<TARGET_FILE:${name}> RANKS ${arg_RANKS} PARTS ${arg_PARTS}
                 TIMEOUT ${arg_TIMEOUT} LABELS ${arg_LABELS} ENVIRONMENT ${arg_ENVIRONMENT})
endfunction()

# atoll_test_program(name PROGRAM target [ARGS ...] [RANKS ...] [TIMEOUT s] [LABELS ...]
#                    [ENVIRONMENT A=b ...] [SAYS WORDS])
# Runs an app, a tool or a benchmark as a test; a non-zero exit fails it, unless SAYS is given.
function(atoll_test_program name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "PROGRAM;TIMEOUT;SAYS" "ARGS;RANKS;LABELS;ENVIRONMENT")
  if(NOT ATOLL_BUILD_TESTS)
    return()
  endif()
  set(says)
  if(arg_SAYS)
    set(says SAYS "${arg_SAYS}")
  endif()
  atoll_register(${name} COMMAND $<TARGET_FILE:${arg_PROGRAM}> ${arg_ARGS} RANKS ${arg_RANKS}
                 TIMEOUT ${arg_TIMEOUT} LABELS ${arg_LABELS} ENVIRONMENT ${arg_ENVIRONMENT} ${says})
endfunction()

# atoll_add_fuzzer(name SOURCES a_fuzz.cpp [LINK targets...] [CORPUS folder])
# A source with LLVMFuzzerTestOneInput. In the preset `fuzz` it becomes a libFuzzer program; in all
# others a driver feeds it the corpus and several thousand mutations of it from a fixed seed, so that
# every check compiles and runs the harness.
function(atoll_add_fuzzer name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "CORPUS" "SOURCES;LINK")
  if(NOT ATOLL_BUILD_TESTS)
    return()
  endif()
  if(NOT arg_LINK)
    set(arg_LINK atoll)
  endif()
  set(corpus)
  if(arg_CORPUS)
    get_filename_component(corpus ${arg_CORPUS} ABSOLUTE)
  endif()
  add_executable(${name} ${arg_SOURCES})
  target_link_libraries(${name} PRIVATE ${arg_LINK})
  set_target_properties(${name} PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${ATOLL_TEST_OUTPUT_DIRECTORY})
  if(NOT TARGET fuzzers)
    add_custom_target(fuzzers)
  endif()
  add_dependencies(fuzzers ${name})
  if(ATOLL_FUZZ)
    target_link_options(${name} PRIVATE -fsanitize=fuzzer)
    set(found ${CMAKE_BINARY_DIR}/fuzz/${name})  # what it finds goes here; the corpus is only read
    file(MAKE_DIRECTORY ${found})
    atoll_register(${name} COMMAND $<TARGET_FILE:${name}> -runs=100000 -max_total_time=20
                   -artifact_prefix=${found}/ ${found} ${corpus} TIMEOUT 120 LABELS fuzz)
  else()
    target_sources(${name} PRIVATE ${PROJECT_SOURCE_DIR}/tests/support/replay_main.cpp)
    atoll_register(${name} COMMAND $<TARGET_FILE:${name}> ${corpus} TIMEOUT 60 LABELS fuzz)
  endif()
endfunction()

# atoll_add_compile_fail(name SOURCE a.cpp [LINK target])
# A program that must not compile. One or more lines "// expect: WORDS" in it give the compiler's
# message; a program without such a line must compile, which shows that the others fail for the
# expected reason. The test runs the compiler with -fsyntax-only. LINK gives the include folders.
function(atoll_add_compile_fail name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "SOURCE;LINK" "")
  if(NOT ATOLL_BUILD_TESTS)
    return()
  endif()
  if(NOT arg_LINK)
    set(arg_LINK atoll)
  endif()
  get_filename_component(source ${arg_SOURCE} ABSOLUTE)
  set(folders $<TARGET_PROPERTY:${arg_LINK},INTERFACE_INCLUDE_DIRECTORIES>)
  atoll_register(${name} COMMAND ${CMAKE_COMMAND} -DCOMPILER=${CMAKE_CXX_COMPILER}
                 -DSOURCE=${source} "-DFOLDERS=$<JOIN:${folders},|>"
                 -P ${PROJECT_SOURCE_DIR}/cmake/compile_fail.cmake LABELS compile_fail)
endfunction()

# atoll_test_over_hosts(name RANKS 2,1,2 JOBS "[exits=7] [says=WORDS] [cores=1] target arguments..." ...
#                       [TIMEOUT seconds] [LIMIT seconds] [LABELS ...] [ENVIRONMENT A=b ...])
# One test that runs each of these programs as a job over hosts, with RANKS ranks each. Hosts are network
# namespaces of this machine (or its loopback interface where these cannot be made); ranks of different hosts
# share no memory. A job has 60 seconds if no LIMIT is named. The test is left out where there is no network or
# no launcher for several hosts.
function(atoll_test_over_hosts name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "RANKS;TIMEOUT;LIMIT" "JOBS;LABELS;ENVIRONMENT")
  if(NOT ATOLL_BUILD_TESTS OR NOT TARGET atoll_ofi OR NOT ATOLL_HAVE_SODIUM)
    return()
  endif()
  if(NOT arg_TIMEOUT)
    set(arg_TIMEOUT 180)  # of all jobs together
  endif()
  set(words)
  foreach(job IN LISTS arg_JOBS)
    separate_arguments(parts UNIX_COMMAND "${job}")
    list(POP_FRONT parts program)
    list(APPEND words +)
    while(program MATCHES "^(exits|says|cores)=")
      list(APPEND words ${program})
      list(POP_FRONT parts program)
    endwhile()
    list(APPEND words $<TARGET_FILE:${program}> ${parts})
  endforeach()
  if(NOT arg_LIMIT)
    set(arg_LIMIT 60)
  endif()
  math(EXPR limit_s "${arg_LIMIT} * ${ATOLL_TIMEOUT_FACTOR}")
  atoll_register(${name} COMMAND ${Python3_EXECUTABLE}
                 ${PROJECT_SOURCE_DIR}/tests/support/over_hosts.py $<TARGET_FILE:atoll_command>
                 ${arg_RANKS} ${words} TIMEOUT ${arg_TIMEOUT} LABELS hosts ${arg_LABELS}
                 ENVIRONMENT LIMIT_S=${limit_s} ${arg_ENVIRONMENT})
  set_tests_properties(${name} PROPERTIES PROCESSORS 2)
endfunction()
