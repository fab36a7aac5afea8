// SPDX-License-Identifier: BSD-3-Clause
//
// Reads the table of tuned choices, and finds the rule for a call. All members of a team find the
// same answer to each condition of a rule, so they choose alike.
#include <atoll/coll/tuned/choices.hpp>

#include <atoll/base/error.hpp>
#include <atoll/base/rounding.hpp>
#include <atoll/base/text.hpp>
#include <atoll/coll/engine/parameters.hpp>
#include <atoll/coll/settings.hpp>
#include <atoll/coll/tuned/candidates.hpp>
#include <atoll/coll/tuned/machine.hpp>
#include <atoll/coll/tuned/network.hpp>
#include <atoll/core/job/runtime.hpp>

#include <algorithm>

namespace atl::coll {

namespace {

constexpr const char* remedy = "make one here with atoll tune, or set ATOLL_COLL_TABLE=off";

// The fence stands for an unknown name: it is the engine's own and has no setting either.
collective collective_named(std::string_view name) {
  std::size_t i = 0;
  while (i < static_cast<std::size_t>(collective::fence) &&
         name_of(static_cast<collective>(i)) != name) {
    ++i;
  }
  return static_cast<collective>(i);
}

tuned_shape shape_of(const call& call, bool strict) noexcept {
  return {.ranks = call.size,
          .ranks_per_host = pieces_of(call.size, call.whole_team->hosts().count()),
          .bytes = call.bytes,
          .element_bytes = call.combine.element_bytes,
          .one_host = call.one_host,
          .oversubscribed = call.whole_team->owner().is_oversubscribed(),
          .commutative = call.combine.commutative,
          .blocking = call.blocking,
          .strict = strict};
}

}  // namespace

void tuned_choices::check(const std::string& path) {
  tuned_choices checked;
  checked.path_ = path;
  for (const tuned_rule& each : read_tuned_table(path).rules) checked.add(each);
}

tuned_choices::tuned_choices(const settings& from) {
  const std::string_view asked = from.text(setting::coll_table);
  if (asked == "off") return;
  is_named_ = !asked.empty();
  path_ = is_named_ ? std::string(asked) : found_table_path();
  if (path_.empty()) return;
  try {
    const tuned_table table = read_tuned_table(path_);
    const std::string machine = machine_text();
    if (table.machine != machine) {
      throw error(
          path_,
          text("it was made on another machine (", table.machine, ") than this (", machine, ")"),
          remedy);
    }
    for (const tuned_rule& each : table.rules) add(each);
    digest_ = digest_of(table);
  } catch (const std::exception& refused) {
    refusal_ = refused.what();
    for (auto& each : rows_) each.clear();
  }
}

void tuned_choices::add(const tuned_rule& rule) {
  std::size_t number = 1;
  for (const auto& each : rows_) number += each.size();
  const collective kind = collective_named(rule.collective);
  const algorithm* const use =
      kind == collective::fence ? nullptr : find_algorithm(kind, rule.algorithm);
  const auto refuse = [&](const std::string& cause) {
    throw error(path_,
                text("rule ", number, " wants \"", algorithm_text(rule).substr(0, 80), "\" of \"",
                     rule.collective.substr(0, 40), "\", ", cause),
                remedy);
  };
  if (use == nullptr) refuse("an algorithm that is not there");
  const choice made = choice_of(rule, *use);
  const parameter* const wrong = wrong_parameter(made);
  if (wrong != nullptr && wrong->exists(*use)) {
    refuse(text("whose ", wrong->name, " is not from ", wrong->least, " to ", wrong->most));
  }
  if (wrong != nullptr) refuse(text("which has no ", wrong->name));
  if (use->radix != 0 && rule.radix == 0) refuse("without its radix");
  rows_[static_cast<std::size_t>(kind)].push_back({rule, {made, number}});
}

const tuned_choices::found* tuned_choices::find(const call& call, bool strict) const noexcept {
  const tuned_shape shape = shape_of(call, strict);
  for (const row& each : rows_[static_cast<std::size_t>(call.kind)]) {
    if (!is_for_network(each.rule, networks_, network_ns_)) continue;
    if (fits(each.rule, shape) && obstacle(*each.choice.made.use, call).empty())
      return &each.choice;
  }
  return nullptr;
}

bool tuned_choices::says_how_fast_networks_are() const noexcept {
  return std::ranges::any_of(rows_, [](const auto& of_kind) {
    return std::ranges::any_of(of_kind, [](const row& each) { return each.rule.network_ns != 0; });
  });
}

std::string tuned_choices::other_networks() const {
  std::string named;
  for (const auto& of_kind : rows_) {
    for (const row& each : of_kind) {
      const bool is_over_hosts = !each.rule.network.empty() || each.rule.network_ns != 0;
      if (is_over_hosts && is_for_network(each.rule, networks_, network_ns_)) return {};
      if (is_over_hosts) named = network_text(each.rule.network, each.rule.network_ns);
    }
  }
  if (named.empty() || networks_.empty()) return {};
  return text(path_, ": its rules over hosts are for the network ", named, " and not for ",
              network_text(networks_, network_ns_), ", which this job has, so they are not used");
}

std::string tuned_choices::summary() const {
  if (path_.empty()) return "none";
  return text(is_named_ ? "named " : "found ", refusal_.empty() ? text(digest_) : "refused");
}

}  // namespace atl::coll
