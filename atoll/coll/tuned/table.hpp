// SPDX-License-Identifier: BSD-3-Clause
//
// A table of tuned choices as it is in its file: JSON with the machine that it was made on and a
// list of rules, of which the first that fits a call counts. A rule that says nothing of a
// condition fits both ways. Reading is strict: a table that is damaged, has an unknown word or was
// written for another version is refused as a whole, with the line of the cause and a remedy.
// Whether the algorithms exist is not known here; choices.hpp asks that.
//
// Values, without threads of their own. Only this folder's table.cpp knows JSON.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace atl::coll {

/// A range that includes both ends.
struct tuned_range {
  std::uint64_t min = 0;
  std::uint64_t max = std::numeric_limits<std::uint64_t>::max();
  bool holds(std::uint64_t value) const noexcept { return min <= value && value <= max; }
  bool operator==(const tuned_range&) const = default;
};

/// The calls that a rule is for, and what they use.
struct tuned_rule {
  std::string collective;
  tuned_range ranks;
  tuned_range ranks_per_host;  // of the team, rounded up
  std::optional<bool> one_host;
  std::optional<bool> oversubscribed;  // only on one host
  tuned_range bytes;
  std::optional<std::uint64_t> element_bytes;  // of a reduction
  std::optional<bool> commutative;
  std::optional<bool> blocking;
  std::optional<bool> strict;  // members begin or end together; such calls count as overlapped
  std::string network;  // over several hosts: that of all ranks, as network_names(); empty: any
  std::uint64_t network_ns = 0;  // that a message takes there, as measure_network_ns(); 0: any
  std::string algorithm;
  unsigned radix = 0;             // 0: has none
  std::uint64_t piece_bytes = 0;  // 0: the usual, here and below
  unsigned depth = 0;
  std::uint64_t eager_bytes = 0;
  unsigned leaders = 0;
  std::string mover;  // "put" or "get"; empty: the usual
  bool operator==(const tuned_rule&) const = default;
};

/// All that the conditions of a rule ask of a call of its collective.
struct tuned_shape {
  std::uint64_t ranks = 0;
  std::uint64_t ranks_per_host = 0;  // rounded up
  std::uint64_t bytes = 0;
  std::uint64_t element_bytes = 0;  // 0: no reduction
  bool one_host = true;
  bool oversubscribed = false;
  bool commutative = true;
  bool blocking = true;  // false for strict calls
  bool strict = false;
};

/// Whether the rule is for such a call, over whichever network.
bool fits(const tuned_rule& rule, const tuned_shape& shape) noexcept;

/// Whether the rule is for this network, where a message takes so long (measure_network_ns()).
bool is_for_network(const tuned_rule& rule, std::string_view network,
                    std::uint64_t network_ns) noexcept;

struct tuned_table {
  /// Older ones are read too: those of 1 say nothing of pieces, those of 1 and 2 nothing of depths,
  /// eager limits and leaders, those of 1 to 3 nothing of the side that moves large messages,
  /// strict calls and networks, those of 1 to 4 nothing of how fast a network is, and of barriers,
  /// those of 1 to 5 nothing of the algorithms with which they were made.
  static constexpr int version = 6;
  static constexpr std::size_t file_bytes_max = std::size_t{4} << 20;
  static constexpr std::size_t rules_max = 100000;

  std::string machine;     // as machine_text()
  std::string algorithms;  // with which it was made, as algorithms_version(); empty: not known
  std::vector<tuned_rule> rules;
};

/// Parses the text of a file. Throws `atl::error` whose object is `name`.
tuned_table parse_tuned_table(std::string_view text, const std::string& name);

/// Reads a file. Throws `atl::error` that names it.
tuned_table read_tuned_table(const std::string& path);

/// The text of a file with these rules.
std::string text_of(const tuned_table& table);

/// The algorithm of a rule with its parameters, as settings and records write it: "tree:4", or
/// "tree:4/32768/depth=8/eager=1024" with pieces of 32 KiB, of which 8 may arrive at a time.
std::string algorithm_text(const tuned_rule& rule);

/// Takes algorithm and parameters from such a text; the name may be any. Returns the parameter that
/// has no positive number, or "parameter" for a word that is none; empty when all is well.
std::string_view read_algorithm(std::string_view text, tuned_rule& rule);

/// A network as messages name it: "tcp", or "tcp (a message takes about 25 us)".
std::string network_text(std::string_view network, std::uint64_t network_ns);

/// The numbers of ranks for which the table has rules, at some size: "2 and 4", "2 to 8 and 16",
/// "all"; empty where it has no rule.
std::string ranks_text(const tuned_table& table);

/// A number that tables with the same rules share and others hardly ever.
std::uint64_t digest_of(const tuned_table& table);

}  // namespace atl::coll
