# SPDX-License-Identifier: BSD-3-Clause
#
# The installed tree: bin/atoll, lib/libatoll.so, include/, lib/cmake/atoll and lib/pkgconfig. It may
# be moved as a whole: the CMake package and the pkg-config modules find everything relative to
# themselves.

include(CMakePackageConfigHelpers)

install(TARGETS atoll EXPORT atoll_targets LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR})
install(CODE "set(SOURCE \"${PROJECT_SOURCE_DIR}\")
set(FOLDER \"\${CMAKE_INSTALL_PREFIX}/${CMAKE_INSTALL_INCLUDEDIR}\")
include(\"${PROJECT_SOURCE_DIR}/cmake/public_headers.cmake\")")

set(package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/atoll)
install(EXPORT atoll_targets NAMESPACE atoll:: DESTINATION ${package_dir})
configure_package_config_file(${PROJECT_SOURCE_DIR}/cmake/atoll-config.cmake.in
                              ${CMAKE_BINARY_DIR}/package/atoll-config.cmake
                              INSTALL_DESTINATION ${package_dir})
write_basic_package_version_file(${CMAKE_BINARY_DIR}/package/atoll-config-version.cmake
                                 COMPATIBILITY SameMinorVersion)
install(FILES ${CMAKE_BINARY_DIR}/package/atoll-config.cmake
              ${CMAKE_BINARY_DIR}/package/atoll-config-version.cmake DESTINATION ${package_dir})

# atoll_start_command(name folder MODEL text MEMBERS PEs VERSION_OPTIONS pattern UP path LIBRARIES folder): a command
# in a folder that starts programs of a model by `atoll run`. UP leads from that folder to the one that contains
# LIBRARIES, the folder of the libraries.
function(atoll_start_command name folder)
  cmake_parse_arguments(PARSE_ARGV 2 START "" "MODEL;MEMBERS;VERSION_OPTIONS;UP;LIBRARIES" "")
  set(START_COMMAND ${name})
  set(START_LIBRARY_FOLDER ${START_LIBRARIES})
  configure_file(${PROJECT_SOURCE_DIR}/cmake/start_program.in ${folder}/${name} @ONLY
                 FILE_PERMISSIONS OWNER_READ OWNER_WRITE OWNER_EXECUTE GROUP_READ GROUP_EXECUTE
                                  WORLD_READ WORLD_EXECUTE)
endfunction()

# atoll_install_pkgconfig(module DESCRIPTION text [FOLDER below include/] [CFLAGS text] [LIBRARIES text])
function(atoll_install_pkgconfig module)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "DESCRIPTION;FOLDER;CFLAGS;LIBRARIES" "")
  set(PC_NAME ${module})
  set(PC_DESCRIPTION ${arg_DESCRIPTION})
  set(PC_FOLDER)
  if(arg_FOLDER)
    set(PC_FOLDER /${arg_FOLDER})
  endif()
  set(PC_CFLAGS ${arg_CFLAGS})
  set(PC_LIBRARIES)
  if(arg_LIBRARIES)
    set(PC_LIBRARIES "${arg_LIBRARIES} ")
  endif()
  configure_file(${PROJECT_SOURCE_DIR}/cmake/module.pc.in ${CMAKE_BINARY_DIR}/package/${module}.pc
                 @ONLY)
  install(FILES ${CMAKE_BINARY_DIR}/package/${module}.pc
          DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
endfunction()

atoll_install_pkgconfig(atoll DESCRIPTION "Atoll, the C++ core")
get_property(fronts GLOBAL PROPERTY ATOLL_FRONTS)
if("gex" IN_LIST fronts)
  include(gasnet_packaging)  # the names that an installed GASNet-EX has
  # The thread mode of a GASNet-EX client is a macro that its sources are compiled with.
  foreach(mode SEQ PAR PARSYNC)
    string(TOLOWER ${mode} lower)
    atoll_install_pkgconfig(gasnetex-${lower} DESCRIPTION "GASNet-EX on Atoll, ${mode} clients"
                            FOLDER ${GASNET_FOLDER} CFLAGS "-DGASNET_${mode}=1")
  endforeach()
endif()
if("shmem" IN_LIST fronts)
  include(shmem_packaging)  # the names that an installed OpenSHMEM has
endif()
if("coarray" IN_LIST fronts)
  include(coarray_packaging)  # the commands caf and cafrun
endif()
if(TARGET atoll_upc_translator)
  include(upc_packaging)  # the commands upcc and upcrun
endif()
if("upcxx" IN_LIST fronts)
  include(upcxx_packaging)  # the names that an installed UPC++ has
endif()
