// SPDX-License-Identifier: BSD-3-Clause
//
// Opening modules. A module stays open until the process ends.
#include <atoll/bootstrap/launcher_module.hpp>

#include <atoll/base/error.hpp>
#include <atoll/base/version.hpp>

#include <dlfcn.h>
#include <unistd.h>

#include <cstring>

namespace atl::bootstrap {

const launcher_module& load_module(const std::string& path, const std::string& reason,
                                   const std::string& remedy) {
  if (::access(path.c_str(), R_OK) != 0) throw error("job", reason + "there is no " + path, remedy);
  void* const opened = ::dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (opened == nullptr) throw error("job", reason + ::dlerror(), remedy);
  const auto* const found = static_cast<const launcher_module*>(::dlsym(opened, module_symbol));
  if (found == nullptr || std::strcmp(found->version, version_text) != 0)
    throw error("job", reason + path + " is of another version",
                "use the modules that were installed with this library");
  if (found->layout != module_layout)
    throw error("job", reason + path + " was compiled with other headers than this library",
                "build or install both together");
  return *found;
}

}  // namespace atl::bootstrap
