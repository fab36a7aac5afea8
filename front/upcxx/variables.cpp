// SPDX-License-Identifier: BSD-3-Clause
//
// Reading the variables of UPC++: a pass over the environment and a table of what becomes of each.
// The values come from outside: one that makes no sense is refused with its name.
#include <front/upcxx/variables.hpp>

#include <atoll/base/error.hpp>
#include <atoll/base/parse.hpp>
#include <atoll/base/system/memory_limits.hpp>
#include <atoll/base/text.hpp>
#include <atoll/bootstrap/membership.hpp>
#include <atoll/bootstrap/restart.hpp>

#include <algorithm>
#include <iterator>

namespace atl::upcxx_front {
namespace {

struct named_cause {
  std::string_view name;  // with an asterisk at its end, all that begin so
  std::string_view reason;
};

// Variables without an effect that a user could miss. The list leaves out those that only builds
// and launchers read (UPCXX_INSTALL, UPCXX_NETWORK, UPCXX_THREADMODE ...), and those that ask for
// what Atoll does anyway (UPCXX_OVERSUBSCRIBED: how a rank waits follows from cores per rank).
constexpr named_cause without_effect[] = {
    {"UPCXX_WARN_EMPTY_RMA", "empty transfers are not warned of"},
    {"UPCXX_WARN_UPC", "there is no UPC runtime in the same process"},
    {"UPCXX_USE_UPC_ALLOC", "there is no UPC runtime in the same process"},
    {"UPCXX_UPC_HEAP_COLL", "there is no UPC runtime in the same process"},
    {"UPCXX_VERBOSE_ID", "atoll run --tag and --verbose tell who is where"},
    {"UPCXX_COLORIZE_DEBUG", "nothing is coloured"},
    {"UPCXX_CCS_*", "code is found by what is loaded, not by segments to verify"},
    {"UPCXX_RPC_EAGER_THRESHOLD*",
     "how a call travels follows from the room in the ring of messages"},
    {"UPCXX_ZE_*", "ZE_AFFINITY_MASK chooses among the devices of Level Zero"},
    {"GASNET_BACKTRACE*", "UPC++ prints no stack; use atoll run --debugger 'gdb --args'"},
    {"GASNET_FREEZE*", "use atoll run --debugger 'gdb --args'"},
    {"GASNET_VERBOSEENV", "atoll info --settings lists the settings in force"},
    {"GASNET_SSH_SERVERS", "hosts are named to atoll run"},
    {"GASNET_SPAWNFN", "C is for upcxx-run; see atoll run --launcher"},
    {"GASNET_TRACE*", "there is no trace file; ATOLL_COUNTERS=1 counts operations"},
    {"GASNET_STATS*", "ATOLL_COUNTERS=1 prints a table at the end"},
};

bool stands_for(std::string_view row, std::string_view variable) noexcept {
  if (!row.ends_with('*')) return row == variable;
  return variable.starts_with(row.substr(0, row.size() - 1));
}

std::string without_blanks(std::string_view text) {
  std::string out(text);
  std::erase(out, ' ');
  return out;
}

[[noreturn]] void refuse_value(std::string_view name, std::string_view value,
                               std::string_view remedy) {
  throw error(std::string(name), text("the value \"", value.substr(0, 80), "\" is not one"),
              std::string(remedy));
}

// "MAX" is the size without a setting; "50%" is a part of the host's memory, for all its ranks.
void read_heap(asked_by_variables& out, std::string_view name, std::string_view value,
               std::uint64_t memory) {
  static constexpr std::string_view remedy =
      "give an amount (512MB, 2G; without a unit: MB), a part of the host's memory (50%), or MAX";
  const std::string asked = without_blanks(value);
  if (same_word(asked, "max")) return;
  const bool is_part = asked.ends_with('%');
  const auto amount =
      parse_amount(std::string_view(asked).substr(0, asked.size() - (is_part ? 1 : 0)));
  if (!amount || !(amount->number > 0)) refuse_value(name, value, remedy);
  if (is_part) {
    if (amount->shift || amount->number > 100) refuse_value(name, value, remedy);
    const auto bytes =
        static_cast<std::uint64_t>(amount->number / 100 * static_cast<double>(memory));
    out.settings.push_back(text("ATOLL_MEMORY_LIMIT=", bytes));
    return;
  }
  const double bytes = amount->bytes(0x1p20);
  if (!(bytes >= 1) || bytes > 0x1p46) refuse_value(name, value, remedy);
  out.settings.push_back(text("ATOLL_SEGMENT_LIMIT=", static_cast<std::uint64_t>(bytes)));
}

bool is_yes(std::string_view name, std::string_view value) {
  if (const auto answer = parse_flag(without_blanks(value))) return *answer;
  refuse_value(name, value, "give 1 or 0 (yes or no), or unset it");
}

rank_id ranks_of(std::string_view name, std::string_view value) {
  const auto ranks = parse_number<rank_id>(value);
  if (!ranks || *ranks > 16384) {
    refuse_value(name, value, "give a number of ranks up to 16384, or unset it");
  }
  return *ranks;
}

void read_one(asked_by_variables& out, std::string_view name, std::string_view value,
              std::uint64_t memory) {
  if (name == "UPCXX_SHARED_HEAP_SIZE" || name == "UPCXX_SEGMENT_MB") {
    read_heap(out, name, value, memory);
  } else if (name == "UPCXX_VERBOSE") {
    out.verbose = is_yes(name, value);
  } else if (name == "GASNET_PSHM_NODES") {
    out.ranks = ranks_of(name, value);
  } else {
    const auto* const row = std::ranges::find_if(
        without_effect, [&](const named_cause& each) { return stands_for(each.name, name); });
    if (row != std::end(without_effect)) {
      out.no_effect.push_back(text(name, " (", row->reason, ")"));
    }
  }
}

}  // namespace

asked_by_variables asked_by_variables::read(std::span<const std::string> variables,
                                            std::uint64_t memory) {
  asked_by_variables out;
  for (const std::string_view entry : variables) {
    const auto equals = entry.find('=');
    if (equals == std::string_view::npos || equals + 1 == entry.size()) continue;
    read_one(out, entry.substr(0, equals), entry.substr(equals + 1), memory);
  }
  return out;
}

asked_by_variables read_variables() {
  std::vector<std::string> variables = foreign_variables("UPCXX_");
  for (std::string& each : foreign_variables("GASNET_")) variables.push_back(std::move(each));
  return asked_by_variables::read(variables, read_memory_limits().total_bytes);
}

settings settings_with(const asked_by_variables& asked) {
  settings configuration = settings::from_environment(asked.settings);
  if (asked.ranks > 1 && !bootstrap::has_launcher(configuration))
    bootstrap::restart_as_job(asked.ranks, "GASNET_PSHM_NODES");
  return configuration;
}

std::string warning_of(const asked_by_variables& asked) {
  if (asked.no_effect.empty()) return {};
  std::string line = "variables that have no effect on UPC++ here: ";
  for (std::size_t i = 0; i < asked.no_effect.size(); ++i) {
    line += (i == 0 ? "" : "; ") + asked.no_effect[i];
  }
  return line;
}

}  // namespace atl::upcxx_front
