// SPDX-License-Identifier: BSD-3-Clause
//
// Opens libatoll_pmix.so, which lies beside this library. Where it does not, a launcher that speaks
// PMIx is refused like any other that Atoll does not speak.
#include <atoll/base/code_folder.hpp>
#include <atoll/base/error.hpp>
#include <atoll/base/version.hpp>
#include <atoll/bootstrap/pmix.hpp>

#include <dlfcn.h>
#include <unistd.h>

namespace atl::bootstrap {
std::unique_ptr<bootstrap> join_by_pmix(const std::string& launcher) {
  const auto path =
      folder_of_code(reinterpret_cast<const void*>(&join_by_pmix)) + "/libatoll_pmix.so";
  const auto cause =
      "this process was started by " + launcher +
      ", which Atoll does not speak here: it would be one of many jobs of one rank; ";
  const std::string remedy = "start it with `atoll run -n N`, or build Atoll with libpmix-dev";
  if (access(path.c_str(), R_OK) != 0) throw error("job", cause + "there is no " + path, remedy);
  void* const opened = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (!opened) throw error("job", cause + dlerror(), remedy);
  const auto join =
      reinterpret_cast<bootstrap* (*)(const char*)>(dlsym(opened, "atoll_join_by_pmix"));
  std::unique_ptr<bootstrap> joined(join ? join(version_text) : nullptr);
  if (!joined)
    throw error("job", cause + path + " is of another version",
                "use the modules that were installed with this library");
  return joined;
}

}  // namespace atl::bootstrap
