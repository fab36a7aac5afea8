// SPDX-License-Identifier: BSD-3-Clause
//
// Transports that need a library which not every machine has are modules: shared objects
// libatoll_<name>.so, opened when a job asks for them and never otherwise, so libatoll.so itself
// needs nothing. A module has one symbol, `atoll_transport_module`, which is a `transport_module`.
// It is of the same version as the library and was compiled with the same headers, or it is
// refused.
//
// A module is looked for in the folder that ATOLL_MODULE_PATH names, else beside the library (or
// the command) that this code is part of, and in the lib folder next to that. Once opened it stays
// until the process ends.
#pragma once

#include <atoll/base/layout_stamp.hpp>
#include <atoll/base/settings.hpp>
#include <atoll/base/system/kept_signals.hpp>
#include <atoll/transport/availability.hpp>
#include <atoll/transport/transport.hpp>

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace atl::transport {

/// The environment in which networks are opened.
struct network_request {
  rank_id self;
  rank_id ranks;
  bool threaded;     // several threads of this rank may send and poll
  bool one_machine;  // all ranks are on this one
  receiver& to;
  const settings& configuration;
};

/// The interface of a module.
struct transport_module {
  const char* version;   // of the library that it belongs to
  std::uint64_t layout;  // module_layout, as it was compiled
  /// The networks that the settings name, in their order: one at least, networks_max at most.
  /// Throws `atl::error`.
  std::vector<std::unique_ptr<transport>> (*open)(const network_request&);
  availability (*probe)();
  // The providers that it would use between hosts, or why there are none. Throws nothing: its
  // caller, the `atoll` command, has a C++ runtime of its own, and no exception passes from one
  // runtime to the other.
  availability (*choice)(const settings&) noexcept;
};

/// The stamp of what a module and the library pass to each other. Count it up when the virtual
/// functions of a transport or of a receiver change, or members of these classes, and no size
/// tells.
inline constexpr std::uint64_t module_layout =
    layout_stamp<transport_module, network_request, availability, capabilities, settings, message,
                 arrival, staging, transfer, kept_signals>(6);

inline constexpr const char* module_symbol = "atoll_transport_module";

/// Opens libatoll_<name>.so; throws `atl::error` when there is none that fits.
const transport_module& load_module(std::string_view name, std::string_view folder);

}  // namespace atl::transport
