// SPDX-License-Identifier: BSD-3-Clause
//
// Reading GASNet's variables: a pass over the environment that translates, collects what has no
// effect, and keeps what the front itself needs. The values come from outside: they are parsed by
// bounded views, and one that makes no sense is refused with its name.
#include <front/gex/environment.hpp>

#include <gasnetex_identity.h>
#include <atoll/base/error.hpp>
#include <atoll/base/log.hpp>
#include <atoll/base/parse.hpp>
#include <atoll/base/system/memory_limits.hpp>
#include <atoll/base/text.hpp>

#include <algorithm>

namespace atl::gex {
namespace {

constexpr std::string_view family = "GASNET_";

std::string_view trimmed(std::string_view text) noexcept {
  while (!text.empty() && text.front() == ' ') text.remove_prefix(1);
  while (!text.empty() && text.back() == ' ') text.remove_suffix(1);
  return text;
}

[[noreturn]] void refuse_value(std::string_view name, std::string_view text,
                               std::string_view remedy) {
  throw error(std::string(name), "the value \"" + std::string(text.substr(0, 80)) + "\" is not one",
              std::string(remedy));
}

bool is_yes(std::string_view name, std::string_view text) {
  if (text.empty()) return false;
  if (const auto answer = parse_flag(text)) return *answer;
  refuse_value(name, text, "give 1 or 0 (yes or no), or unset it");
}

std::uint64_t number_of(std::string_view name, std::string_view text) {
  if (const auto number = parse_number(text)) return *number;
  refuse_value(name, text, "give a whole number, or unset it");
}

// The value of the setting that a variable stands for.
std::string translated(std::string_view name, std::string_view text) {
  if (name == "GASNET_SUPERNODE_MAXSIZE") return std::to_string(number_of(name, text));
  if (name == "GASNET_BARRIER") {
    return same_word(text, "AMDISSEM") || same_word(text, "AMCENTRAL") ? "am" : "auto";
  }
  if (name == "GASNET_STATSFILE") return "1";
  if (name == "GASNET_SPAWN_VERBOSE") return is_yes(name, text) ? "3" : "1";
  return is_yes(name, text) ? "1" : "0";
}

void read_local(gasnet_environment& out, std::string_view name, std::string_view text,
                std::size_t memory) {
  if (name == "GASNET_MAX_SEGSIZE") out.segments = parse_segment_limit(text, memory);
  if (name == "GASNET_MAX_THREADS")
    out.threads_max = std::max<std::uint64_t>(number_of(name, text), 1);
  if (name == "GASNET_PSHM_NODES") {
    const std::uint64_t ranks = number_of(name, text);
    if (ranks > 16384) refuse_value(name, text, "give at most 16384 ranks");
    out.ranks = static_cast<rank_id>(ranks);
  }
  if (name == "GASNET_VERBOSEENV") out.verbose = is_yes(name, text);
  if (name == "GASNET_FREEZE") out.freeze = is_yes(name, text);
}

void read_one(gasnet_environment& out, std::string_view name, std::string_view text,
              std::size_t memory) {
  const gasnet_variable* const row = find_gasnet_variable(name);
  if (row == nullptr) {
    out.report.push_back(atl::text(name, "=", text, ": not a variable of GASNet-EX"));
    return;
  }
  std::string fate = atl::text(name, "=", text, ": ", row->reason);
  switch (row->fate) {
    case variable_fate::read_by_front:
      read_local(out, name, text, memory);
      break;
    case variable_fate::becomes_setting:
      out.settings.push_back(atl::text(row->setting, "=", translated(name, text)));
      fate += " (" + out.settings.back() + ")";
      break;
    case variable_fate::no_effect:
      out.no_effect.push_back(atl::text(name, " (", row->reason, ")"));
      fate += " (no effect)";
      break;
    case variable_fate::read_by_tools:
    case variable_fate::moot:
      break;
  }
  out.report.push_back(std::move(fate));
}

}  // namespace

std::size_t segment_limit::per_rank(rank_id ranks) const noexcept {
  const std::size_t share = of_host ? bytes / std::max<rank_id>(ranks, 1) : bytes;
  return std::max<std::size_t>(share / GASNET_PAGESIZE, 1) * GASNET_PAGESIZE;
}

segment_limit parse_segment_limit(std::string_view text, std::size_t memory) {
  static constexpr std::string_view name = "GASNET_MAX_SEGSIZE";
  static constexpr std::string_view remedy =
      "give an amount (128MB, 4GB) or a fraction of memory (0.5), and /P for each process or /H "
      "for the host";
  segment_limit out;
  const auto slash = text.find('/');
  const std::string_view amount = trimmed(text.substr(0, slash));
  if (slash != std::string_view::npos) {
    const std::string_view scope = trimmed(text.substr(slash + 1));
    out.of_host = same_word(scope, "h");
    if (!out.of_host && !scope.empty() && !same_word(scope, "p")) refuse_value(name, text, remedy);
  }
  const auto parsed_amount = parse_amount(amount);
  if (!parsed_amount || !(parsed_amount->number > 0)) refuse_value(name, text, remedy);
  const bool is_fraction = !parsed_amount->shift && parsed_amount->number <= 1;
  const double bytes = parsed_amount->bytes(is_fraction ? static_cast<double>(memory) : 1);
  if (bytes > 0x1p62) refuse_value(name, text, remedy);
  out.bytes = static_cast<std::size_t>(bytes);
  return out;
}

gasnet_environment gasnet_environment::read(std::span<const std::string> variables,
                                            std::span<const std::string> given,
                                            std::size_t memory) {
  gasnet_environment out;
  for (const std::string_view entry : variables) {
    const auto equals = entry.find('=');
    if (equals == std::string_view::npos || equals + 1 == entry.size()) continue;
    if (!entry.starts_with(family)) continue;
    const std::size_t noted = out.no_effect.size();
    read_one(out, entry.substr(0, equals), trimmed(entry.substr(equals + 1)), memory);
    if (std::ranges::find(given, entry) == given.end()) out.no_effect.resize(noted);
  }
  return out;
}

}  // namespace atl::gex
