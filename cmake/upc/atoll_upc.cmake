# SPDX-License-Identifier: BSD-3-Clause
#
# UPC in projects that have found Atoll: find_package(atoll COMPONENTS upc) defines these functions.
#
#   add_executable(heat main.upc grid.c)
#   atoll_upc_target(heat [THREADS 4] [OPTIONS -O2 ...])
#
# compiles the UPC sources of a target (*.upc) with upcc and links it as a UPC program. Folders and definitions of the
# target reach upcc, and changed headers compile the sources again. A target without a source in C or C++ is linked as
# one in C.

add_library(atoll::upc INTERFACE IMPORTED)
set_target_properties(atoll::upc PROPERTIES
                      INTERFACE_LINK_LIBRARIES "${atoll_UPC_START_LIBRARY};atoll::atoll;m")

# The options of upcc for the folders and definitions of a target, which are known only when all is configured.
function(atoll_upc_properties target result)
  set(folders "$<TARGET_PROPERTY:${target},INCLUDE_DIRECTORIES>")
  set(definitions "$<TARGET_PROPERTY:${target},COMPILE_DEFINITIONS>")
  set(${result} "$<$<BOOL:${folders}>:-I$<JOIN:${folders},$<SEMICOLON>-I>>"
                "$<$<BOOL:${definitions}>:-D$<JOIN:${definitions},$<SEMICOLON>-D>>" PARENT_SCOPE)
endfunction()

function(atoll_upc_target target)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "THREADS" "OPTIONS")
  if(arg_THREADS)
    list(PREPEND arg_OPTIONS -T${arg_THREADS})
  endif()
  get_target_property(sources ${target} SOURCES)
  list(FILTER sources INCLUDE REGEX "\\.upc$")
  if(NOT sources)
    message(FATAL_ERROR "atoll_upc_target(${target}): the target has no source that ends in .upc")
  endif()
  atoll_upc_properties(${target} properties)
  set(number 0)
  foreach(source IN LISTS sources)
    math(EXPR number "${number} + 1")
    get_filename_component(path ${source} ABSOLUTE)
    get_filename_component(name ${source} NAME_WE)
    set(object ${CMAKE_CURRENT_BINARY_DIR}/${target}.upc/${number}_${name}.o)
    file(MAKE_DIRECTORY ${CMAKE_CURRENT_BINARY_DIR}/${target}.upc)
    add_custom_command(
      OUTPUT ${object}
      COMMAND ${atoll_UPCC} "$<$<CONFIG:Release,RelWithDebInfo>:-O2>" "$<$<CONFIG:Debug,RelWithDebInfo>:-g>"
              ${properties} ${arg_OPTIONS} -MD -MF ${object}.d -MT ${object} -c ${path} -o ${object}
      DEPENDS ${path} DEPFILE ${object}.d COMMENT "Building UPC object ${name}.o" COMMAND_EXPAND_LISTS VERBATIM)
    target_sources(${target} PRIVATE ${object})
  endforeach()
  get_target_property(others ${target} SOURCES)
  list(FILTER others INCLUDE REGEX "\\.(c|cc|cpp|cxx)$")
  if(NOT others)
    set_target_properties(${target} PROPERTIES LINKER_LANGUAGE C)
  endif()
  target_link_libraries(${target} PRIVATE atoll::upc)
endfunction()
