// SPDX-License-Identifier: BSD-3-Clause
//
// Finds the folder by dladdr1, and by /proc/self/exe for the program itself, which has no name in
// the loader's list.
#include <atoll/base/system/code_folder.hpp>

#include <dlfcn.h>
#include <link.h>

#include <filesystem>
#include <system_error>

namespace atl {

std::string folder_of_code(const void* inside) {
  namespace fs = std::filesystem;
  Dl_info info{};
  void* found = nullptr;
  if (::dladdr1(inside, &info, &found, RTLD_DL_LINKMAP) == 0) return {};
  const auto* const object = static_cast<const link_map*>(found);
  const bool is_program = object == nullptr || object->l_name == nullptr || *object->l_name == '\0';
  std::error_code failed;
  const fs::path path = fs::canonical(is_program ? "/proc/self/exe" : object->l_name, failed);
  return failed ? std::string() : path.parent_path().string();
}

}  // namespace atl
