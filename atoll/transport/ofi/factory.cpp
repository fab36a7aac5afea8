// SPDX-License-Identifier: BSD-3-Clause
//
// The interface of this module, under the one name by which the library looks it up.
#include <atoll/base/error.hpp>
#include <atoll/base/version.hpp>
#include <atoll/transport/ofi/context.hpp>

#include <atoll/base/text.hpp>
#include <atoll/transport/ofi/settings.hpp>

#include <utility>

namespace atl::transport::ofi {

namespace {

// Different words may stand for one network (tcp and tcp;ofi_rxm).
std::vector<std::unique_ptr<transport>> open(const network_request& wanted) {
  std::vector<std::unique_ptr<transport>> opened;
  for (const network_name& each : networks_of(wanted.configuration.text(setting::ofi_provider))) {
    auto made = std::make_unique<context>(wanted, each);
    for (const auto& other : opened) {
      if (other->describe().network == made->describe().network) refuse_twice(each);
    }
    opened.push_back(std::move(made));
  }
  return opened;
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
    std::string names;
    for (const network_name& each : networks_of(configuration.text(setting::ofi_provider))) {
      const info_list best = best_provider(each, configuration, false);
      names += text(names.empty() ? "libfabric's provider " : "; then ",
                    best->fabric_attr->prov_name, ", ", best->domain_attr->name);
    }
    return {.name = "ofi", .usable = true, .reason = names};
  } catch (const error& refused) {
    return {.name = "ofi", .usable = false, .reason = refused.what()};
  }
}

}  // namespace

}  // namespace atl::transport::ofi

extern "C"
    [[gnu::visibility("default")]] const atl::transport::transport_module atoll_transport_module;
const atl::transport::transport_module atoll_transport_module = {
    .version = atl::version_text,
    .layout = atl::transport::module_layout,
    .open = atl::transport::ofi::open,
    .probe = atl::transport::ofi::probe,
    .choice = atl::transport::ofi::choice};
