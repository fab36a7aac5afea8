# SPDX-License-Identifier: BSD-3-Clause
#
# UPC programs in this tree: tests, those of the guide, and apps. The command upcc of the build compiles them. They
# are left out, with a line, where the translator is not built, and in builds with a sanitizer, whose flags a program
# of the C compiler would need too.

# Sets ATOLL_HAVE_UPC in the caller: whether the translator and the start library are in this build.
macro(atoll_find_upc)
  set(ATOLL_HAVE_UPC OFF)
  if(NOT TARGET atoll_upc_translator OR NOT TARGET atoll_upc_start)
    set(upc_is_missing "the translator is not built")
  elseif(ATOLL_SANITIZE)
    set(upc_is_missing "programs of the C compiler have no sanitizer")
  else()
    set(ATOLL_HAVE_UPC ON)
  endif()
  get_property(upc_is_told GLOBAL PROPERTY ATOLL_UPC_IS_TOLD)
  if(NOT ATOLL_HAVE_UPC AND NOT upc_is_told)
    message(STATUS "UPC programs are left out: ${upc_is_missing}")
    set_property(GLOBAL PROPERTY ATOLL_UPC_IS_TOLD ON)
  endif()
endmacro()

# atoll_add_upc_program(name SOURCES a.upc ... [FOLDER folder] [OPTIONS options of upcc ...] [DEPENDS headers ...]
#                       [OBJECTS object libraries ...])
# A program in a folder of the build tree, bin/ without FOLDER.
function(atoll_add_upc_program name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "FOLDER" "SOURCES;OPTIONS;DEPENDS;OBJECTS")
  if(NOT arg_FOLDER)
    set(arg_FOLDER ${CMAKE_RUNTIME_OUTPUT_DIRECTORY})
  endif()
  list(TRANSFORM arg_SOURCES PREPEND ${CMAKE_CURRENT_SOURCE_DIR}/)
  list(TRANSFORM arg_DEPENDS PREPEND ${CMAKE_CURRENT_SOURCE_DIR}/)
  set(objects)
  foreach(library IN LISTS arg_OBJECTS)
    list(APPEND objects $<TARGET_OBJECTS:${library}>)
  endforeach()
  file(MAKE_DIRECTORY ${arg_FOLDER})
  set(command ${CMAKE_RUNTIME_OUTPUT_DIRECTORY}/upcc)
  file(GLOB_RECURSE headers CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/front/upc/include/*.h)
  list(APPEND headers ${PROJECT_SOURCE_DIR}/atoll/abi.h) # its version is part of translated code
  add_custom_command(
    OUTPUT ${arg_FOLDER}/${name}
    COMMAND ${command} -norc -O1 -g ${arg_OPTIONS} ${arg_SOURCES} "${objects}" -o ${arg_FOLDER}/${name}
    DEPENDS ${arg_SOURCES} ${objects} ${arg_DEPENDS} ${headers} atoll_upc_translator atoll_upc_start atoll ${command}
    COMMAND_EXPAND_LISTS VERBATIM)
  add_custom_target(${name} ALL DEPENDS ${arg_FOLDER}/${name})
endfunction()

# atoll_add_upc_sources(target SOURCES a.upc ... [OPTIONS options of upcc ...] [DEPENDS headers ...])
# UPC sources of a program whose other sources are C++; its main is UPC. Headers are found from the root of the tree.
function(atoll_add_upc_sources target)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "" "SOURCES;OPTIONS;DEPENDS")
  set(folder ${CMAKE_CURRENT_BINARY_DIR}/${target}.upc)
  file(MAKE_DIRECTORY ${folder})
  list(TRANSFORM arg_DEPENDS PREPEND ${CMAKE_CURRENT_SOURCE_DIR}/)
  set(command ${CMAKE_RUNTIME_OUTPUT_DIRECTORY}/upcc)
  file(GLOB_RECURSE headers CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/front/upc/include/*.h)
  list(APPEND headers ${PROJECT_SOURCE_DIR}/atoll/abi.h) # its version is part of translated code
  foreach(source IN LISTS arg_SOURCES)
    get_filename_component(name ${source} NAME_WE)
    set(object ${folder}/${name}.o)
    add_custom_command(
      OUTPUT ${object}
      COMMAND ${command} -norc -O2 -g -fPIC -I${PROJECT_SOURCE_DIR} ${arg_OPTIONS} -c ${CMAKE_CURRENT_SOURCE_DIR}/${source}
              -o ${object}
      DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/${source} ${arg_DEPENDS} ${headers} atoll_upc_translator ${command}
      VERBATIM)
    target_sources(${target} PRIVATE ${object})
  endforeach()
  target_link_libraries(${target} PRIVATE atoll_upc_start)
endfunction()
