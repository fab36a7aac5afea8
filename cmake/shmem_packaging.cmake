# SPDX-License-Identifier: BSD-3-Clause
#
# Installs the files of OpenSHMEM libraries that builds of programs look for: the compiler commands oshcc and
# oshc++ and the launcher oshrun under all their names, pkg-config modules, and the linker names libsma,
# libpmi_simple (which builds name beside libsma) and liboshmem. The commands are also in bin/ of the build
# tree, where they use its library and the headers of the sources. All find other files relative to themselves.

set(SHMEM_C oshcc shmemcc)
set(SHMEM_CXX oshc++ oshCC oshcxx shmemc++ shmemCC shmemcxx)
set(SHMEM_RUN oshrun shmemrun)
set(shmem_templates ${PROJECT_SOURCE_DIR}/cmake/shmem)
set(shmem_output ${CMAKE_BINARY_DIR}/package/shmem)

# The commands of the installation, then those of the build tree.
file(RELATIVE_PATH SHMEM_UP /prefix/${CMAKE_INSTALL_BINDIR} /prefix)
string(REGEX REPLACE "/$" "" SHMEM_UP "${SHMEM_UP}")
set(SHMEM_LIBRARY_FOLDER ${CMAKE_INSTALL_LIBDIR})
set(SHMEM_INCLUDE_FOLDERS ${CMAKE_INSTALL_INCLUDEDIR})
function(atoll_shmem_commands folder)
  foreach(command IN LISTS SHMEM_RUN)
    atoll_start_command(${command} ${folder} MODEL OpenSHMEM MEMBERS PEs VERSION_OPTIONS "-V | --version"
                        UP ${SHMEM_UP} LIBRARIES ${SHMEM_LIBRARY_FOLDER})
  endforeach()
  foreach(command IN LISTS SHMEM_C SHMEM_CXX)
    set(SHMEM_COMPILER ${CMAKE_C_COMPILER})
    set(SHMEM_LANGUAGE C)
    set(SHMEM_VARIABLE CC)
    if(command IN_LIST SHMEM_CXX)
      set(SHMEM_COMPILER ${CMAKE_CXX_COMPILER})
      set(SHMEM_LANGUAGE C++)
      set(SHMEM_VARIABLE CXX)
    endif()
    set(SHMEM_COMMAND ${command})
    configure_file(${shmem_templates}/oshcc.in ${folder}/${command} @ONLY
                   FILE_PERMISSIONS OWNER_READ OWNER_WRITE OWNER_EXECUTE GROUP_READ GROUP_EXECUTE
                                    WORLD_READ WORLD_EXECUTE)
  endforeach()
endfunction()
atoll_shmem_commands(${shmem_output}/bin)
install(DIRECTORY ${shmem_output}/bin/ DESTINATION ${CMAKE_INSTALL_BINDIR} USE_SOURCE_PERMISSIONS)

set(SHMEM_UP ..)
set(SHMEM_LIBRARY_FOLDER lib)
set(SHMEM_INCLUDE_FOLDERS "${PROJECT_SOURCE_DIR} ${PROJECT_SOURCE_DIR}/front/shmem/include")
atoll_shmem_commands(${CMAKE_RUNTIME_OUTPUT_DIRECTORY})

foreach(module openshmem atoll-shmem)
  atoll_install_pkgconfig(${module} DESCRIPTION "OpenSHMEM 1.6 on Atoll")
endforeach()

# For builds that name the library of another implementation: a text file that makes the linker use Atoll.
foreach(name sma pmi_simple oshmem)
  file(WRITE ${shmem_output}/lib${name}.so "/* OpenSHMEM on Atoll */\nINPUT(-latoll)\n")
  install(FILES ${shmem_output}/lib${name}.so DESTINATION ${CMAKE_INSTALL_LIBDIR})
endforeach()
