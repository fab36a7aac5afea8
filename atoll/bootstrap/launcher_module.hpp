// SPDX-License-Identifier: BSD-3-Clause
//
// A bootstrap that needs a library which not every machine has is a module: a shared object with
// one symbol, `atoll_bootstrap_module`, opened when this process was started by a launcher that
// speaks its protocol. It is of the same version as the library and was compiled with the same
// headers, or it is refused before anything of it is called.
#pragma once

#include <atoll/base/layout_stamp.hpp>
#include <atoll/bootstrap/bootstrap.hpp>

#include <cstdint>
#include <string>

namespace atl::bootstrap {

struct launcher_module {
  const char* version;   // of the library that it belongs to
  std::uint64_t layout;  // module_layout, as it was compiled
  bootstrap* (*join)();  // throws `atl::error`; the caller owns the object
};

/// The stamp of what a module and the library pass to each other. Count it up when the virtual
/// functions of a bootstrap change, which no size tells.
inline constexpr std::uint64_t module_layout =
    layout_stamp<launcher_module, bootstrap, blob_table, descriptor, settings>(1);

inline constexpr const char* module_symbol = "atoll_bootstrap_module";

/// Opens the module at this path. Throws `atl::error` when it does not fit, with `reason`, which
/// says what it is needed for, before the cause.
const launcher_module& load_module(const std::string& path, const std::string& reason,
                                   const std::string& remedy);

}  // namespace atl::bootstrap
