// SPDX-License-Identifier: BSD-3-Clause
//
// The tuned choices of one process: the table that ATOLL_COLL_TABLE names, or else the first one of
// the usual places (machine.hpp), with the algorithms of its rules. A table that cannot be used is
// kept as a refusal with its reason; whether that ends the job depends on whether it was asked for
// by name, and all ranks must know of it, so open() decides.
//
// Threads: as the selection, under the engine's lock.
#pragma once

#include <atoll/base/settings.hpp>
#include <atoll/coll/engine/engine.hpp>
#include <atoll/coll/tuned/table.hpp>

#include <array>
#include <string>
#include <utility>
#include <vector>

namespace atl::coll {

class tuned_choices {
 public:
  /// No table.
  tuned_choices() = default;

  /// Reads the table as a job does, apart from the machine that it was made on. Throws `atl::error`
  /// for one that jobs refuse.
  static void check(const std::string& path);

  /// Never throws because of a table.
  explicit tuned_choices(const settings& from);

  /// The networks for which rules are used that name some, alike on all ranks; empty: no such rule
  /// is used. Before the first call.
  void use_networks(std::string names) { networks_ = std::move(names); }
  const std::string& networks() const noexcept { return networks_; }

  /// How long a message takes between hosts, alike on all ranks; rules that were made where it
  /// takes clearly more or less are not used. Before the first call; asked for where any rule says
  /// so.
  bool says_how_fast_networks_are() const noexcept;
  void use_network_ns(std::uint64_t message_ns) { network_ns_ = message_ns; }

  /// Why no rule over hosts is used, if all of them are for other networks; else empty.
  std::string other_networks() const;

  /// One choice of the table, and the number of its rule; null: no rule fits the call, whose
  /// members begin or end together if it is strict.
  struct found {
    choice made;
    std::size_t rule = 0;
  };
  const found* find(const call& call, bool strict) const noexcept;

  bool is_named() const noexcept { return is_named_; }
  const std::string& path() const noexcept { return path_; }        // empty: there is no table
  const std::string& refusal() const noexcept { return refusal_; }  // empty: the table is used

  /// The same on two ranks when they choose alike.
  std::string summary() const;

 private:
  struct row {
    tuned_rule rule;
    found choice;
  };

  void add(const tuned_rule& rule);

  bool is_named_ = false;
  std::string path_;
  std::string refusal_;
  std::string networks_;
  std::uint64_t network_ns_ = 0;
  std::uint64_t digest_ = 0;
  std::array<std::vector<row>, static_cast<std::size_t>(collective::count)> rows_;
};

}  // namespace atl::coll
