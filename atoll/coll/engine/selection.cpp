// SPDX-License-Identifier: BSD-3-Clause
//
// Reading the settings, deciding, and telling about it. A setting that names no algorithm is
// refused when the engine is made; one that cannot be used for a call is passed over, with a note.
#include <atoll/coll/engine/selection.hpp>

#include <atoll/base/assert.hpp>
#include <atoll/base/error.hpp>
#include <atoll/base/log.hpp>
#include <atoll/coll/engine/parameters.hpp>
#include <atoll/coll/hierarchical/stripes.hpp>
#include <atoll/coll/settings.hpp>
#include <atoll/coll/tuned/candidates.hpp>
#include <atoll/coll/tuned/network.hpp>
#include <atoll/core/job/runtime.hpp>

#include <algorithm>
#include <bit>
#include <cstddef>

namespace atl::coll {

namespace {

// The settings that force algorithms, by collective.
constexpr std::array algorithm_settings{
    &setting::coll_broadcast, &setting::coll_reduce, &setting::coll_allreduce,
    &setting::coll_scatter,   &setting::coll_gather, &setting::coll_allgather,
    &setting::coll_alltoall,  &setting::coll_scan,
};
static_assert(algorithm_settings.size() == static_cast<std::size_t>(collective::barrier));

std::string names_for(collective kind) {
  std::string list;
  for (const algorithm& each : algorithms()) {
    if (each.kind != kind) continue;
    if (!list.empty()) list += ", ";
    list += each.name;
    for (const parameter& may : parameters()) {
      if (may.exists(each)) list += atl::text("[", may.form, "]");
    }
  }
  return list;
}

}  // namespace

choice parse_choice(collective kind, std::string_view text, std::string_view object) {
  tuned_rule given;
  const std::string_view unreadable = read_algorithm(text, given);
  choice parsed{.use = find_algorithm(kind, given.algorithm)};
  const std::string_view shown = text.substr(0, 40);
  if (parsed.use == nullptr || unreadable == "parameter") {
    throw error(
        std::string(object),
        atl::text("no algorithm \"", shown, parsed.use == nullptr ? "\"" : "\" has such a word"),
        atl::text("for ", name_of(kind), " there are ", names_for(kind)));
  }
  parsed = choice_of(given, *parsed.use);
  const parameter* wrong = wrong_parameter(parsed);
  for (const parameter& each : parameters()) {
    if (each.name == unreadable) wrong = &each;
  }
  if (wrong == nullptr) return parsed;
  const std::string values = wrong->words.empty()
                                 ? atl::text("give one from ", wrong->least, " to ", wrong->most)
                                 : atl::text("give ", wrong->words);
  throw error(
      std::string(object), atl::text("\"", shown, "\" has no such ", wrong->name),
      wrong->exists(*parsed.use) ? values : atl::text(parsed.use->name, " has none; leave it out"));
}

selection::selection(const settings& from)
    : explains_(from.flag(setting::coll_explain)),
      tunes_online_(from.choice(setting::tune) == 1),
      save_path_(from.text(setting::tune_save)),
      tuned_(from) {
  for (std::size_t i = 0; i < algorithm_settings.size(); ++i) {
    const auto kind = static_cast<collective>(i);
    const std::string_view asked = from.text(*algorithm_settings[i]);
    if (asked.empty()) continue;
    const std::string_view name = algorithm_settings[i]->name;
    forced_[i] = parse_choice(kind, asked, name);
    choice forced = forced_[i];
    forced.radix = std::max(forced.radix, 1u);
    forced_text_ += atl::text(name, "=", name_of(forced), " ");
  }
  if (tunes_online_) forced_text_ += "ATOLL_TUNE=online ";
}

namespace {

std::string_view text_at(const bootstrap::blob_table& texts, rank_id rank) noexcept {
  const std::span<const std::byte> bytes = texts.at(rank);
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

// The text of a rank in its parts.
struct text_parts {
  std::string_view choices;  // forced ones and the table
  std::string_view networks;
  std::string_view unsavable;
};
text_parts parts_of(std::string_view text) noexcept {
  const auto behind = [&](std::size_t end) {
    return end == text.npos ? std::string_view{} : text.substr(end + 1);
  };
  const std::size_t end = text.find('\n', text.find('\n') + 1);
  const std::string_view rest = behind(end);
  const std::string_view networks = rest.substr(0, rest.find('\n'));
  const std::size_t last = end == text.npos ? end : text.find('\n', end + 1);
  return {text.substr(0, end), networks, behind(last)};
}

// The first rank whose choices are these, or are others; their number when there is none.
rank_id find_choices(const bootstrap::blob_table& texts, std::string_view choices, bool is_same) {
  rank_id rank = 0;
  while (rank < texts.size() && (parts_of(text_at(texts, rank)).choices == choices) != is_same)
    ++rank;
  return rank;
}

}  // namespace

void selection::check_save_place() {
  if (!tunes_online_ || save_path_.empty()) return;
  try {
    online_rules::check_place(save_path_);
  } catch (const std::exception& refused) {
    unsavable_ = refused.what();
  }
}

void selection::settle(const bootstrap::blob_table& texts, rank_id own_rank) {
  const std::string own = text();
  const std::string object = atl::text("collectives of rank ", own_rank, " of ", texts.size());
  if (tuned_.is_named() && !tuned_.refusal().empty()) {
    throw error(object, tuned_.refusal(), "ATOLL_COLL_TABLE names this table");
  }
  const std::string_view unsavable = parts_of(text_at(texts, 0)).unsavable;
  if (!unsavable.empty()) {
    throw error(object, std::string(unsavable),
                "ATOLL_TUNE_SAVE names this file, in which rank 0 would save what it finds");
  }
  for (rank_id rank = 0; rank < texts.size(); ++rank) {
    const std::string_view other = text_at(texts, rank);
    if (parts_of(other).choices == parts_of(own).choices) continue;
    if (!other.starts_with(forced_text_ + '\n')) {
      throw error(object, atl::text("rank ", rank, " forces other algorithms, or tunes otherwise"),
                  "set ATOLL_COLL_* and ATOLL_TUNE alike on all ranks");
    }
    if (tuned_.is_named() || other.find("\nnamed ") != std::string_view::npos) {
      throw error(object, atl::text("rank ", rank, " has another table of tuned choices, or none"),
                  "give all hosts the same file, or set ATOLL_COLL_TABLE=off");
    }
  }
  use_found_table(texts, own_rank);
  agree_on_networks(texts, own_rank);
  if (!tuned_.says_how_fast_networks_are()) tell_of_other_networks(own_rank);
  if (own_rank == 0 && !save_path_.empty() && !tunes_online_) {
    log_warning("ATOLL_TUNE_SAVE: nothing will be saved without ATOLL_TUNE=online");
  }
}

void selection::measure_network(runtime& owner) {
  const bool has_rules = tuned_.says_how_fast_networks_are();
  if (!has_rules && !tunes_online_) return;
  network_ns_ = measure_network_ns(owner);
  tuned_.use_network_ns(network_ns_);
  if (has_rules) tell_of_other_networks(owner.rank());
}

void selection::tell_of_other_networks(rank_id own_rank) const {
  const std::string unused = tuned_.other_networks();
  if (own_rank == 0 && explains_ && !unused.empty()) log_error(unused);
}

// One rank reports each cause.
void selection::use_found_table(const bootstrap::blob_table& texts, rank_id own_rank) {
  const rank_id differs = find_choices(texts, parts_of(text_at(texts, 0)).choices, false);
  const std::string own = text();
  if (!tuned_.refusal().empty() && find_choices(texts, parts_of(own).choices, true) == own_rank) {
    log_warning(tuned_.refusal(), "; the built-in rules of collectives are used");
  }
  if (differs != texts.size() && own_rank == 0) {
    log_warning("rank ", differs,
                " has another table of tuned collectives than "
                "rank 0, or none, so none is used; give all hosts the same file, or set "
                "ATOLL_COLL_TABLE=off");
  }
  if (differs != texts.size() || !tuned_.refusal().empty()) tuned_ = {};
}

// Networks that only some ranks have would lead the members of a call to different rules.
void selection::agree_on_networks(const bootstrap::blob_table& texts, rank_id own_rank) {
  const std::string_view first = parts_of(text_at(texts, 0)).networks;
  rank_id rank = 0;
  while (rank < texts.size() && parts_of(text_at(texts, rank)).networks == first) ++rank;
  networks_differ_ = rank < texts.size();
  if (!networks_differ_) return;
  tuned_.use_networks({});
  if (own_rank != 0 || !explains_ || tuned_.path().empty()) return;
  log_error(tuned_.path(), ": rank ", rank, " has the network ",
            parts_of(text_at(texts, rank)).networks, " and rank 0 ", first,
            ", so no rule for a network is used");
}

choice selection::decide(const call& call, const choice& asked) noexcept {
  choice taken = asked;
  std::string_view reason = "asked for by the caller";
  const tuned_choices::found* tuned = nullptr;
  if (taken.use == nullptr) {
    const choice& forced = forced_[static_cast<std::size_t>(call.kind)];
    const std::string_view objection =
        forced.use != nullptr ? obstacle(*forced.use, call) : std::string_view{};
    if (forced.use != nullptr && objection.empty()) {
      taken = forced;
      reason = "forced by a setting";
    } else {
      if (forced.use != nullptr) note(call, objection);
      tuned = tuned_.find(call, asked.fenced());
      taken = tuned != nullptr ? tuned->made : recommended(call);
      reason = "recommended";
    }
  } else {
    const std::string_view objection = obstacle(*taken.use, call);
    ATOLL_ASSERT(objection.empty(), "an algorithm that cannot be used for a collective",
                 taken.use->name, objection);
    ATOLL_ASSERT(wrong_parameter(taken) == nullptr,
                 "a parameter that the algorithm does not have, or a value out of its bounds",
                 name_of(taken), wrong_parameter(taken)->name);
  }
  bound_leaders(call, taken);
  if (taken.radix == 0) taken.radix = taken.use->radix;
  if (!explains_) return taken;
  if (tuned == nullptr) {
    explain(call, taken, asked.fenced(), reason);
  } else {
    explain(call, taken, asked.fenced(),
            atl::text("tuned: rule ", tuned->rule, " of ", tuned_.path()));
  }
  return taken;
}

void selection::set_barrier_radix(team& group) const {
  call meeting;
  meeting.kind = collective::barrier;
  meeting.bytes = 1;
  meeting.whole_team = &group;
  meeting.rank = group.rank();
  meeting.size = group.size();
  meeting.one_host = group.hosts().one_host();
  meeting.blocking = true;  // one radix for both forms: that of the barriers that are waited for
  const tuned_choices::found* const tuned = tuned_.find(meeting, false);
  if (tuned == nullptr) return;
  group.use_barrier_radix(tuned->made.radix);
  if (!explains_ || group.rank() != 0) return;
  log_error("barriers on ", group.size(), " members, ", group.hosts().count(),
            " hosts: ", name_of(tuned->made), ", tuned: rule ", tuned->rule, " of ", tuned_.path());
}

// A host has no more leaders than the smallest one has members.
void selection::bound_leaders(const call& call, choice& taken) {
  const rank_id possible = leaders_of(call, taken.leaders);
  if (taken.leaders <= possible) return;
  const choice& forced = forced_[static_cast<std::size_t>(call.kind)];
  const bool is_forced = forced.use == taken.use && forced.leaders == taken.leaders;
  if (is_forced && call.rank == 0 && noted_.emplace(call.kind, "leaders").second) {
    log_warning(name_of(call.kind), ": ", taken.use->name, " with ", taken.leaders,
                " leaders, but the smallest of ", call.whole_team->hosts().count(),
                " hosts of a team has ", hosts_of(call).least, " of its ", call.size,
                " members; each host has ", possible, possible == 1 ? " leader" : " leaders",
                ". Ask for no more leaders than that, or name no algorithm");
  }
  taken.leaders = possible == 1 ? 0 : possible;
}

bool selection::is_searched(collective kind) const noexcept {
  return tunes_online_ && forced_[static_cast<std::size_t>(kind)].use == nullptr;
}

void selection::settled(const call& call, const tuned_call& searched) noexcept {
  // A rule over hosts names its network, and a job whose ranks have different ones has no name.
  const bool is_for_a_job = call.one_host || !networks_differ_;
  if (is_for_a_job && call.whole_team->owner().rank() == 0)
    online_.add(call, searched, network_ns_);
  if (!explains_ || call.rank != 0) return;
  const algorithm_search& search = searched.search;
  // Printed as an error, so that no level of ATOLL_VERBOSE hides what was asked for.
  log_error(name_of(call.kind), " of ", bytes_text(std::uint64_t{1} << (searched.size_class - 1)),
            " and more on ", call.size, " members, ",
            searched.form.strict     ? "strict"
            : searched.form.blocking ? "waited for"
                                     : "overlapped",
            search.arrives_apart() ? ", members arrive apart: " : ": ", name_of(searched.best()),
            search.best() == 0 ? " stays the best of " : " is the best of ",
            searched.candidates.size(), " algorithms tried in the program's calls, in ",
            static_cast<int>(100 * search.gain()), " % of the time of ",
            name_of(searched.candidates.front()));
}

void selection::save_online() const noexcept {
  if (!save_path_.empty() && tunes_online_ && unsavable_.empty()) online_.save(save_path_);
}

void selection::note(const call& call, std::string_view objection) {
  if (call.rank != 0 || !noted_.emplace(call.kind, objection).second) return;
  const choice& forced = forced_[static_cast<std::size_t>(call.kind)];
  log_warning(name_of(call.kind), ": the forced algorithm ", forced.use->name,
              " is not used where it cannot be: ", objection);
}

void selection::explain(const call& call, const choice& taken, bool strict,
                        std::string_view reason) {
  if (call.rank != 0) return;
  const rank_id hosts = call.whole_team->hosts().count();
  const int size_class = std::bit_width(call.bytes);
  // A strict call runs alike in both forms.
  const std::string form = strict ? "strict" : call.blocking ? "waited for" : "overlapped";
  const bool is_new =
      explained_.emplace(call.size, hosts, call.kind, form, size_class, name_of(taken)).second;
  if (!is_new) return;
  // Printed as an error, so that no level of ATOLL_VERBOSE hides what was asked for.
  log_error(name_of(call.kind), " of ", bytes_text(call.bytes), " on ", call.size, " members, ",
            hosts, hosts == 1 ? " host, " : " hosts, ", form, ": ", name_of(taken), " (",
            taken.use->help, "), ", reason);
}

}  // namespace atl::coll
