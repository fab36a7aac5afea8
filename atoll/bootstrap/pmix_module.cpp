// SPDX-License-Identifier: BSD-3-Clause
//
// Opens libatoll_pmix.so, which lies beside this library. Where it does not, a launcher that speaks
// PMIx is refused like any other that Atoll does not speak.
#include <atoll/base/system/code_folder.hpp>
#include <atoll/bootstrap/launcher_module.hpp>
#include <atoll/bootstrap/pmix.hpp>

namespace atl::bootstrap {

std::unique_ptr<bootstrap> join_by_pmix(const std::string& launcher) {
  const auto path =
      folder_of_code(reinterpret_cast<const void*>(&join_by_pmix)) + "/libatoll_pmix.so";
  const auto reason =
      "this process was started by " + launcher +
      ", which Atoll does not speak here: it would be one of many jobs of one rank; ";
  const launcher_module& found =
      load_module(path, reason, "start it with `atoll run -n N`, or build Atoll with libpmix-dev");
  return std::unique_ptr<bootstrap>(found.join());
}

}  // namespace atl::bootstrap
