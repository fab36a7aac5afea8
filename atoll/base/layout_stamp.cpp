// SPDX-License-Identifier: BSD-3-Clause
//
// Refusing a program of another layout. The message names the library, since it is usually one that
// was found before the one that was meant.
#include <atoll/base/layout_stamp.hpp>

#include <atoll/base/error.hpp>
#include <atoll/base/text.hpp>

#include <dlfcn.h>

namespace atl {

void need_layout(std::string_view who, std::uint64_t program, std::uint64_t library) {
  if (program == library) return;
  Dl_info here{};
  const bool found = ::dladdr(reinterpret_cast<const void*>(&need_layout), &here) != 0;
  const std::string_view path = found && here.dli_fname != nullptr ? here.dli_fname : "libatoll.so";
  throw error(
      std::string(who),
      text("this program was compiled with the headers of another library than it runs with, ",
           "which is ", path),
      "compile it again with the headers of that library, or let it find its own "
      "(LD_LIBRARY_PATH)");
}

}  // namespace atl
