// SPDX-License-Identifier: BSD-3-Clause
//
// How the algorithm of a call is chosen: the one that the caller asks for, else the one that a
// setting forces (ATOLL_COLL_BROADCAST=tree:4 and so on), else that of the first rule that fits in
// the table of tuned choices (ATOLL_COLL_TABLE), else the recommendation. A forced one that cannot
// be used for a call gives way to the others, with one note per collective and reason. With
// ATOLL_TUNE=online, kinds of calls for which nothing is forced are searched from there on.
// ATOLL_COLL_EXPLAIN prints, once per kind of call, which one was taken and why.
//
// The selection is not thread-safe: the engine's lock guards it. All members must choose alike, so
// open() gathers what each rank has: settings must be the same, and a table is used when all have
// the same. Where they differ, a table that was asked for ends the job, and one that was only found
// is left out by all. Where the networks differ, all leave out the rules that name a network.
#pragma once

#include <atoll/base/settings.hpp>
#include <atoll/bootstrap/blob_table.hpp>
#include <atoll/coll/engine/recommended.hpp>
#include <atoll/coll/tuned/choices.hpp>
#include <atoll/coll/tuned/online.hpp>

#include <array>
#include <cstdint>
#include <set>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>

namespace atl::coll {

class selection {
 public:
  /// Throws `atl::error` for an algorithm that does not exist, with the list of those that do.
  explicit selection(const settings& from);

  /// The algorithm of a call, and its radix.
  choice decide(const call& call, const choice& asked) noexcept;

  /// Gives the barriers of a team the radix of the rule for them, if there is one. Every member
  /// calls it between the same two barriers.
  void set_barrier_radix(team& group) const;

  /// Whether ATOLL_TUNE=online searches algorithms at all, and those of such a collective.
  bool tunes_online() const noexcept { return tunes_online_; }
  bool is_searched(collective kind) const noexcept;

  /// The networks of this rank; other ranks may have others. Before settle().
  void use_networks(std::string names) { tuned_.use_networks(std::move(names)); }

  /// Looks whether what a search finds can be saved. By rank 0 alone, which saves it; before
  /// settle(), by which all ranks refuse what cannot be.
  void check_save_place();

  /// Finds out how fast the network between hosts is, where a rule or a search is for it, and tells
  /// where no rule is for this one. Collective over all ranks; after settle().
  void measure_network(runtime& owner);

  /// A search on the team of this call has ended.
  void settled(const call& call, const tuned_call& searched) noexcept;

  /// Writes the rules that this process has found to the file of ATOLL_TUNE_SAVE.
  void save_online() const noexcept;

  /// The forced choices in one line, to be compared between ranks.
  const std::string& forced() const noexcept { return forced_text_; }

  /// A line of the forced choices, one of the table, one of the networks, and the reason why rules
  /// cannot be saved.
  std::string text() const {
    return forced_text_ + '\n' + tuned_.summary() + '\n' + tuned_.networks() + '\n' + unsavable_;
  }

  /// Compares the texts of all ranks, the same on each, without a copy of them. Throws `atl::error`
  /// when the ranks cannot choose alike, or a table that was asked for cannot be used.
  void settle(const bootstrap::blob_table& texts, rank_id own_rank);

 private:
  void use_found_table(const bootstrap::blob_table& texts, rank_id own_rank);
  void agree_on_networks(const bootstrap::blob_table& texts, rank_id own_rank);
  void tell_of_other_networks(rank_id own_rank) const;
  void note(const call& call, std::string_view objection);
  void bound_leaders(const call& call, choice& taken);
  void explain(const call& call, const choice& taken, bool strict, std::string_view reason);

  std::array<choice, static_cast<std::size_t>(collective::count)> forced_{};
  bool explains_;
  bool tunes_online_;
  bool networks_differ_ = false;
  std::uint64_t network_ns_ = 0;  // that a message takes; 0: not measured
  std::string save_path_;
  std::string unsavable_;  // why rules cannot be saved there; empty: they can
  online_rules online_;
  std::string forced_text_;
  tuned_choices tuned_;
  std::set<std::pair<collective, std::string_view>> noted_;
  // Size of the team, hosts, collective, form of the call, power of two of the size, algorithm.
  std::set<std::tuple<rank_id, rank_id, collective, std::string, int, std::string>> explained_;
};

/// "tree:4/32768/depth=8" as a choice, parameters after the name; throws `atl::error` that names
/// `object`.
choice parse_choice(collective kind, std::string_view text, std::string_view object);

}  // namespace atl::coll
