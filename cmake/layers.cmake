# SPDX-License-Identifier: BSD-3-Clause
#
# Layers. Each folder of atoll/ is an object library atoll_<layer> that names the layers below it;
# its unit tests link the objects of that layer and of what it names, directly or through others,
# and nothing else. A symbol taken from a higher layer is therefore a link error in the unit tests.

# atoll_add_layer(core SOURCES a.cpp b.cpp [TESTS a_test.cpp ...] [TEST_PARTS 3] [USES transport memory])
# The tests of one layer are one binary, atoll_<layer>_tests, because linking costs more than
# filtering: run one test with --gtest_filter. ctest runs it in TEST_PARTS parts.
function(atoll_add_layer layer)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "TEST_PARTS" "SOURCES;TESTS;USES")
  set(target atoll_${layer})
  set(below ${arg_USES})
  foreach(used IN LISTS arg_USES)
    if(NOT TARGET atoll_${used})
      message(FATAL_ERROR "layer '${layer}' uses '${used}', which is not below it")
    endif()
    get_property(further GLOBAL PROPERTY ATOLL_BELOW_${used})
    list(APPEND below ${further})
  endforeach()
  list(REMOVE_DUPLICATES below)
  set_property(GLOBAL PROPERTY ATOLL_BELOW_${layer} ${below})
  list(TRANSFORM below PREPEND atoll_)

  if(arg_SOURCES)
    add_library(${target} OBJECT ${arg_SOURCES})
    set(scope PUBLIC)
    set_property(GLOBAL APPEND PROPERTY ATOLL_OBJECTS ${target})
  else()
    add_library(${target} INTERFACE)  # a layer of headers only
    set(scope INTERFACE)
  endif()
  target_include_directories(${target} ${scope} ${PROJECT_SOURCE_DIR})
  target_link_libraries(${target} ${scope} Threads::Threads ${CMAKE_DL_LIBS})
  foreach(used IN LISTS below)
    target_link_libraries(${target} ${scope} ${used})
  endforeach()

  if(arg_TESTS AND ATOLL_BUILD_TESTS)
    atoll_add_test(${target}_tests SOURCES ${arg_TESTS} LINK ${target} ${below} PARTS ${arg_TEST_PARTS}
                   TIMEOUT 180)  # hundreds of tests with several threads; up to four programs run at once
  endif()
endfunction()

# atoll_add_module(ofi SOURCES ... PACKAGE libfabric>=1.14 OPTION ATOLL_BUILD_OFI)
# libatoll_<name>.so: the code that needs a library that not every machine has, found by pkg-config. It is
# opened at run time and links libatoll.so. When the library is not found, the module is left out with a
# line if OPTION is AUTO, and is an error if OPTION is ON.
function(atoll_add_module name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "PACKAGE;OPTION" "SOURCES")
  string(TOUPPER "${${arg_OPTION}}" wanted)
  if(NOT wanted STREQUAL "AUTO" AND NOT ${arg_OPTION})
    return()
  endif()
  find_package(PkgConfig QUIET)
  if(PkgConfig_FOUND)
    pkg_check_modules(ATOLL_${name} QUIET IMPORTED_TARGET ${arg_PACKAGE})
  endif()
  if(NOT ATOLL_${name}_FOUND)
    set(missing "libatoll_${name}.so is left out: pkg-config does not find ${arg_PACKAGE}")
    if(wanted STREQUAL "AUTO")
      message(STATUS "${missing}")
      return()
    endif()
    message(FATAL_ERROR "${missing}, and ${arg_OPTION} is ${wanted}")
  endif()
  set(target atoll_${name})
  add_library(${target}_parts OBJECT ${arg_SOURCES})
  target_include_directories(${target}_parts PUBLIC ${PROJECT_SOURCE_DIR})
  target_link_libraries(${target}_parts PUBLIC PkgConfig::ATOLL_${name} Threads::Threads)
  add_library(${target} MODULE $<TARGET_OBJECTS:${target}_parts>)
  target_link_libraries(${target} PRIVATE atoll PkgConfig::ATOLL_${name})
  set_target_properties(${target} PROPERTIES INSTALL_RPATH "$ORIGIN")
  atoll_install_module(${target})
endfunction()

# A module is opened by name at run time, so nothing that is linked depends on it: targets that run
# or install modules name the property instead.
function(atoll_install_module target)
  install(TARGETS ${target} LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR})
  set_property(GLOBAL APPEND PROPERTY ATOLL_MODULES ${target})
endfunction()

