// SPDX-License-Identifier: BSD-3-Clause
//
// Reading the settings, deciding, and telling about it.
#include <atoll/coll/selection.hpp>

#include <atoll/base/assert.hpp>
#include <atoll/base/error.hpp>
#include <atoll/base/log.hpp>
#include <atoll/core/runtime.hpp>

#include <bit>
#include <charconv>

namespace atl::coll {

namespace {

constexpr unsigned radix_max = 1024;

constexpr setting setting_of(collective what) noexcept {
  return static_cast<setting>(static_cast<std::size_t>(setting::coll_broadcast) +
                              static_cast<std::size_t>(what));
}
static_assert(setting_of(collective::scan) == setting::coll_scan);

std::string names_for(collective what) {
  std::string all;
  for (const algorithm& each : algorithms()) {
    if (each.what != what) continue;
    if (!all.empty()) all += ", ";
    all += each.name;
    if (each.radix != 0) all += "[:radix]";
  }
  return all;
}

std::string shown(const choice& taken) {
  std::string all(taken.use->name);
  if (taken.use->radix != 0) all += atl::text(":", taken.radix);
  return all;
}

}  // namespace

choice parse_choice(collective what, std::string_view text, std::string_view object) {
  const auto colon = std::min(text.find(':'), text.size());
  choice parsed{.use = find_algorithm(what, text.substr(0, colon))};
  if (parsed.use == nullptr) {
    throw error(std::string(object), atl::text("no algorithm \"", text.substr(0, 40), "\""),
                atl::text("for ", name_of(what), " there are ", names_for(what)));
  }
  if (colon == text.size()) return parsed;
  const std::string_view digits = text.substr(colon + 1);
  const auto [end, failure] =
      std::from_chars(digits.data(), digits.data() + digits.size(), parsed.radix);
  const bool whole = failure == std::errc{} && end == digits.data() + digits.size();
  if (!whole || parsed.use->radix == 0 || parsed.radix < 2 || parsed.radix > radix_max) {
    throw error(std::string(object), atl::text("\"", text.substr(0, 40), "\" has no such radix"),
                parsed.use->radix == 0 ? atl::text(parsed.use->name, " has none; leave it out")
                                       : atl::text("give one from 2 to ", radix_max));
  }
  return parsed;
}

selection::selection(const settings& from) : explains_(from.flag(setting::coll_explain)) {
  for (std::size_t i = 0; i < static_cast<std::size_t>(collective::fence); ++i) {
    const auto what = static_cast<collective>(i);
    const std::string_view asked = from.text(setting_of(what));
    if (asked.empty()) continue;
    const std::string_view name = setting_table()[static_cast<std::size_t>(setting_of(what))].name;
    forced_[i] = parse_choice(what, asked, name);
    text_ += atl::text(name, "=", shown({forced_[i].use, std::max(forced_[i].radix, 1u)}), " ");
  }
}

choice selection::decide(const call& at, const choice& asked) noexcept {
  choice taken = asked;
  std::string_view why = "asked for by the caller";
  if (taken.use == nullptr) {
    const choice& forced = forced_[static_cast<std::size_t>(at.what)];
    const std::string_view why_not =
        forced.use != nullptr ? obstacle(*forced.use, at) : std::string_view{};
    if (forced.use != nullptr && why_not.empty()) {
      taken = forced;
      why = "forced by a setting";
    } else {
      if (forced.use != nullptr) note(at, why_not);
      taken = recommended(at);
      why = "recommended";
    }
  } else {
    const std::string_view why_not = obstacle(*taken.use, at);
    ATOLL_ASSERT(why_not.empty(), "an algorithm that cannot be used for a collective",
                 taken.use->name, why_not);
  }
  if (taken.radix == 0) taken.radix = taken.use->radix;
  if (explains_) explain(at, taken, why);
  return taken;
}

void selection::note(const call& at, std::string_view why_not) {
  if (at.rank != 0 || !noted_.emplace(at.what, why_not).second) return;
  const choice& forced = forced_[static_cast<std::size_t>(at.what)];
  log_warning(name_of(at.what), ": the forced algorithm ", forced.use->name,
              " is not used where it cannot be: ", why_not);
}

void selection::explain(const call& at, const choice& taken, std::string_view why) {
  if (at.rank != 0) return;
  const rank_id hosts = at.on->hosts().count();
  const int size_class = std::bit_width(at.bytes);
  if (!explained_.emplace(at.size, hosts, at.what, size_class).second) return;
  // As an error, so that no level of ATOLL_VERBOSE hides what was asked for.
  log_error(name_of(at.what), " of ", bytes_text(at.bytes), " on ", at.size, " members, ", hosts,
            hosts == 1 ? " host: " : " hosts: ", shown(taken), " (", taken.use->help, "), ", why);
}

}  // namespace atl::coll
