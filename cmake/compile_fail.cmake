# SPDX-License-Identifier: BSD-3-Clause
#
# Run by the tests that atoll_add_compile_fail makes: compiles SOURCE and compares what the compiler
# says with the lines "// expect: WORDS" in it. Line breaks that the compiler makes do not matter. A source with
# expected messages is compiled as C++17, for which the headers are made; a source that must compile is compiled as
# C++17 and as C++20, which this tree uses.

file(STRINGS ${SOURCE} expected REGEX "^// expect: ")
string(REPLACE "|" ";-I" includes "-I${FOLDERS}")
set(standards 17)
if(NOT expected)
  list(APPEND standards 20)
endif()
foreach(standard IN LISTS standards)
  execute_process(COMMAND ${COMPILER} -std=c++${standard} -fsyntax-only ${includes} ${SOURCE}
                  RESULT_VARIABLE failed OUTPUT_VARIABLE said ERROR_VARIABLE said)
  string(REGEX REPLACE "[ \n]+" " " said_in_one_line "${said}")

  if(NOT expected)
    if(failed)
      message(FATAL_ERROR "this must compile as C++${standard}:\n${said}")
    endif()
  elseif(NOT failed)
    message(FATAL_ERROR "this compiles as C++${standard}, and must not")
  endif()
  foreach(line IN LISTS expected)
    string(REPLACE "// expect: " "" words "${line}")
    string(FIND "${said_in_one_line}" "${words}" at)
    if(at LESS 0)
      message(FATAL_ERROR "as C++${standard} the compiler does not say '${words}', but:\n${said}")
    endif()
  endforeach()
endforeach()
