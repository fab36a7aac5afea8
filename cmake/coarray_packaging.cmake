# SPDX-License-Identifier: BSD-3-Clause
#
# The commands for Fortran programs with coarrays: caf (also named atoll-fc), which compiles, and cafrun, which
# starts. Those of the installation and those of the build tree's bin/ find other files relative to themselves. They
# need no gfortran until they are called.

set(coarray_output ${CMAKE_BINARY_DIR}/package/coarray)
function(atoll_coarray_commands folder)
  foreach(name caf atoll-fc)
    configure_file(${PROJECT_SOURCE_DIR}/cmake/coarray/caf.in ${folder}/${name} @ONLY
                   FILE_PERMISSIONS OWNER_READ OWNER_WRITE OWNER_EXECUTE GROUP_READ GROUP_EXECUTE
                                    WORLD_READ WORLD_EXECUTE)
  endforeach()
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

# The modules of Fortran programs that call gfortran themselves: of versions 8 to 14, also under OpenCoarrays' name,
# and of 15 and 16.
set(coarray_wraps -Wl,--wrap=free,--wrap=realloc,--wrap=malloc,--wrap=calloc,--undefined=atoll_program_shares_memory)
foreach(module atoll-coarray caf)
  atoll_install_pkgconfig(${module} DESCRIPTION "Fortran coarrays on Atoll, gfortran 8 to 14" CFLAGS -fcoarray=lib
                          LIBRARIES "-lcaf_atoll ${coarray_wraps}")
endforeach()
foreach(version 15 16)
  atoll_install_pkgconfig(atoll-coarray-${version} DESCRIPTION "Fortran coarrays on Atoll, gfortran ${version}"
                          CFLAGS -fcoarray=lib LIBRARIES "-lcaf_atoll_${version} ${coarray_wraps}")
endforeach()

# The packages of projects that use CMake, by the names that they look for.
set(coarray_package ${CMAKE_INSTALL_LIBDIR}/cmake/Coarray)
configure_package_config_file(${PROJECT_SOURCE_DIR}/cmake/coarray/CoarrayConfig.cmake.in
                              ${coarray_output}/CoarrayConfig.cmake INSTALL_DESTINATION ${coarray_package}
                              PATH_VARS CMAKE_INSTALL_LIBDIR CMAKE_INSTALL_BINDIR)
install(FILES ${coarray_output}/CoarrayConfig.cmake DESTINATION ${coarray_package})
install(FILES ${PROJECT_SOURCE_DIR}/cmake/coarray/OpenCoarraysConfig.cmake
        DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/OpenCoarrays)
