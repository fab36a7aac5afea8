// SPDX-License-Identifier: BSD-3-Clause
//
// A module as another state of the headers would make it, for launcher_module_test.cpp: the version
// is the library's, and the layout is not.
#include <atoll/base/version.hpp>
#include <atoll/bootstrap/launcher_module.hpp>

extern "C"
    [[gnu::visibility("default")]] const atl::bootstrap::launcher_module atoll_bootstrap_module;
const atl::bootstrap::launcher_module atoll_bootstrap_module = {
    .version = atl::version_text, .layout = atl::bootstrap::module_layout + 1, .join = nullptr};
