// SPDX-License-Identifier: BSD-3-Clause
//
// The kinds of calls of a team, and the rules that searches have found. Sizes of one power of two
// share a search, so its times are of different sizes when the program's are; all candidates meet
// the same ones on average.
#include <atoll/coll/tuned/online.hpp>

#include <atoll/base/clock.hpp>
#include <atoll/base/error.hpp>
#include <atoll/base/log.hpp>
#include <atoll/base/rounding.hpp>
#include <atoll/base/system/replace_file.hpp>
#include <atoll/coll/engine/table.hpp>
#include <atoll/coll/tuned/candidates.hpp>
#include <atoll/coll/tuned/machine.hpp>
#include <atoll/coll/tuned/network.hpp>
#include <atoll/core/job/layer_access.hpp>
#include <atoll/core/job/runtime.hpp>

#include <algorithm>
#include <bit>
#include <filesystem>
#include <utility>

namespace atl::coll {

namespace {

double span_ns(std::int64_t from, std::int64_t to) { return static_cast<double>(to - from); }

bool is_for_the_same(const tuned_rule& a, const tuned_rule& b) {
  const bool is_same_speed =
      a.network_ns == b.network_ns ||
      is_same_network(static_cast<double>(a.network_ns), static_cast<double>(b.network_ns));
  return a.collective == b.collective && a.ranks == b.ranks && a.bytes == b.bytes &&
         a.ranks_per_host == b.ranks_per_host && a.one_host == b.one_host &&
         a.oversubscribed == b.oversubscribed && a.element_bytes == b.element_bytes &&
         a.commutative == b.commutative && a.blocking == b.blocking && a.strict == b.strict &&
         a.network == b.network && is_same_speed;
}

}  // namespace

tuned_call::tuned_call(const call& sample, std::vector<choice> all, bool strict)
    : kind(sample.kind),
      size_class(static_cast<unsigned>(std::bit_width(sample.bytes))),
      element_bytes(sample.combine.element_bytes),
      commutative(sample.combine.commutative),
      form{.blocking = sample.blocking, .strict = strict},
      candidates(std::move(all)),
      search(candidates.size()) {}

bool tuned_call::is_kind_of(const arguments& request, call_form of_call) const noexcept {
  return kind == request.kind && form == of_call &&
         size_class == static_cast<unsigned>(std::bit_width(request.bytes)) &&
         element_bytes == request.combine.element_bytes &&
         commutative == request.combine.commutative;
}

void tuned_call::begins() noexcept { began_ns = now_ns(); }

void tuned_call::ends() {
  const std::int64_t now = now_ns();
  search.add(span_ns(began_ns, now), ended_ns == 0 ? 0 : span_ns(ended_ns, began_ns));
  ended_ns = now;
}

void tuned_call::passes() {
  const std::int64_t now = now_ns();
  if (began_ns != 0) search.add(span_ns(began_ns, now), 0);
  began_ns = now;
}

std::size_t online_tuner::slot_of(const arguments& request, call_form form) noexcept {
  const auto size_class = static_cast<std::size_t>(std::bit_width(request.bytes));
  return (static_cast<std::size_t>(request.kind) * 16 + size_class * 2 + (form.blocking ? 1 : 0)) %
         slots;
}

tuned_call* online_tuner::find(const arguments& request, call_form form) const noexcept {
  std::size_t slot = slot_of(request, form);
  while (table_[slot] && !table_[slot]->is_kind_of(request, form)) slot = (slot + 1) % slots;
  return table_[slot].get();
}

tuned_call& online_tuner::add(const call& sample, std::vector<choice> candidates, bool strict) {
  std::size_t slot = slot_of(sample, {.blocking = sample.blocking, .strict = strict});
  while (table_[slot]) slot = (slot + 1) % slots;
  table_[slot] = std::make_unique<tuned_call>(sample, std::move(candidates), strict);
  ++kinds_;
  return *table_[slot];
}

reduction combination_of_times() noexcept {
  const auto combine = [](const void* a, void* b, std::size_t count, const void*) {
    const auto* const others = static_cast<const trial_times*>(a);
    auto* const own = static_cast<trial_times*>(b);
    for (std::size_t i = 0; i < count; ++i) own[i].combine(others[i]);
  };
  return {.element_bytes = sizeof(trial_times), .combine = combine};
}

void online_rules::add(const call& sample, const tuned_call& searched, std::uint64_t network_ns) {
  const team& group = *sample.whole_team;
  const bool is_reduction = searched.element_bytes != 0;
  const std::uint64_t per_host = pieces_of(sample.size, group.hosts().count());
  const std::uint64_t least = std::uint64_t{1} << (searched.size_class - 1);
  tuned_rule rule = rule_of(searched.best());
  rule.collective = name_of(searched.kind);
  rule.ranks = {sample.size, sample.size};
  rule.one_host = sample.one_host;
  if (sample.one_host) {
    rule.oversubscribed = group.owner().is_oversubscribed();
  } else {
    rule.ranks_per_host = {per_host, per_host};
    rule.network = layer_access::network_names(group.owner());
    rule.network_ns = network_ns;
  }
  rule.bytes = {least, least + (least - 1)};
  if (is_reduction) rule.element_bytes = searched.element_bytes;
  if (is_reduction) rule.commutative = searched.commutative;
  rule.strict = searched.form.strict;
  if (!searched.form.strict) rule.blocking = searched.form.blocking;  // else alike in both
  std::erase_if(rules_, [&](const tuned_rule& each) { return is_for_the_same(each, rule); });
  if (searched.search.best() != 0) rules_.push_back(std::move(rule));
}

namespace {

// The table of a file that rules are added to.
tuned_table table_to_extend(const std::string& path) {
  tuned_table table{.algorithms = algorithms_version()};
  if (std::filesystem::exists(path)) table = read_tuned_table(path);
  const std::string machine = machine_text();
  if (!table.machine.empty() && table.machine != machine) {
    throw error(path, "it was made on another machine (" + table.machine + ")",
                "name another file in ATOLL_TUNE_SAVE");
  }
  table.machine = machine;
  return table;
}

}  // namespace

void online_rules::check_place(const std::string& path) {
  check_replaceable(path);
  table_to_extend(path);
}

// Jobs that end together write one after the other.
void online_rules::save(const std::string& path) const noexcept {
  try {
    const descriptor lock = lock_folder_of(path);
    tuned_table table = table_to_extend(path);
    std::erase_if(table.rules, [&](const tuned_rule& old) {
      return std::ranges::any_of(rules_,
                                 [&](const auto& each) { return is_for_the_same(each, old); });
    });
    table.rules.insert(table.rules.begin(), rules_.begin(), rules_.end());
    replace_file(path, text_of(table));
  } catch (const std::exception& failed) {
    log_warning("what online tuning found is not saved: ", failed.what());
  }
}

}  // namespace atl::coll