# atoll_add_front(gex SOURCES ... [TESTS ...] [INCLUDE include] [INSTALLED_BELOW folder]
#                 [EXPORTS gex_* ...])
# A front is a layer above all of atoll/; its INCLUDE folder holds the headers whose names the standard
# dictates. They are installed into the folder of headers, or into the folder INSTALLED_BELOW it.
# EXPORTS are the C names that libatoll.so exports for it. Fronts never see each other.
function(atoll_add_front front)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "INCLUDE;INSTALLED_BELOW" "SOURCES;TESTS;EXPORTS")
  set(target atoll_front_${front})
  if(NOT arg_SOURCES)
    return()
  endif()
  add_library(${target} OBJECT ${arg_SOURCES})
  set_property(GLOBAL APPEND PROPERTY ATOLL_OBJECTS ${target})
  target_link_libraries(${target} PUBLIC atoll_coll)
  target_include_directories(${target} PUBLIC ${PROJECT_SOURCE_DIR})
  if(arg_INCLUDE)
    set(headers ${CMAKE_CURRENT_SOURCE_DIR}/${arg_INCLUDE})
    target_include_directories(${target} PUBLIC ${headers})
    set_property(GLOBAL APPEND PROPERTY ATOLL_FRONT_INCLUDES ${headers})
    set(installed ${CMAKE_INSTALL_INCLUDEDIR})
    if(arg_INSTALLED_BELOW)
      string(APPEND installed /${arg_INSTALLED_BELOW})
    endif()
    install(DIRECTORY ${headers}/ DESTINATION ${installed})
  endif()
  set_property(GLOBAL APPEND PROPERTY ATOLL_FRONTS ${front})
  set_property(GLOBAL APPEND PROPERTY ATOLL_EXPORTS ${arg_EXPORTS})
  if(arg_TESTS AND ATOLL_BUILD_TESTS)
    atoll_add_test(${target}_tests SOURCES ${arg_TESTS})
  endif()
endfunction()

# Merges every layer and front into libatoll.so. Called once, after they all are known.
function(atoll_link_library)
  get_property(objects GLOBAL PROPERTY ATOLL_OBJECTS)
  if(NOT objects)  # nothing to link yet: a library of nothing, so that the rest configures
    set(nothing ${CMAKE_BINARY_DIR}/nothing.cpp)
    file(WRITE ${nothing} "")
  endif()
  add_library(atoll SHARED ${nothing})
  add_library(atoll::atoll ALIAS atoll)
  foreach(object IN LISTS objects)
    target_sources(atoll PRIVATE $<TARGET_OBJECTS:${object}>)
  endforeach()
  get_property(includes GLOBAL PROPERTY ATOLL_FRONT_INCLUDES)
  target_include_directories(atoll PUBLIC $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}>
                             $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>)
  foreach(include IN LISTS includes)
    target_include_directories(atoll PUBLIC $<BUILD_INTERFACE:${include}>)
  endforeach()
  # The tree compiles in C++20 unless a target says otherwise; users of the core need C++20.
  target_compile_features(atoll INTERFACE $<INSTALL_INTERFACE:cxx_std_20>)
  target_link_libraries(atoll PUBLIC Threads::Threads PRIVATE ${CMAKE_DL_LIBS})
  if(NOT ATOLL_SANITIZE)  # a sanitizer's functions are found only when a program is linked
    target_link_options(atoll PRIVATE -Wl,--no-undefined)
  endif()
  set_target_properties(atoll PROPERTIES LINKER_LANGUAGE CXX VERSION ${PROJECT_VERSION}
                        SOVERSION ${PROJECT_VERSION_MAJOR}.${PROJECT_VERSION_MINOR})
  atoll_version_symbols()
endfunction()

# libatoll.so exports the names of Atoll and of its fronts, all with the version of the interface, and
# no instances of other libraries' templates that it happens to contain. The pattern for C++ matches
# mangled names that mention a namespace of ours, including type information.
function(atoll_version_symbols)
  get_property(names GLOBAL PROPERTY ATOLL_EXPORTS)
  set(list)
  foreach(name IN ITEMS ${names} atoll_* _Z*3atl* _Z*5upcxx*)
    string(APPEND list "    ${name};\n")
  endforeach()
  set(script ${CMAKE_BINARY_DIR}/atoll.map)
  file(CONFIGURE OUTPUT ${script} CONTENT
       "ATOLL_${PROJECT_VERSION_MAJOR}.${PROJECT_VERSION_MINOR} {\n  global:\n${list}  local:\n    *;\n};\n")
  target_link_options(atoll PRIVATE -Wl,--version-script=${script})
  set_property(TARGET atoll APPEND PROPERTY LINK_DEPENDS ${script})
endfunction()
