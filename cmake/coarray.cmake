# SPDX-License-Identifier: BSD-3-Clause
#
# Fortran programs with coarrays in this tree: tests, and those of the guide. The command caf of the build
# compiles them. They are left out, with a line, where gfortran is missing, and in builds with a sanitizer
# of clang, which gfortran cannot link.

set(ATOLL_HAVE_COARRAYS OFF)
find_program(ATOLL_GFORTRAN NAMES gfortran-14 gfortran-13 gfortran-12 gfortran-11 gfortran)
if(ATOLL_GFORTRAN)
  execute_process(COMMAND ${ATOLL_GFORTRAN} -dumpversion OUTPUT_VARIABLE gfortran_version
                  OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
endif()
if(ATOLL_SANITIZE)
  message(STATUS "Fortran programs are left out: gfortran does not link the sanitizers of clang")
elseif(NOT ATOLL_GFORTRAN)
  message(STATUS "Fortran programs are left out: gfortran is not found")
elseif(gfortran_version VERSION_LESS 8 OR gfortran_version VERSION_GREATER_EQUAL 15)
  message(STATUS "Fortran programs are left out: ${ATOLL_GFORTRAN} is of version ${gfortran_version}, not 8 to 14")
else()
  set(ATOLL_HAVE_COARRAYS ON)
endif()

# flang calls the library by other names than gfortran, and for other programs.
set(ATOLL_HAVE_FLANG OFF)
find_program(ATOLL_FLANG NAMES flang-22)
if(ATOLL_FLANG AND NOT ATOLL_SANITIZE)
  set(ATOLL_HAVE_FLANG ON)
elseif(NOT ATOLL_FLANG)
  message(STATUS "Fortran programs for flang are left out: flang-22 is not found")
endif()

# The source that caf compiles with a program that is optimised.
set(ATOLL_COARRAY_INLINE_SOURCES
    ${PROJECT_SOURCE_DIR}/front/coarray/libcaf/inline_8.c
    ${PROJECT_SOURCE_DIR}/front/coarray/include/atoll_coarray/gfortran_8.h
    ${PROJECT_SOURCE_DIR}/front/coarray/include/atoll_coarray/table.h)

# atoll_add_coarray_program(name FOLDER folder SOURCES a.f90 ... [OPTIONS options of caf ...] [LEVEL -O2]
# [COMPILER path]): a program in a folder of the build tree.
function(atoll_add_coarray_program name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "FOLDER;LEVEL;COMPILER" "SOURCES;OPTIONS")
  set(level -O1)
  if(arg_LEVEL)
    set(level ${arg_LEVEL})
  endif()
  set(compiler ${ATOLL_GFORTRAN})
  if(arg_COMPILER)
    set(compiler ${arg_COMPILER})
  endif()
  list(TRANSFORM arg_SOURCES PREPEND ${CMAKE_CURRENT_SOURCE_DIR}/)
  set(modules ${CMAKE_CURRENT_BINARY_DIR}/${name}.modules)
  file(MAKE_DIRECTORY ${modules} ${arg_FOLDER})
  set(command ${CMAKE_RUNTIME_OUTPUT_DIRECTORY}/caf)
  add_custom_command(
    OUTPUT ${arg_FOLDER}/${name}
    COMMAND ${CMAKE_COMMAND} -E env ATOLL_FC=${compiler} ${command} ${arg_OPTIONS} ${level} -g -J ${modules}
            ${arg_SOURCES} -o ${arg_FOLDER}/${name}
    DEPENDS ${arg_SOURCES} ${ATOLL_COARRAY_INLINE_SOURCES} caf_atoll prif_flang_22 atoll ${command}
    VERBATIM)
  add_custom_target(${name} ALL DEPENDS ${arg_FOLDER}/${name})
endfunction()

# atoll_add_coarray_object(target a.f90 [INLINE]): a Fortran source with coarrays as a part of a C++ program. INLINE: the
# command caf compiles it with -O3, so that it has the library's code for single values.
function(atoll_add_coarray_object target source)
  cmake_parse_arguments(PARSE_ARGV 2 arg "INLINE" "" "")
  set(compile ${ATOLL_GFORTRAN} -fcoarray=lib -O2)
  set(needed)
  if(arg_INLINE)
    set(caf ${CMAKE_RUNTIME_OUTPUT_DIRECTORY}/caf)
    set(compile ${CMAKE_COMMAND} -E env ATOLL_FC=${ATOLL_GFORTRAN} ${caf} -O3)
    set(needed ${caf} ${ATOLL_COARRAY_INLINE_SOURCES})
  endif()
  set(object ${CMAKE_CURRENT_BINARY_DIR}/${source}.o)
  set(modules ${CMAKE_CURRENT_BINARY_DIR}/${target}.modules)
  get_filename_component(folder ${object} DIRECTORY)
  file(MAKE_DIRECTORY ${modules} ${folder})
  add_custom_command(
    OUTPUT ${object}
    COMMAND ${compile} -fPIC -J ${modules} -c ${CMAKE_CURRENT_SOURCE_DIR}/${source} -o ${object}
    DEPENDS ${source} ${needed}
    VERBATIM)
  execute_process(COMMAND ${ATOLL_GFORTRAN} -print-file-name=libgfortran.so OUTPUT_VARIABLE library
                  OUTPUT_STRIP_TRAILING_WHITESPACE)
  target_sources(${target} PRIVATE ${object})
  target_link_libraries(${target} PRIVATE caf_atoll atoll ${library})
endfunction()

# atoll_add_prif_program(name COMPILER gfortran|flang FOLDER folder SOURCES a.f90 ...): a program that calls module
# prif, in a folder of the build tree.
function(atoll_add_prif_program name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "FOLDER;COMPILER" "SOURCES")
  list(TRANSFORM arg_SOURCES PREPEND ${CMAKE_CURRENT_SOURCE_DIR}/)
  list(PREPEND arg_SOURCES ${PROJECT_SOURCE_DIR}/front/coarray/prif/prif_access.f90
       ${PROJECT_SOURCE_DIR}/front/coarray/prif/prif.f90)
  set(compiler ${ATOLL_FLANG})
  if(arg_COMPILER STREQUAL gfortran)
    set(compiler ${ATOLL_GFORTRAN} -Wno-c-binding-type)
  endif()
  set(modules ${CMAKE_CURRENT_BINARY_DIR}/${name}.modules)
  file(MAKE_DIRECTORY ${modules} ${arg_FOLDER})
  set(libraries ${CMAKE_LIBRARY_OUTPUT_DIRECTORY})
  add_custom_command(
    OUTPUT ${arg_FOLDER}/${name}
    COMMAND ${compiler} -O1 -g -J ${modules} ${arg_SOURCES} -o ${arg_FOLDER}/${name} -L${libraries} -latoll
            -Wl,-rpath,${libraries}
    DEPENDS ${arg_SOURCES} atoll
    VERBATIM)
  add_custom_target(${name} ALL DEPENDS ${arg_FOLDER}/${name})
endfunction()
