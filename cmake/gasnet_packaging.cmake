# SPDX-License-Identifier: BSD-3-Clause
#
# Installs the files of an installed GASNet-EX that builds of clients look for, under the same names, so that existing
# configure scripts find them: pkg-config modules, makefile fragments, libraries to link by name and commands that
# start programs. There is a name for each network (conduit) and thread mode, each kind made from one template
# (cmake/gasnet/), and all lead to the one libatoll.so. Every file finds the rest of the tree relative to
# itself.

# smp is the conduit of jobs on one host, which need no network. The names of the others promise several
# hosts, which need the transport on libfabric.
set(gasnet_networks udp mpi ofi ucx ibv)
if(ATOLL_GASNET_CONDUITS STREQUAL "AUTO")
  set(GASNET_CONDUITS smp)
  if(TARGET atoll_ofi)
    list(APPEND GASNET_CONDUITS ${gasnet_networks})
  endif()
else()
  string(REPLACE " " ";" GASNET_CONDUITS "${ATOLL_GASNET_CONDUITS}")
  foreach(conduit IN LISTS GASNET_CONDUITS)
    if(NOT conduit IN_LIST gasnet_networks AND NOT conduit STREQUAL "smp")
      list(JOIN gasnet_networks ", " names)
      message(FATAL_ERROR "ATOLL_GASNET_CONDUITS names '${conduit}': give AUTO, or some of smp, ${names}")
    endif()
  endforeach()
endif()
set(GASNET_FOLDER atoll-gasnet)  # of the headers, as front/gex/CMakeLists.txt says
set(GASNET_MODES seq par parsync)
file(STRINGS ${PROJECT_SOURCE_DIR}/front/gex/include/gasnet_config.h GASNET_RELEASE
     REGEX "define GASNETI_RELEASE_VERSION ")
string(REGEX REPLACE ".* ([0-9.]+)$" "\\1" GASNET_RELEASE "${GASNET_RELEASE}")

set(GASNET_OPT_CFLAGS -O3)
set(GASNET_MISC_CFLAGS)
set(gasnet_templates ${PROJECT_SOURCE_DIR}/cmake/gasnet)
set(gasnet_output ${CMAKE_BINARY_DIR}/package/gasnet)

# atoll_gasnet_up(variable folder): "../.." for a folder two levels below the prefix.
function(atoll_gasnet_up variable folder)
  file(RELATIVE_PATH up /prefix/${folder} /prefix)
  string(REGEX REPLACE "/$" "" up "${up}")
  set(${variable} ${up} PARENT_SCOPE)
endfunction()

# atoll_gasnet_mode(mode): sets what depends on the thread mode.
macro(atoll_gasnet_mode mode)
  set(mode ${mode})
  string(TOUPPER ${mode} MODE)
  set(GASNET_DEFINES "-D_GNU_SOURCE=1 -DGASNET_${MODE}")
  set(GASNET_THREAD_LIBS)
  set(TOOLS_THREAD_DEFINES -DGASNETT_THREAD_SINGLE)
  if(NOT mode STREQUAL seq)
    string(APPEND GASNET_DEFINES " -D_REENTRANT")
    set(GASNET_THREAD_LIBS -lpthread)
    set(TOOLS_THREAD_DEFINES "-DGASNETT_THREAD_SAFE -D_REENTRANT")
  endif()
endmacro()

# atoll_gasnet_file(template name folder [EXECUTABLE]): configures a template and installs it.
function(atoll_gasnet_file template name folder)
  configure_file(${gasnet_templates}/${template} ${gasnet_output}/${folder}/${name} @ONLY)
  set(kind FILES)
  if("EXECUTABLE" IN_LIST ARGN)
    set(kind PROGRAMS)
  endif()
  install(${kind} ${gasnet_output}/${folder}/${name} DESTINATION ${folder})
endfunction()

# atoll_gasnet_library(name): the library that -l<name> finds, and the archive that some builds look for.
function(atoll_gasnet_library name)
  set(link ${gasnet_output}/${CMAKE_INSTALL_LIBDIR}/lib${name}.so)
  file(MAKE_DIRECTORY ${gasnet_output}/${CMAKE_INSTALL_LIBDIR})
  file(CREATE_LINK libatoll.so ${link} SYMBOLIC)
  install(FILES ${link} DESTINATION ${CMAKE_INSTALL_LIBDIR})
  atoll_gasnet_file(library.ld.in lib${name}.a ${CMAKE_INSTALL_LIBDIR})
