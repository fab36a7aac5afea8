# SPDX-License-Identifier: BSD-3-Clause
#
# Installs the files of an installed UPC++ that builds of programs look for, under the same names: the commands
# upcxx, upcxx-run and upcxx-meta, and a CMake package UPCXX. The commands are also in bin/ of the
# build tree, where they use its library and the headers of the sources. All find other files relative
# to themselves.

file(STRINGS ${PROJECT_SOURCE_DIR}/front/upcxx/include/upcxx/version.hpp upcxx_line
     REGEX "define UPCXX_VERSION ")
string(REGEX MATCH "([0-9][0-9][0-9][0-9])([0-9][0-9])([0-9][0-9])" UPCXX_VERSION_NUMBER
       "${upcxx_line}")
set(UPCXX_VERSION_MAJOR ${CMAKE_MATCH_1})
math(EXPR UPCXX_VERSION_MINOR "${CMAKE_MATCH_2}")  # 03 is 3
math(EXPR UPCXX_VERSION_PATCH "${CMAKE_MATCH_3}")
set(UPCXX_VERSION ${UPCXX_VERSION_MAJOR}.${UPCXX_VERSION_MINOR}.${UPCXX_VERSION_PATCH})

set(UPCXX_OPT_FLAGS -O3)
set(UPCXX_DEBUG_FLAGS -g)
# No flag where the compiler's default is C++17 or later; the flag ends with a blank, since others follow.
set(UPCXX_STANDARD_FLAG "")
if(CMAKE_CXX_STANDARD_DEFAULT LESS 17)
  set(UPCXX_STANDARD_FLAG "-std=c++17 ")
endif()
set(upcxx_templates ${PROJECT_SOURCE_DIR}/cmake/upcxx)
set(upcxx_output ${CMAKE_BINARY_DIR}/package/upcxx)

# The commands of the installation, then those of the build tree.
file(RELATIVE_PATH UPCXX_UP /prefix/${CMAKE_INSTALL_BINDIR} /prefix)
string(REGEX REPLACE "/$" "" UPCXX_UP "${UPCXX_UP}")
set(UPCXX_LIBRARY_FOLDER ${CMAKE_INSTALL_LIBDIR})
set(UPCXX_INCLUDE_FOLDERS ${CMAKE_INSTALL_INCLUDEDIR})
foreach(command upcxx upcxx-run upcxx-meta)
  configure_file(${upcxx_templates}/${command}.in ${upcxx_output}/bin/${command} @ONLY)
  install(PROGRAMS ${upcxx_output}/bin/${command} DESTINATION ${CMAKE_INSTALL_BINDIR})
endforeach()

set(UPCXX_UP ..)
set(UPCXX_LIBRARY_FOLDER lib)
get_property(upcxx_includes GLOBAL PROPERTY ATOLL_FRONT_INCLUDES)
list(JOIN upcxx_includes " " UPCXX_INCLUDE_FOLDERS)
string(PREPEND UPCXX_INCLUDE_FOLDERS "${PROJECT_SOURCE_DIR} ")
foreach(command upcxx upcxx-run upcxx-meta)
  configure_file(${upcxx_templates}/${command}.in ${CMAKE_RUNTIME_OUTPUT_DIRECTORY}/${command} @ONLY
                 FILE_PERMISSIONS OWNER_READ OWNER_WRITE OWNER_EXECUTE GROUP_READ GROUP_EXECUTE
                                  WORLD_READ WORLD_EXECUTE)
endforeach()

set(upcxx_package ${CMAKE_INSTALL_LIBDIR}/cmake/UPCXX)
set(UPCXX_ATOLL_PACKAGE ${CMAKE_INSTALL_LIBDIR}/cmake/atoll)
configure_package_config_file(${upcxx_templates}/UPCXXConfig.cmake.in
                              ${upcxx_output}/UPCXXConfig.cmake
                              INSTALL_DESTINATION ${upcxx_package})
write_basic_package_version_file(${upcxx_output}/UPCXXConfigVersion.cmake VERSION ${UPCXX_VERSION}
                                 COMPATIBILITY AnyNewerVersion)
install(FILES ${upcxx_output}/UPCXXConfig.cmake ${upcxx_output}/UPCXXConfigVersion.cmake
        DESTINATION ${upcxx_package})
