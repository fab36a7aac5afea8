// SPDX-License-Identifier: BSD-3-Clause
//
// A module as another state of the headers would make it, for transport_module_test.cpp: the
// version is the library's, and the layout is not.
#include <atoll/base/version.hpp>
#include <atoll/transport/transport_module.hpp>

extern "C"
    [[gnu::visibility("default")]] const atl::transport::transport_module atoll_transport_module;
const atl::transport::transport_module atoll_transport_module = {
    .version = atl::version_text,
    .layout = atl::transport::module_layout + 1,
    .open = nullptr,
    .probe = nullptr,
    .choice = nullptr};
