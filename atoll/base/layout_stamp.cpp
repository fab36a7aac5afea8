// SPDX-License-Identifier: BSD-3-Clause
//
// Refuses a program that was compiled for another layout. The message names the library, because
// usually the loader has found another one than the user meant.
#include <atoll/base/layout_stamp.hpp>

#include <atoll/base/error.hpp>
#include <atoll/base/text.hpp>

#include <dlfcn.h>

namespace atl {

void need_layout(std::string_view object, std::uint64_t program, std::uint64_t library) {
  if (program == library) return;
  Dl_info info{};
  const bool found = ::dladdr(reinterpret_cast<const void*>(&need_layout), &info) != 0;
  const std::string_view path = found && info.dli_fname != nullptr ? info.dli_fname : "libatoll.so";
  throw error(
      std::string(object),
      text("this program was compiled with the headers of another library than it runs with, ",
           "which is ", path),
      "build it again with that library's headers or commands (caf, upcxx, ...), or let it find "
      "its own library (LD_LIBRARY_PATH)");
}

}  // namespace atl
