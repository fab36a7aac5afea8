// SPDX-License-Identifier: BSD-3-Clause
//
// Finding and opening modules.
#include <atoll/transport/module.hpp>

#include <atoll/base/error.hpp>
#include <atoll/base/kept_signals.hpp>
#include <atoll/base/text.hpp>
#include <atoll/base/version.hpp>

#include <dlfcn.h>
#include <unistd.h>

#include <cstring>
#include <vector>

namespace atl::transport {

namespace {

/// The folder of the library or program that holds this function.
std::string own_folder() {
  Dl_info here{};
  if (::dladdr(reinterpret_cast<const void*>(&load_module), &here) == 0) return ".";
  const std::string_view path = here.dli_fname;
  const std::size_t slash = path.rfind('/');
  return slash == std::string_view::npos ? "." : std::string(path.substr(0, slash));
}

std::string find_module(std::string_view name, std::string_view folder) {
  const std::string file = text("libatoll_", name, ".so");
  std::vector<std::string> folders;
  if (!folder.empty()) folders.emplace_back(folder);
  folders.push_back(own_folder());
  folders.push_back(folders.back() + "/../lib");
  for (const std::string& each : folders) {
    std::string path = text(each, "/", file);
    if (::access(path.c_str(), R_OK) == 0) return path;
  }
  throw error(
      text("transport '", name, "'"),
      text("there is no ", file, " in ", folders[folders.size() - 2]),
      text("build Atoll where libfabric is installed (libfabric-dev), or name its folder in "
           "ATOLL_MODULE_PATH"));
}

}  // namespace

const module& load_module(std::string_view name, std::string_view folder) {
  const std::string path = find_module(name, folder);
  const std::string object = text("transport '", name, "'");
  const kept_signals kept;
  void* const opened = ::dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (opened == nullptr) {
    throw error(object, ::dlerror(), "install the library that it needs");
  }
  const auto* const found = static_cast<const module*>(::dlsym(opened, module_symbol));
  if (found == nullptr || std::strcmp(found->version, version_text) != 0) {
    throw error(object,
                text(path, found == nullptr ? " is no module of Atoll" : " is of another version"),
                "use the modules that were installed with this library");
  }
  return *found;
}

}  // namespace atl::transport
