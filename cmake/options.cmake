# SPDX-License-Identifier: BSD-3-Clause
#
# The options of a build, and the flags that every target gets. Nothing here selects a transport, a
# thread mode or a checking level: those are run-time settings of the one library.

option(ATOLL_BUILD_TESTS "Build the tests" ON)
option(ATOLL_BUILD_APPS "Build the example applications" ON)
option(ATOLL_BUILD_BENCH "Build the benchmarks" ON)
option(ATOLL_BUILD_UPCXX "Build the UPC++ front" ON)
set(ATOLL_BUILD_OFI AUTO CACHE STRING
    "Build the transport on libfabric, libatoll_ofi.so: ON, OFF, or AUTO where libfabric is found")
set(ATOLL_GASNET_CONDUITS AUTO CACHE STRING
    "Conduits of GASNet to install the names of: some of smp udp mpi ofi ucx ibv, or AUTO for what works")
option(ATOLL_WERROR "Treat compiler warnings as errors" ON)
set(ATOLL_SANITIZE "" CACHE STRING "Sanitizers for everything: address, undefined, thread (a list)")
option(ATOLL_PRECOMPILE "Precompile the headers of the standard library and GoogleTest" OFF)
option(ATOLL_UNITE "Compile ten sources at a time as one" OFF)
option(ATOLL_FUZZ "Build fuzzers with libFuzzer instead of the replaying driver (clang only)" OFF)

if(NOT CMAKE_BUILD_TYPE AND NOT CMAKE_CONFIGURATION_TYPES)
  set(CMAKE_BUILD_TYPE Release CACHE STRING "Release, Debug, RelWithDebInfo" FORCE)
endif()

# C++ without extensions; C is GNU C99, since C clients of the fronts use POSIX.
set(CMAKE_CXX_STANDARD 20)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_C_STANDARD 99)
set(CMAKE_C_STANDARD_REQUIRED ON)
set(CMAKE_C_EXTENSIONS ON)
set(CMAKE_POSITION_INDEPENDENT_CODE ON)
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)

set(CMAKE_RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/bin)
set(CMAKE_LIBRARY_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/lib)
set(ATOLL_TEST_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/test)

# The same library folder on every distribution, and commands that find the library beside them
# wherever the tree is moved to.
set(CMAKE_INSTALL_LIBDIR lib CACHE PATH "Folder of the libraries below the prefix")
include(GNUInstallDirs)
set(CMAKE_INSTALL_RPATH "$ORIGIN/../${CMAKE_INSTALL_LIBDIR}")

set(THREADS_PREFER_PTHREAD_FLAG ON)
find_package(Threads REQUIRED)

add_compile_options(
  -Wall -Wextra -Wpedantic -Wshadow -Wcast-qual -Wformat=2 -Wundef -Wvla
  $<$<COMPILE_LANGUAGE:CXX>:-Wnon-virtual-dtor> $<$<COMPILE_LANGUAGE:CXX>:-Woverloaded-virtual>
  $<$<COMPILE_LANGUAGE:CXX>:-Wextra-semi>
  # Options structs are meant to be filled in part, by designated initialisers.
  -Wno-missing-field-initializers)
if(ATOLL_UNITE)
  set(CMAKE_UNITY_BUILD ON)
  set(CMAKE_UNITY_BUILD_BATCH_SIZE 10)
  # The warning would report local names that hide names of other sources compiled with theirs.
  add_compile_options(-Wno-shadow)
  if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
    add_compile_options(-Wshadow=local)
    add_compile_options($<$<COMPILE_LANGUAGE:CXX>:-Wno-subobject-linkage>)  # of the frames of coroutines
  endif()
endif()
# Calls between the parts of libatoll.so are direct: its functions are not replaced at run time.
add_compile_options(-fno-semantic-interposition)
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND CMAKE_CXX_COMPILER_VERSION VERSION_LESS 13)
  add_compile_options(-Wno-restrict)  # g++ 12 sees overlaps in std::string that are not there
  # Without optimisation it also warns that a coroutine's operator new and delete do not match, though
  # they are of one class, when new is a template.
  add_compile_options($<$<COMPILE_LANGUAGE:CXX>:-Wno-mismatched-new-delete>)
endif()
if(ATOLL_WERROR)
  add_compile_options(-Werror)
endif()

# For .cpp files that report the build; headers must not use them, since other builds compile
# installed headers.
add_compile_definitions(ATOLL_VERSION_STRING="${PROJECT_VERSION}"
  ATOLL_BUILD_STRING="$<CONFIG>, ${CMAKE_CXX_COMPILER_ID} ${CMAKE_CXX_COMPILER_VERSION}")

if(ATOLL_FUZZ)
  if(NOT CMAKE_CXX_COMPILER_ID STREQUAL "Clang")
    message(FATAL_ERROR "ATOLL_FUZZ needs clang: libFuzzer is part of it. Use the preset 'fuzz'.")
  endif()
  add_compile_options(-fsanitize=fuzzer-no-link)
endif()
if(ATOLL_SANITIZE)
  string(REPLACE ";" "," sanitizers "${ATOLL_SANITIZE}")
  add_compile_options(-fsanitize=${sanitizers} -fno-omit-frame-pointer -g1)
  add_compile_definitions(ATOLL_SANITIZED)  # tests do less then, and code tells sanitizers what they cannot see
  add_link_options(-fsanitize=${sanitizers})
  if(CMAKE_C_COMPILER_ID STREQUAL "Clang")
    # libatoll.so needs the C++ half of the sanitizer's runtime, which a C program does not link, and that
    # half needs the C++ library.
    add_link_options($<$<LINK_LANGUAGE:C>:-fsanitize-link-c++-runtime>
                     $<$<LINK_LANGUAGE:C>:-lstdc++>)
  endif()
  if(sanitizers MATCHES "undefined")
    add_compile_options(-fno-sanitize-recover=undefined)
  endif()
  if(sanitizers MATCHES "thread" AND CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
    add_compile_options(-Wno-tsan)  # g++ warns of every fence that its thread sanitizer ignores
  endif()
endif()
