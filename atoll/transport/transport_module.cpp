// SPDX-License-Identifier: BSD-3-Clause
//
// Finding and opening modules.
#include <atoll/transport/transport_module.hpp>

#include <atoll/base/error.hpp>
#include <atoll/base/system/code_folder.hpp>
#include <atoll/base/system/kept_signals.hpp>
#include <atoll/base/text.hpp>
#include <atoll/base/version.hpp>

#include <dlfcn.h>
#include <unistd.h>

#include <cstring>
#include <filesystem>
#include <system_error>
#include <vector>

namespace atl::transport {

namespace {

/// The folders where a module may lie: absolute paths, since a message names them when there is
/// none.
std::vector<std::filesystem::path> module_folders(std::string_view asked_for) {
  namespace fs = std::filesystem;
  std::vector<fs::path> folders;
  std::error_code failed;
  if (!asked_for.empty()) folders.push_back(fs::absolute(asked_for, failed));
  const fs::path own = folder_of_code(reinterpret_cast<const void*>(&load_module));
  if (own.empty()) return folders;
  folders.push_back(own);
  folders.push_back(own.parent_path() / "lib");
  if (folders.back() == own) folders.pop_back();
  return folders;
}

std::string find_module(std::string_view name, std::string_view folder) {
  const std::string file = text("libatoll_", name, ".so");
  std::string looked_in;
  for (const auto& each : module_folders(folder)) {
    const std::string path = each / file;
    if (::access(path.c_str(), R_OK) == 0) return path;
    looked_in += (looked_in.empty() ? " in " : ", nor in ") + each.string();
  }
  throw error(
      text("transport '", name, "'"), text("there is no ", file, looked_in),
      text("build Atoll where libfabric is installed (libfabric-dev), or name its folder in "
           "ATOLL_MODULE_PATH"));
}

}  // namespace

const transport_module& load_module(std::string_view name, std::string_view folder) {
  const std::string path = find_module(name, folder);
  const std::string object = text("transport '", name, "'");
  const kept_signals kept;
  void* const opened = ::dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (opened == nullptr) {
    throw error(object, ::dlerror(), "install the library that it needs");
  }
  const auto* const found = static_cast<const transport_module*>(::dlsym(opened, module_symbol));
  if (found == nullptr || std::strcmp(found->version, version_text) != 0) {
    throw error(object,
                text(path, found == nullptr ? " is no module of Atoll" : " is of another version"),
                "use the modules that were installed with this library");
  }
  if (found->layout != module_layout) {
    throw error(object, text(path, " was compiled with other headers than this library"),
                "build or install both together");
  }
  return *found;
}

}  // namespace atl::transport
