# SPDX-License-Identifier: BSD-3-Clause
#
# Writes a source file with a digest of the collective algorithms: of all sources of FOLDER but tests and tables. It is
# the same as long as only comments and blanks change, so what was measured with these algorithms counts until then.
#
#   cmake -DFOLDER=atoll/coll -DOUTPUT=digest.cpp -P digest.cmake
file(GLOB_RECURSE sources RELATIVE ${FOLDER} ${FOLDER}/*.cpp ${FOLDER}/*.hpp)
list(FILTER sources EXCLUDE REGEX "^tuned/|_test\\.cpp$")
list(SORT sources)
set(all "")
foreach(source IN LISTS sources)
  file(READ ${FOLDER}/${source} content)
  string(REGEX REPLACE "//[^\n]*" "" content "${content}")
  string(REGEX REPLACE "[ \t\r\n]+" " " content "${content}")
  string(APPEND all "${source}\n${content}\n")
endforeach()
if(all STREQUAL "")
  message(FATAL_ERROR "there are no sources in ${FOLDER}")
endif()
string(SHA256 digest "${all}")
string(SUBSTRING ${digest} 0 12 digest)
set(text "// Written by cmake/digest.cmake.
namespace atl::coll {
extern const char algorithms_digest[];
const char algorithms_digest[] = \"${digest}\";
}  // namespace atl::coll
")
set(old "")
if(EXISTS ${OUTPUT})
  file(READ ${OUTPUT} old)
endif()
if(NOT text STREQUAL old)
  file(WRITE ${OUTPUT} "${text}")
endif()
