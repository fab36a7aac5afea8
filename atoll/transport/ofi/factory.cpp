// SPDX-License-Identifier: BSD-3-Clause
//
// The interface of this module, under the one name by which the library looks it up.
#include <atoll/base/error.hpp>
#include <atoll/base/version.hpp>
#include <atoll/transport/ofi/context.hpp>

#include <atoll/base/text.hpp>

namespace atl::transport::ofi {

namespace {

std::unique_ptr<transport> open(const network_request& wanted) {
  return std::make_unique<context>(wanted);
}

availability probe() {
  const std::string names = provider_names();
  const std::uint32_t version = ::fi_version();
  return {.name = "ofi",
          .usable = names != "none",
          .reason = text("ranks of other hosts, by libfabric ", FI_MAJOR(version), ".",
                         FI_MINOR(version), ": ", names)};
}

availability choice(const settings& configuration) noexcept {
  try {
    const info_list best = best_provider(configuration, false);
    return {.name = "ofi",
            .usable = true,
            .reason = text("libfabric's provider ", best->fabric_attr->prov_name, ", ",
                           best->domain_attr->name)};
  } catch (const error& refused) {
    return {.name = "ofi", .usable = false, .reason = refused.what()};
  }
}

}  // namespace

}  // namespace atl::transport::ofi

extern "C" [[gnu::visibility("default")]] const atl::transport::module atoll_transport_module;
const atl::transport::module atoll_transport_module = {.version = atl::version_text,
                                                       .layout = atl::transport::module_layout,
                                                       .open = atl::transport::ofi::open,
                                                       .probe = atl::transport::ofi::probe,
                                                       .choice = atl::transport::ofi::choice};
