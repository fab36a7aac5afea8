# SPDX-License-Identifier: BSD-3-Clause
#
# Run by the tests that atoll_add_compile_fail makes: compiles SOURCE and compares what the compiler
# says with the lines "// expect: WORDS" in it. Line breaks that the compiler makes do not matter.

file(STRINGS ${SOURCE} expected REGEX "^// expect: ")
string(REPLACE "|" ";-I" includes "-I${FOLDERS}")
foreach(standard 17 20)  # what the headers are for, and what the tree is in
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
