# SPDX-License-Identifier: BSD-3-Clause
#
# The commands for UPC programs: upcc and upc, which compile, and upcrun, which starts. Those of the installation and
# those of the build tree's bin/ find other files relative to themselves.

set(upc_output ${CMAKE_BINARY_DIR}/package/upc)
set(UPC_COMPILER ${CMAKE_C_COMPILER})
set(UPC_LINK_FLAGS)
function(atoll_upc_commands folder)
  foreach(UPC_COMMAND upcc upc)
    configure_file(${PROJECT_SOURCE_DIR}/cmake/upc/upcc.in ${folder}/${UPC_COMMAND} @ONLY
                   FILE_PERMISSIONS OWNER_READ OWNER_WRITE OWNER_EXECUTE GROUP_READ GROUP_EXECUTE
                                    WORLD_READ WORLD_EXECUTE)
  endforeach()
  configure_file(${PROJECT_SOURCE_DIR}/cmake/upc/upcrun.in ${folder}/upcrun @ONLY
                 FILE_PERMISSIONS OWNER_READ OWNER_WRITE OWNER_EXECUTE GROUP_READ GROUP_EXECUTE
                                  WORLD_READ WORLD_EXECUTE)
endfunction()

file(RELATIVE_PATH UPC_UP /prefix/${CMAKE_INSTALL_BINDIR} /prefix)
string(REGEX REPLACE "/$" "" UPC_UP "${UPC_UP}")
set(UPC_LIBRARY_FOLDER ${CMAKE_INSTALL_LIBDIR})
set(UPC_LIBEXEC_FOLDER ${CMAKE_INSTALL_LIBEXECDIR}/atoll)
set(UPC_SETTINGS_FOLDER etc)
set(UPC_INCLUDE_FOLDERS ${CMAKE_INSTALL_INCLUDEDIR})
atoll_upc_commands(${upc_output}/bin)
install(DIRECTORY ${upc_output}/bin/ DESTINATION ${CMAKE_INSTALL_BINDIR} USE_SOURCE_PERMISSIONS)

set(UPC_UP ..)
set(UPC_LIBRARY_FOLDER lib)
set(UPC_LIBEXEC_FOLDER libexec/atoll)
set(UPC_INCLUDE_FOLDERS "${PROJECT_SOURCE_DIR} ${PROJECT_SOURCE_DIR}/front/upc/include")
atoll_upc_commands(${CMAKE_RUNTIME_OUTPUT_DIRECTORY})

# The pkg-config module for programs that link objects of upcc with a C or C++ compiler, and the function of the CMake
# package that compiles UPC sources.
atoll_install_pkgconfig(atoll-upc DESCRIPTION "UPC on Atoll" LIBRARIES "-latoll_upc_start")
install(FILES ${PROJECT_SOURCE_DIR}/cmake/upc/atoll_upc.cmake DESTINATION ${package_dir})
install(FILES ${PROJECT_SOURCE_DIR}/cmake/upc/upc_gdb.py DESTINATION ${CMAKE_INSTALL_DATADIR}/atoll)
