// SPDX-License-Identifier: BSD-3-Clause
//
// GASNet's environment variables, which users of its clients set, in terms of Atoll's settings.
// Each is honoured, or rank 0 names it in one warning, so that no user relies on a setting that
// does nothing. An ATOLL_ setting that is set itself counts more than the GASNet variable for it.
// All of this happens once, at the start of the client.
#pragma once

#include <atoll/base/rank.hpp>
#include <atoll/base/settings.hpp>

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace atl::gex {

enum class variable_fate : std::uint8_t {
  read_by_front,    // the front acts on it by itself
  becomes_setting,  // a setting of the runtime takes its value
  read_by_tools,    // gasnet_tools.h reads it, or a client does
  moot,             // Atoll does so anyway
  no_effect,        // named in the warning
};

/// A row of the table in environment_table.cpp.
struct gasnet_variable {
  std::string_view name;  // GASNET_...; with an asterisk at its end, all that begin so
  variable_fate fate;
  std::string_view setting;  // for becomes_setting: ATOLL_...
  std::string_view reason;   // one line
};

std::span<const gasnet_variable> gasnet_variables() noexcept;

/// The row for a variable; null if GASNet has none of that name.
const gasnet_variable* find_gasnet_variable(std::string_view name) noexcept;

/// A limit of a segment, as GASNET_MAX_SEGSIZE gives it.
struct segment_limit {
  std::size_t bytes = ~std::size_t{0};
  bool of_host = false;  // of all ranks of a host together

  /// The limit of each of `ranks` on a host, in whole pages, at least one.
  std::size_t per_rank(rank_id ranks) const noexcept;
};

/// "4GB", "128.0MB/P", "0.5/H": an amount, or a fraction of `memory`, of each process or of the
/// host. Throws `atl::error` for anything else.
segment_limit parse_segment_limit(std::string_view text, std::size_t memory);

/// The requests of GASNet's environment variables.
struct gasnet_environment {
  /// From "NAME=value" strings. Throws `atl::error` for an invalid value. Variables that have no
  /// effect are noted only if they are in `given`: the user set those, and not the program itself.
  static gasnet_environment read(std::span<const std::string> variables,
                                 std::span<const std::string> given, std::size_t memory);

  std::vector<std::string> settings;   // "ATOLL_X=value", for those not set themselves
  std::vector<std::string> no_effect;  // "GASNET_X (reason)"
  std::vector<std::string> report;     // what became of each, for GASNET_VERBOSEENV
  segment_limit segments;
  std::uint64_t threads_max = ~std::uint64_t{0};
  rank_id ranks = 0;  // to start without a launcher; 0: as it is
  bool verbose = false;
  bool freeze = false;
};

/// The requests of this process's environment as it is at the call.
gasnet_environment read_environment();

/// The requests of this process's environment as it was when the client started.
const gasnet_environment& environment();

/// The settings of this process with what its GASNet variables ask for.
settings settings_with_gasnet();

/// Starts this program anew under `atoll run` if GASNET_PSHM_NODES asks for ranks and no launcher
/// has made this process one; returns otherwise. Ends the program when that fails.
void start_ranks_if_asked(const settings& configuration);

/// Warns and reports on rank 0, and waits for a debugger where that was asked for.
void tell_environment(rank_id rank, const settings& configuration);

}  // namespace atl::gex
