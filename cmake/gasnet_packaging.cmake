# SPDX-License-Identifier: BSD-3-Clause
#
# What an installed GASNet-EX has for its clients' builds, under the same names, so that existing
# configure scripts find it: pkg-config modules, makefile fragments, libraries to link by name and
# commands that start programs. There is a name for each network (conduit) and thread mode, all from
# one template each (cmake/gasnet/), and all lead to the one libatoll.so. Everything finds the rest of
# the tree from where it lies itself.

set(GASNET_CONDUITS smp udp mpi ofi ucx ibv)
set(GASNET_MODES seq par parsync)
set(GASNET_RELEASE 2025.8.0)  # as GASNET_RELEASE_VERSION_* in gasnetex_identity.h

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

set(gasnet_pkgconfig ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
atoll_gasnet_up(UP_FROM_PKGCONFIG ${gasnet_pkgconfig})
atoll_gasnet_up(UP_FROM_BIN ${CMAKE_INSTALL_BINDIR})

# What stands for a build tree of GASNet (tree.mak.in says why).
set(gasnet_tree ${CMAKE_INSTALL_DATADIR}/gasnet)
list(JOIN GASNET_CONDUITS " " GASNET_CONDUIT_LIST)
string(TOUPPER ${CMAKE_C_COMPILER_ID} GASNET_CC_FAMILY)
set(AT @)  # for templates that have such words themselves
atoll_gasnet_up(UP_FROM_TREE ${gasnet_tree})
atoll_gasnet_file(tree.mak.in Makefile ${gasnet_tree})
atoll_gasnet_file(config.status.in config.status ${gasnet_tree} EXECUTABLE)
install(FILES ${PROJECT_SOURCE_DIR}/front/gex/include/gasnet_config.h DESTINATION ${gasnet_tree})

foreach(conduit IN LISTS GASNET_CONDUITS)
  string(TOUPPER ${conduit} CONDUIT)
  set(folder ${CMAKE_INSTALL_INCLUDEDIR}/${conduit}-conduit)
  atoll_gasnet_up(UP_FROM_FRAGMENT ${folder})
  atoll_gasnet_file(conduit.h.in gasnetex_conduit.h ${folder})
  foreach(each IN LISTS GASNET_MODES)
    atoll_gasnet_mode(${each})
    atoll_gasnet_file(conduit.mak.in ${conduit}-${mode}.mak ${folder})
    atoll_gasnet_file(conduit.pc.in gasnet-${conduit}-${mode}.pc ${gasnet_pkgconfig})
    atoll_gasnet_file(library.ld.in libgasnet-${conduit}-${mode}.a ${CMAKE_INSTALL_LIBDIR})
    set(UP_FROM_FRAGMENT ${UP_FROM_TREE}/..)
    atoll_gasnet_file(conduit.mak.in ${conduit}-${mode}.mak ${gasnet_tree}/${conduit}-conduit)
    atoll_gasnet_up(UP_FROM_FRAGMENT ${folder})
  endforeach()
  atoll_gasnet_file(tree_conduit.mak.in Makefile ${gasnet_tree}/${conduit}-conduit)
  atoll_gasnet_file(gasnetrun.in gasnetrun_${conduit} ${CMAKE_INSTALL_BINDIR} EXECUTABLE)
endforeach()
atoll_gasnet_file(gasnetrun.in amudprun ${CMAKE_INSTALL_BINDIR} EXECUTABLE)

atoll_gasnet_up(UP_FROM_FRAGMENT ${CMAKE_INSTALL_INCLUDEDIR})
foreach(each seq par)
  atoll_gasnet_mode(${each})
  atoll_gasnet_file(tools.mak.in gasnet_tools-${mode}.mak ${CMAKE_INSTALL_INCLUDEDIR})
  atoll_gasnet_file(tools.pc.in gasnet_tools-${mode}.pc ${gasnet_pkgconfig})
  atoll_gasnet_file(library.ld.in libgasnet_tools-${mode}.a ${CMAKE_INSTALL_LIBDIR})
endforeach()
