// SPDX-License-Identifier: BSD-3-Clause
//
// Reading the variables, and telling about them. The symmetric heap grows as it is used, so a size
// is the least that a program can have, and only raises the limit of the heap.
#include <front/shmem/environment.hpp>

#include <atoll/base/error.hpp>
#include <atoll/base/log.hpp>
#include <atoll/base/nearest.hpp>
#include <atoll/base/parse.hpp>
#include <atoll/base/system/memory_limits.hpp>
#include <atoll/base/text.hpp>
#include <atoll/base/version.hpp>
#include <atoll/memory/static_data.hpp>
#include <front/shmem/entry.hpp>

#include <algorithm>
#include <cstdio>
#include <string>
#include <utility>
#include <vector>

namespace atl::shmem {

namespace {

struct variable {
  std::string_view name;  // without its prefix
  std::string_view help;
};

constexpr variable variables[] = {
    {"SYMMETRIC_SIZE", "least size of the symmetric heap of each PE, such as 512m or 1.5g"},
    {"VERSION", "set: print the version of the library at start"},
    {"INFO", "set: print this list and Atoll's settings at start"},
    {"DEBUG", "set: check the arguments of collectives and waits, tell what is noteworthy"},
    {"STATIC_DATA",
     "0: static variables stay where they are and are reached by messages (an extension)"},
};

// Variables of Sandia OpenSHMEM, Open MPI, OSSS-UCX and Cray OpenSHMEMX whose names resemble those
// above. They are known so that a script that sets them is not warned of a mistake.
constexpr std::string_view names_of_others[] = {
    "BACKTRACE",
    "BARRIER_ALGORITHM",
    "BARRIERS_FLUSH",
    "BCAST_ALGORITHM",
    "BOUNCE_SIZE",
    "COLLECT_ALGORITHM",
    "COLLECTIVES_DEBUG",
    "DEBUG_LEVEL",
    "FCOLLECT_ALGORITHM",
    "INIT",
    "LAUNCHER",
    "LOGGING",
    "LOGGING_EVENTS",
    "LOGGING_FILE",
    "MEMERR_FATAL",
    "MEMINFO_DISPLAY",
    "OFI_DOMAIN",
    "OFI_FABRIC",
    "OFI_PROVIDER",
    "PREALLOC_CTXS",
    "PROGRESS_DELAY",
    "PROGRESS_INTERVAL",
    "PROGRESS_THREADS",
    "REDUCE_ALGORITHM",
    "SCAN_ALGORITHM",
    "SYMMETRIC_HEAP_ALLOCATOR",
    "SYMMETRIC_HEAP_PAGE_SIZE",
    "SYMMETRIC_HEAP_SIZE",
    "SYMMETRIC_HEAP_USE_HUGE_PAGES",
    "SYMMETRIC_HEAP_USE_MALLOC",
    "TEAM_SHARED_ONLY_SELF",
    "TEAMS_MAX",
    "TRAP_ON_ABORT",
};

constexpr std::string_view prefixes[] = {"SHMEM_", "SMA_"};

struct found_variable {
  std::string name;
  std::string_view value;
  bool is_set() const noexcept { return value.data() != nullptr; }
};

found_variable find(std::string_view name) {
  for (const std::string_view prefix : prefixes) {
    std::string full = text(prefix, name);
    const std::string_view value = foreign_variable(full.c_str());
    if (value.data() != nullptr) return {full, value};
  }
  return {text("SHMEM_", name), {}};
}

/// The variable of ours whose name is the nearest to this one; empty where the name itself is a
/// variable of ours or of another implementation, or is like none: programs have their own.
std::string nearest_variable(std::string_view name) {
  if (std::ranges::find(names_of_others, name) != std::end(names_of_others)) return {};
  std::vector<std::string> known;
  for (const variable& each : variables) known.emplace_back(each.name);
  const std::string closest = nearest(name, known);
  return closest == name ? std::string{} : closest;
}

void warn_of_misspelt_names() {
  for (const std::string_view prefix : prefixes) {
    for (const std::string& entry : foreign_variables(prefix)) {
      const std::string full = entry.substr(0, entry.find('='));
      const std::string meant = nearest_variable(std::string_view(full).substr(prefix.size()));
      if (meant.empty()) continue;
      log_warning(text(full, ": no such variable; the nearest is SHMEM_", meant,
                       " (SHMEM_INFO=1 lists all)"));
    }
  }
}

// The heap takes memory as it is used, so a program that asks for too much may still run.
void warn_of_too_much(const environment& wanted, std::size_t pes_of_host) {
  const std::uint64_t room = read_memory_limits().total_bytes;
  if (room == 0 || wanted.symmetric_bytes <= room / pes_of_host) return;
  const found_variable size = find("SYMMETRIC_SIZE");
  log_warning(text(size.name, "=", size.value, ": ", pes_of_host,
                   " PEs of so much need more than the ", bytes_text(room),
                   " of this machine; the heap grows as it is used, and an ",
                   "allocation that finds no memory is null on all PEs; ask for ",
                   bytes_text(room / pes_of_host), " at most"));
}

}  // namespace

std::size_t parse_symmetric_size(std::string_view name, std::string_view value) {
  const std::size_t begin = std::min(value.find_first_not_of(' '), value.size());
  const std::size_t suffix = std::min(value.find_first_of("kmgtKMGT"), value.size() - 1);
  const auto bytes = parse_size(value.substr(begin, suffix + 1 - begin));
  if (!bytes) {
    throw error(text(name, "=", value), "it is not a size",
                "write a number and one of k, m, g, t, such as 512m or 1.5g");
  }
  if (*bytes > std::int64_t{1} << 45) {
    throw error(text(name, "=", value), "there are no addresses for so much",
                "write at most 32t, or nothing: the heap grows as it is used");
  }
  return static_cast<std::size_t>(*bytes);
}

environment read_environment() {
  environment asked;
  if (const found_variable size = find("SYMMETRIC_SIZE"); size.is_set())
    asked.symmetric_bytes = parse_symmetric_size(size.name, size.value);
  asked.tells_version = find("VERSION").is_set();
  asked.tells_variables = find("INFO").is_set();
  asked.debugs = find("DEBUG").is_set();
  const found_variable moves = find("STATIC_DATA");
  const bool is_refused = moves.is_set() && moves.value == "0";
  asked.moves_variables = !is_refused && memory::can_move_program_data();
  return asked;
}

settings settings_with(const environment& wanted) {
  settings plain = settings::from_environment();
  if (wanted.symmetric_bytes == 0) return plain;
  // Without a limit the heap may grow up to the machine's memory, so a size may only raise that.
  const std::size_t room = std::max<std::size_t>(wanted.symmetric_bytes + (std::size_t{1} << 20),
                                                 read_memory_limits().total_bytes / 10 * 9);
  const std::string fallback = text("ATOLL_SYMMETRIC_LIMIT=", room);
  return settings::from_environment(std::span(&fallback, 1));
}

void warn_of_mistakes(const environment& wanted, std::size_t pes_of_host) {
  static bool has_warned = false;  // the variables are the same at each initialization
  if (std::exchange(has_warned, true)) return;
  warn_of_misspelt_names();
  warn_of_too_much(wanted, pes_of_host);
}

error about_symmetric_size(const error& refused) {
  const found_variable size = find("SYMMETRIC_SIZE");
  return {text(size.name, "=", size.value), text(refused.object(), ": ", refused.cause()),
          "ask for less; the heap grows as it is used"};
}

void print_environment(const environment& wanted, const settings& configuration) {
  std::string lines;
  if (wanted.tells_version)
    lines += text("OpenSHMEM ", SHMEM_MAJOR_VERSION, ".", SHMEM_MINOR_VERSION, " on Atoll ",
                  version_text, "\n");
  if (wanted.tells_variables) {
    lines += "variables of OpenSHMEM, also with the deprecated prefix SMA_:\n";
    for (const variable& each : variables) {
      const found_variable value = find(each.name);
      lines += text("  SHMEM_", each.name, " (", value.is_set() ? value.value : "not set",
                    "): ", each.help, "\n");
    }
    lines += "settings of Atoll:\n";
    for (const setting_row* row : all_settings()) {
      if (row->set_by_launcher) continue;
      const bool is_set = configuration.source(*row) == setting_source::environment;
      lines +=
          text("  ", row->name, "=", configuration.text(*row), is_set ? "" : " (default)", "\n");
    }
  }
  std::fputs(lines.c_str(), stdout);
  std::fflush(stdout);
}

}  // namespace atl::shmem