endfunction()

set(gasnet_pkgconfig ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
atoll_gasnet_up(UP_FROM_PKGCONFIG ${gasnet_pkgconfig})
atoll_gasnet_up(UP_FROM_BIN ${CMAKE_INSTALL_BINDIR})

# A stand-in for a build tree of GASNet (tree.mak.in says why).
set(gasnet_tree ${CMAKE_INSTALL_DATADIR}/gasnet)
list(JOIN GASNET_CONDUITS " " GASNET_CONDUIT_LIST)
string(TOUPPER ${CMAKE_C_COMPILER_ID} GASNET_CC_FAMILY)
set(AT @)  # for templates that contain words in @ themselves
atoll_gasnet_up(UP_FROM_TREE ${gasnet_tree})
atoll_gasnet_file(tree.mak.in Makefile ${gasnet_tree})
atoll_gasnet_file(config.status.in config.status ${gasnet_tree} EXECUTABLE)

# Clients search only the folder of GASNet's headers, so the public C header that these include is below it.
install(FILES ${PROJECT_SOURCE_DIR}/atoll/abi.h
        DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/atoll-gasnet/atoll)

# Scripts read the versions in gasnet_config.h, and find GASNet's prefix by the other headers.
install(FILES ${PROJECT_SOURCE_DIR}/front/gex/include/gasnet_config.h
        DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
install(FILES ${PROJECT_SOURCE_DIR}/front/gex/include/gasnet_config.h DESTINATION ${gasnet_tree})
foreach(header gasnet.h gasnetex.h gasnet_coll.h gasnet_fwd.h gasnet_mk.h gasnet_portable_platform.h
        gasnet_ratomic.h gasnet_tools.h gasnet_vis.h gasnetex_conduit.h)
  atoll_gasnet_file(forward.h.in ${header} ${CMAKE_INSTALL_INCLUDEDIR})
endforeach()

foreach(conduit IN LISTS GASNET_CONDUITS)
  string(TOUPPER ${conduit} CONDUIT)
  set(folder ${CMAKE_INSTALL_INCLUDEDIR}/${conduit}-conduit)
  atoll_gasnet_up(UP_FROM_FRAGMENT ${folder})
  atoll_gasnet_file(conduit.h.in gasnetex_conduit.h ${folder})
  atoll_gasnet_file(core.h.in gasnet_core.h ${folder})
  foreach(each IN LISTS GASNET_MODES)
    atoll_gasnet_mode(${each})
    atoll_gasnet_file(conduit.mak.in ${conduit}-${mode}.mak ${folder})
    atoll_gasnet_file(conduit.pc.in gasnet-${conduit}-${mode}.pc ${gasnet_pkgconfig})
    atoll_gasnet_library(gasnet-${conduit}-${mode})
    set(UP_FROM_FRAGMENT ${UP_FROM_TREE}/..)
    atoll_gasnet_file(conduit.mak.in ${conduit}-${mode}.mak ${gasnet_tree}/${conduit}-conduit)
    atoll_gasnet_up(UP_FROM_FRAGMENT ${folder})
  endforeach()
  atoll_gasnet_file(tree_conduit.mak.in Makefile ${gasnet_tree}/${conduit}-conduit)
  atoll_gasnet_file(gasnetrun.in gasnetrun_${conduit} ${CMAKE_INSTALL_BINDIR} EXECUTABLE)
endforeach()
if("udp" IN_LIST GASNET_CONDUITS)
  atoll_gasnet_file(gasnetrun.in amudprun ${CMAKE_INSTALL_BINDIR} EXECUTABLE)
endif()

atoll_gasnet_up(UP_FROM_FRAGMENT ${CMAKE_INSTALL_INCLUDEDIR})
foreach(each seq par)
  atoll_gasnet_mode(${each})
  atoll_gasnet_file(tools.mak.in gasnet_tools-${mode}.mak ${CMAKE_INSTALL_INCLUDEDIR})
  atoll_gasnet_file(tools.pc.in gasnet_tools-${mode}.pc ${gasnet_pkgconfig})
  atoll_gasnet_library(gasnet_tools-${mode})
endforeach()
