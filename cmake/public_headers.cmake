# SPDX-License-Identifier: BSD-3-Clause
#
# The headers that are installed: those that programs may include, which are named here, those that the headers
# of the fronts include, and what all of these include themselves. Everything else in atoll/ is private.
# This file is also the script that installs them, so that changed sources need no new configuration: it is
# run with SOURCE (the root of the tree) and FOLDER (the destination).

cmake_policy(VERSION 3.25)  # a script of an installation has no policies

set(ATOLL_PUBLIC_HEADERS
    atoll/abi.h                              # the direct path, for C and for fronts
    atoll/base/error.hpp                     # what set-up throws
    atoll/base/settings.hpp                  # settings by a program instead of the environment
    atoll/core/job/runtime.hpp               # start, end, progress, waiting
    atoll/core/job/shared_runtime.hpp        # the runtime that fronts share
    atoll/core/am/am.hpp                     # active messages: handlers,
    atoll/core/am/endpoint.hpp               # and those who send them
    atoll/core/rma/rma.hpp                   # put and get
    atoll/core/strided/strided.hpp           # the same, non-contiguous
    atoll/core/atomic/atomic.hpp             # remote atomics
    atoll/core/segment/segment.hpp           # memory to share
    atoll/core/progress/event.hpp            # completion
    atoll/core/progress/operation_group.hpp  # completion of many
    atoll/core/team/team.hpp                 # sets of ranks, barriers
    atoll/coll/collectives.hpp               # collectives
    atoll/coll/team_creation.hpp             # new teams
    atoll/coll/symmetric_heap.hpp            # allocation by all members of a team
    atoll/transport/list.hpp                 # transports for runtime_options
)

# Sets `result` to these headers and all that they include, by their paths below `source`.
function(atoll_with_included_headers source headers result)
  set(all)
  while(headers)
    list(POP_FRONT headers header)
    if(header IN_LIST all OR NOT EXISTS ${source}/${header})
      continue()
    endif()
    list(APPEND all ${header})
    file(STRINGS ${source}/${header} lines REGEX "^ *# *include <atoll/")
    list(TRANSFORM lines REPLACE ".*<(.*)>.*" "\\1")
    list(APPEND headers ${lines})
  endwhile()
  set(${result} ${all} PARENT_SCOPE)
endfunction()

# The headers of atoll/ that those of the fronts include.
function(atoll_headers_of_fronts source result)
  file(GLOB_RECURSE files ${source}/front/*/include/*)
  set(all)
  foreach(file IN LISTS files)
    file(STRINGS ${file} lines REGEX "^ *# *include <atoll/")
    list(TRANSFORM lines REPLACE ".*<(.*)>.*" "\\1")
    list(APPEND all ${lines})
  endforeach()
  list(REMOVE_DUPLICATES all)
  set(${result} ${all} PARENT_SCOPE)
endfunction()

if(DEFINED FOLDER)
  atoll_headers_of_fronts(${SOURCE} of_fronts)
  atoll_with_included_headers(${SOURCE} "${ATOLL_PUBLIC_HEADERS};${of_fronts}" headers)
  foreach(header IN LISTS headers)
    get_filename_component(folder ${header} DIRECTORY)
    file(INSTALL ${SOURCE}/${header} DESTINATION ${FOLDER}/${folder})
  endforeach()
endif()
