// SPDX-License-Identifier: BSD-3-Clause
//
// The environment variables that programs for UPC++ are run with elsewhere, in terms of Atoll's
// settings. Each is honoured, or rank 0 names it in one warning, so that no user relies on a
// setting that does nothing. An ATOLL_ setting that is set itself takes precedence. All of this
// happens once, in the first init().
#pragma once

#include <atoll/base/rank.hpp>
#include <atoll/base/settings.hpp>

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace atl::upcxx_front {

/// The requests of an environment's variables.
struct asked_by_variables {
  /// From "NAME=value" strings; `memory` is the host's, in bytes. Throws `atl::error` for an
  /// invalid value.
  static asked_by_variables read(std::span<const std::string> variables, std::uint64_t memory);

  std::vector<std::string> settings;   // "ATOLL_X=value", for those not set themselves
  std::vector<std::string> no_effect;  // "UPCXX_X (why)"
  rank_id ranks = 0;                   // to start without a launcher; 0: as it is
  bool verbose = false;
};

/// The requests of this process's environment.
asked_by_variables read_variables();

/// Starts this program anew under `atoll run` if it asks for ranks and no launcher has made this
/// process one; else gives the settings to start with. Throws `atl::error`.
settings settings_with(const asked_by_variables& asked);

/// The warning that rank 0 prints; empty when there is nothing to warn of.
std::string warning_of(const asked_by_variables& asked);

}  // namespace atl::upcxx_front
