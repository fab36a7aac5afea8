# SPDX-License-Identifier: BSD-3-Clause
#
# The commands for Fortran programs with coarrays: caf, which compiles, and cafrun, which starts. Those of
# the installation and those of the build tree's bin/ find the rest from where they lie. They need no
# gfortran until they are called.

set(coarray_output ${CMAKE_BINARY_DIR}/package/coarray)
function(atoll_coarray_commands folder)
  configure_file(${PROJECT_SOURCE_DIR}/cmake/coarray/caf.in ${folder}/caf @ONLY
                 FILE_PERMISSIONS OWNER_READ OWNER_WRITE OWNER_EXECUTE GROUP_READ GROUP_EXECUTE
                                  WORLD_READ WORLD_EXECUTE)
  atoll_start_command(cafrun ${folder} MODEL "Fortran coarrays" MEMBERS images VERSION_OPTIONS "-v | -V | --version"
                      UP ${COARRAY_UP} LIBRARIES ${COARRAY_LIBRARY_FOLDER})
endfunction()

file(RELATIVE_PATH COARRAY_UP /prefix/${CMAKE_INSTALL_BINDIR} /prefix)
string(REGEX REPLACE "/$" "" COARRAY_UP "${COARRAY_UP}")
set(COARRAY_LIBRARY_FOLDER ${CMAKE_INSTALL_LIBDIR})
set(COARRAY_INCLUDES "-I$root/${CMAKE_INSTALL_INCLUDEDIR}")
set(COARRAY_INLINE_SOURCE "$root/${CMAKE_INSTALL_INCLUDEDIR}/atoll_coarray/inline_8.c")
atoll_coarray_commands(${coarray_output}/bin)
install(DIRECTORY ${coarray_output}/bin/ DESTINATION ${CMAKE_INSTALL_BINDIR} USE_SOURCE_PERMISSIONS)

set(COARRAY_UP ..)
set(COARRAY_LIBRARY_FOLDER lib)
set(COARRAY_INCLUDES "-I${PROJECT_SOURCE_DIR} -I${PROJECT_SOURCE_DIR}/front/coarray/include")
set(COARRAY_INLINE_SOURCE "${PROJECT_SOURCE_DIR}/front/coarray/libcaf/inline_8.c")
atoll_coarray_commands(${CMAKE_RUNTIME_OUTPUT_DIRECTORY})

# The module of Fortran programs that call gfortran themselves, with -fcoarray=lib.
atoll_install_pkgconfig(atoll-coarray DESCRIPTION "Fortran coarrays on Atoll"
                        LIBRARIES "-lcaf_atoll -Wl,--wrap=free,--wrap=realloc,--wrap=malloc,--wrap=calloc")
