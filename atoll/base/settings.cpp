// SPDX-License-Identifier: BSD-3-Clause
//
// The table of settings and the parsers of its kinds. The table is the single source: names, ranges
// and helps printed to the user come from the row that checked the value. Values come from outside,
// so every parser works on bounded views, refuses overflow, and quotes what it refuses with control
// characters masked. Reading is done once per process; nothing here is fast and nothing needs to
// be.
#include <atoll/base/error.hpp>
#include <atoll/base/settings.hpp>

#include <unistd.h>

#include <algorithm>
#include <bit>
#include <charconv>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <iterator>
#include <optional>
#include <set>

namespace atl {
namespace {

constexpr std::string_view prefix = "ATOLL_";
constexpr std::uint64_t most_ranks = std::uint64_t{1} << 24;

constexpr auto table = std::to_array<setting_row>({
    {.id = setting::verbose,
     .name = "ATOLL_VERBOSE",
     .kind = setting_kind::number,
     .default_value = "1",
     .max = 3,
     .help = "messages on standard error: 0 errors, 1 and warnings, 2 and notes, 3 and details"},
    {.id = setting::checks,
     .name = "ATOLL_CHECKS",
     .kind = setting_kind::choice,
     .default_value = "auto",
     .choices = "auto,light,normal,heavy",
     .help = "how much is checked; light, and auto without GASNET_DEBUG, go on after some misuse"},
    {.id = setting::threads,
     .name = "ATOLL_THREADS",
     .kind = setting_kind::choice,
     .default_value = "any",
     .choices = "single,funnelled,any",
     .help = "which threads may communicate: the only one, the one that started, or any"},
    {.id = setting::progress_thread,
     .name = "ATOLL_PROGRESS_THREAD",
     .kind = setting_kind::flag,
     .default_value = "0",
     .help = "a thread that runs incoming work while the program computes, and sleeps when idle"},
    {.id = setting::rma_path,
     .name = "ATOLL_RMA_PATH",
     .kind = setting_kind::choice,
     .default_value = "direct",
     .choices = "direct,am",
     .help = "puts and gets within a host: loads and stores, or (am, for tests) active messages"},
    {.id = setting::kernel_copy,
     .name = "ATOLL_KERNEL_COPY",
     .kind = setting_kind::choice,
     .default_value = "auto",
     .choices = "auto,never,always",
     .help = "a neighbour's memory outside of the heap: process_vm_writev, or active messages"},
    {.id = setting::barrier,
     .name = "ATOLL_BARRIER",
     .kind = setting_kind::choice,
     .default_value = "auto",
     .choices = "auto,flags,counter,am",
     .help = "barrier within a host: a flag of each rank, one counter, or active messages"},
    {.id = setting::neighbourhood,
     .name = "ATOLL_NEIGHBOURHOOD",
     .kind = setting_kind::number,
     .default_value = "0",
     .max = most_ranks,
     .help = "consecutive ranks that reach each other's memory; 0: all ranks of a host"},
    {.id = setting::network,
     .name = "ATOLL_NETWORK",
     .kind = setting_kind::choice,
     .default_value = "auto",
     .choices = "auto,shm,ofi",
     .help = "messages to other neighbourhoods: through memory where there is some, or a network"},
    {.id = setting::module_path,
     .name = "ATOLL_MODULE_PATH",
     .kind = setting_kind::text,
     .default_value = "",
     .help = "folder where modules (libatoll_*.so) are looked for first; else beside libatoll.so"},
    {.id = setting::interface,
     .name = "ATOLL_INTERFACE",
     .kind = setting_kind::text,
     .default_value = "",
     .help = "interface (eth0) to the job's other hosts, preferred by socket networks"},
    {.id = setting::ofi_provider,
     .name = "ATOLL_OFI_PROVIDER",
     .kind = setting_kind::text,
     .default_value = "",
     .help = "libfabric provider, as fi_info names it (tcp;ofi_rxm); empty: the best there is"},
    {.id = setting::ofi_interface,
     .name = "ATOLL_OFI_INTERFACE",
     .kind = setting_kind::text,
     .default_value = "",
     .help = "network interface or libfabric domain (eth0); empty: by where the ranks are"},
    {.id = setting::ofi_transfers,
     .name = "ATOLL_OFI_TRANSFERS",
     .kind = setting_kind::choice,
     .default_value = "auto",
     .choices = "auto,native,am",
     .help = "puts and gets over libfabric: the provider's own (auto: where fast), or messages"},
    {.id = setting::ofi_atomics,
     .name = "ATOLL_OFI_ATOMICS",
     .kind = setting_kind::choice,
     .default_value = "auto",
     .choices = "auto,native,messages",
     .help = "atomics over libfabric: the provider's own (auto: where hardware does them), or not"},
    {.id = setting::ofi_window,
     .name = "ATOLL_OFI_WINDOW",
     .kind = setting_kind::number,
     .default_value = "16",
     .min = 4,
     .max = 1024,
     .help = "packets under way to one rank, of requests and of replies"},
    {.id = setting::ofi_inject,
     .name = "ATOLL_OFI_INJECT",
     .kind = setting_kind::bytes,
     .default_value = "64K",
     .help = "longest message that the provider takes along at once, if it can; 0: none"},
    {.id = setting::ofi_memory,
     .name = "ATOLL_OFI_MEMORY",
     .kind = setting_kind::choice,
     .default_value = "auto",
     .choices = "auto,local,refused",
     .help = "registering memory: what the provider asks for, all buffers, or (for tests) no heap"},
    {.id = setting::ofi_cache_bytes,
     .name = "ATOLL_OFI_CACHE_BYTES",
     .kind = setting_kind::bytes,
     .default_value = "1G",
     .help = "buffers outside of the heap that stay registered, together; 0: none"},
    {.id = setting::ofi_cache_entries,
     .name = "ATOLL_OFI_CACHE_ENTRIES",
     .kind = setting_kind::number,
     .default_value = "512",
     .min = 1,
     .max = 65536,
     .help = "how many buffers outside of the heap stay registered"},
    {.id = setting::wait,
     .name = "ATOLL_WAIT",
     .kind = setting_kind::choice,
     .default_value = "auto",
     .choices = "auto,spin,yield,sleep",
     .help = "how a rank waits; auto spins, then yields, then sleeps, by cores per rank"},
    {.id = setting::segment_limit,
     .name = "ATOLL_SEGMENT_LIMIT",
     .kind = setting_kind::bytes,
     .default_value = "0",
     .max = std::uint64_t{1} << 46,
     .help = "most bytes of shared heap per rank; 0 derives it from the machine's memory"},
    {.id = setting::symmetric_limit,
     .name = "ATOLL_SYMMETRIC_LIMIT",
     .kind = setting_kind::bytes,
     .default_value = "0",
     .max = std::uint64_t{1} << 46,
     .help = "most bytes of symmetric heap per rank; 0: as many as of shared heap"},
    {.id = setting::memory_limit,
     .name = "ATOLL_MEMORY_LIMIT",
     .kind = setting_kind::bytes,
     .default_value = "0",
     .max = std::uint64_t{1} << 46,
     .help = "most bytes of shared heap per host; 0 derives it from the machine's memory"},
    {.id = setting::ring_cells,
     .name = "ATOLL_RING_CELLS",
     .kind = setting_kind::number,
     .default_value = "512",
     .min = 64,
     .max = 65536,
     .help = "cache-line cells in a rank's ring of incoming active messages",
     .power_of_two = true},
    {.id = setting::counters,
     .name = "ATOLL_COUNTERS",
     .kind = setting_kind::flag,
     .default_value = "0",
     .help =
         "print a table of operations, bytes, polls and stalls at exit; nothing is inlined then"},
    {.id = setting::coll_broadcast,
     .name = "ATOLL_COLL_BROADCAST",
     .kind = setting_kind::text,
     .default_value = "",
     .help = "algorithm of broadcast, and its radix (tree:4), where it can be used"},
    {.id = setting::coll_reduce,
     .name = "ATOLL_COLL_REDUCE",
     .kind = setting_kind::text,
     .default_value = "",
     .help = "algorithm of reduce, and its radix (tree:4), where it can be used"},
    {.id = setting::coll_allreduce,
     .name = "ATOLL_COLL_ALLREDUCE",
     .kind = setting_kind::text,
     .default_value = "",
     .help = "algorithm of allreduce, and its radix (recursive_doubling), where it can be used"},
    {.id = setting::coll_scatter,
     .name = "ATOLL_COLL_SCATTER",
     .kind = setting_kind::text,
     .default_value = "",
     .help = "algorithm of scatter, and its radix (linear), where it can be used"},
    {.id = setting::coll_gather,
     .name = "ATOLL_COLL_GATHER",
     .kind = setting_kind::text,
     .default_value = "",
     .help = "algorithm of gather, and its radix (linear), where it can be used"},
    {.id = setting::coll_allgather,
     .name = "ATOLL_COLL_ALLGATHER",
     .kind = setting_kind::text,
     .default_value = "",
     .help = "algorithm of allgather, and its radix (bruck:2), where it can be used"},
    {.id = setting::coll_alltoall,
     .name = "ATOLL_COLL_ALLTOALL",
     .kind = setting_kind::text,
     .default_value = "",
     .help = "algorithm of alltoall, and its radix (pairwise), where it can be used"},
    {.id = setting::coll_scan,
     .name = "ATOLL_COLL_SCAN",
     .kind = setting_kind::text,
     .default_value = "",
     .help = "algorithm of scan, and its radix (chain), where it can be used"},
    {.id = setting::coll_explain,
     .name = "ATOLL_COLL_EXPLAIN",
     .kind = setting_kind::flag,
     .default_value = "0",
     .help = "tell, once per kind of collective call, which algorithm was chosen and why"},
    {.id = setting::rank,
     .name = "ATOLL_RANK",
     .kind = setting_kind::number,
     .default_value = "",
     .max = most_ranks - 1,
     .help = "this process's rank; set by the launcher"},
    {.id = setting::size,
     .name = "ATOLL_SIZE",
     .kind = setting_kind::number,
     .default_value = "",
     .min = 1,
     .max = most_ranks,
     .help = "the number of ranks of the job; set by the launcher"},
    {.id = setting::job,
     .name = "ATOLL_JOB",
     .kind = setting_kind::text,
     .default_value = "",
     .help = "how to reach the launcher of the job; set by the launcher"},
    {.id = setting::member,
     .name = "ATOLL_MEMBER",
     .kind = setting_kind::text,
     .default_value = "",
     .help = "which process joined as the rank; set by that process for what it starts"},
});

static_assert(table.size() == static_cast<std::size_t>(setting::count));
static_assert([] {
  for (std::size_t i = 0; i < table.size(); ++i)
    if (table[i].id != static_cast<setting>(i)) return false;
  return true;
}());

constexpr char lower(char c) noexcept {
  return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
}

bool same_word(std::string_view a, std::string_view b) noexcept {
  return std::ranges::equal(a, b, {}, lower, lower);
}

/// The user's text, safe to print: short, on one line, without control characters.
std::string quoted(std::string_view raw) {
  constexpr std::size_t longest = 80;
  std::string shown(raw.substr(0, longest));
  for (char& c : shown)
    if (static_cast<unsigned char>(c) < 0x20 || c == 0x7f) c = '?';
  if (raw.size() > longest) shown += "...";
  return shown;
}

std::optional<std::uint64_t> parse_number(std::string_view text) noexcept {
  std::uint64_t number = 0;
  const char* end = text.data() + text.size();
  auto [stop, failure] = std::from_chars(text.data(), end, number);
  if (failure != std::errc{} || stop != end) return std::nullopt;
  return number;
}

/// The power of two of a binary suffix: "", "K", "KB", "KiB", and so for M, G, T; "B" is one byte.
std::optional<unsigned> suffix_shift(std::string_view suffix) noexcept {
  if (suffix.empty() || same_word(suffix, "b")) return 0;
  constexpr std::string_view letters = "kmgt";
  const auto place = letters.find(lower(suffix.front()));
  if (place == std::string_view::npos) return std::nullopt;
  const auto rest = suffix.substr(1);
  if (!rest.empty() && !same_word(rest, "b") && !same_word(rest, "ib")) return std::nullopt;
  return 10 * (static_cast<unsigned>(place) + 1);
}

std::optional<std::uint64_t> parse_bytes(std::string_view text) noexcept {
  const auto digits = std::min(text.find_first_not_of("0123456789"), text.size());
  const auto number = parse_number(text.substr(0, digits));
  const auto shift = suffix_shift(text.substr(digits));
  if (!number || !shift || *number > (~std::uint64_t{0} >> *shift)) return std::nullopt;
  return *number << *shift;
}

std::optional<std::uint64_t> parse_flag(std::string_view text) noexcept {
  for (std::string_view word : {"1", "yes", "true", "on"})
    if (same_word(text, word)) return 1;
  for (std::string_view word : {"0", "no", "false", "off"})
    if (same_word(text, word)) return 0;
  return std::nullopt;
}

std::optional<std::uint64_t> parse_choice(std::string_view text,
                                          std::string_view choices) noexcept {
  for (std::uint64_t index = 0; !choices.empty(); ++index) {
    const auto comma = std::min(choices.find(','), choices.size());
    if (same_word(text, choices.substr(0, comma))) return index;
    choices.remove_prefix(std::min(comma + 1, choices.size()));
  }
  return std::nullopt;
}

std::optional<std::uint64_t> parse(const setting_row& row, std::string_view text) noexcept {
  switch (row.kind) {
    case setting_kind::flag:
      return parse_flag(text);
    case setting_kind::number:
      return parse_number(text);
    case setting_kind::bytes:
      return parse_bytes(text);
    case setting_kind::choice:
      return parse_choice(text, row.choices);
    case setting_kind::text:
      return 0;
  }
  return std::nullopt;
}

bool in_range(const setting_row& row, std::uint64_t number) noexcept {
  if (row.kind != setting_kind::number && row.kind != setting_kind::bytes) return true;
  if (row.power_of_two && !std::has_single_bit(number)) return false;
  return number >= row.min && number <= row.max;
}

/// Edits (insert, delete, replace, swap of neighbours) between two names, over at most 48
/// characters of each; three rolling rows of the usual matrix.
std::size_t edit_distance(std::string_view a, std::string_view b) noexcept {
  constexpr std::size_t longest = 48;
  a = a.substr(0, longest);
  b = b.substr(0, longest);
  std::array<std::size_t, longest + 1> before{}, last{}, now{};
  for (std::size_t j = 0; j <= b.size(); ++j) last[j] = j;
  for (std::size_t i = 1; i <= a.size(); ++i) {
    now[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t replaced = last[j - 1] + (a[i - 1] == b[j - 1] ? 0 : 1);
      now[j] = std::min({last[j] + 1, now[j - 1] + 1, replaced});
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
        now[j] = std::min(now[j], before[j - 2] + 1);
    }
    before = last;
    last = now;
  }
  return last[b.size()];
}

const setting_row& nearest_row(std::string_view name) noexcept {
  return *std::ranges::min_element(
      table, {}, [&](const setting_row& row) { return edit_distance(name, row.name); });
}

std::string unknown_name_warning(std::string_view name) {
  const auto& near = nearest_row(name);
  std::string line = quoted(name) + ": no such setting; the nearest is " + std::string(near.name);
  return line + " (`atoll info --settings` lists all)";
}

}  // namespace

std::span<const setting_row> setting_table() noexcept { return table; }

std::string setting_values(const setting_row& row) {
  switch (row.kind) {
    case setting_kind::flag:
      return "1 or 0 (yes or no, true or false, on or off)";
    case setting_kind::number:
      return std::string(row.power_of_two ? "a power of two from " : "a whole number from ") +
             std::to_string(row.min) + " to " + std::to_string(row.max);
    case setting_kind::bytes:
      return "bytes from " + std::to_string(row.min) + " to " + std::to_string(row.max) +
             ", with K, M, G or T for binary multiples (512M, 4G)";
    case setting_kind::choice: {
      std::string words = "one of ";
      for (char c : row.choices) words += c == ',' ? std::string(", ") : std::string(1, c);
      return words;
    }
    case setting_kind::text:
      return "any text";
  }
  return {};
}

void settings::assign(const setting_row& row, std::string_view text, setting_source source) {
  const auto number = parse(row, text);
  if (!number || !in_range(row, *number)) {
    throw error(std::string(row.name),
                "the value \"" + quoted(text) + "\" does not fit this setting",
                "give " + setting_values(row) + ", or unset it");
  }
  values_[static_cast<std::size_t>(row.id)] = {std::string(text), *number, source};
}

void settings::take(std::string_view name, std::string_view text) {
  const auto row = std::ranges::find(table, name, &setting_row::name);
  if (row == table.end()) {
    warnings_.push_back(unknown_name_warning(name));
    return;
  }
  if (text.empty()) return;
  const auto& present = values_[static_cast<std::size_t>(row->id)];
  if (present.source == setting_source::built_in) {
    assign(*row, text, setting_source::environment);
  } else if (present.text != text) {
    warnings_.push_back(std::string(name) + ": set twice in the environment; \"" +
                        quoted(present.text) + "\" counts, \"" + quoted(text) + "\" does not");
  }
}

settings settings::read(const char* const* environment) {
  settings all;
  for (const auto& row : table)
    if (!row.default_value.empty()) all.assign(row, row.default_value, setting_source::built_in);
  for (; environment != nullptr && *environment != nullptr; ++environment) {
    const std::string_view entry = *environment;
    const auto equals = entry.find('=');
    if (equals == std::string_view::npos || !entry.starts_with(prefix)) continue;
    all.take(entry.substr(0, equals), entry.substr(equals + 1));
  }
  return all;
}

settings settings::from_environment() { return read(environ); }

settings settings::from_environment(std::span<const std::string> fallbacks) {
  std::vector<const char*> all;
  for (const char* const* entry = environ; entry != nullptr && *entry != nullptr; ++entry) {
    all.push_back(*entry);
  }
  for (const std::string& each : fallbacks) {
    const std::string name = each.substr(0, each.find('='));
    if (foreign_variable(name.c_str()).empty()) all.push_back(each.c_str());
  }
  all.push_back(nullptr);
  return read(all.data());
}

bool settings::flag(setting id) const noexcept { return number(id) != 0; }

std::uint64_t settings::number(setting id) const noexcept {
  return values_[static_cast<std::size_t>(id)].number;
}

unsigned settings::choice(setting id) const noexcept { return static_cast<unsigned>(number(id)); }

std::string_view settings::text(setting id) const noexcept {
  return values_[static_cast<std::size_t>(id)].text;
}

setting_source settings::source(setting id) const noexcept {
  return values_[static_cast<std::size_t>(id)].source;
}

std::string_view foreign_variable(const char* name) noexcept {
  const char* value = std::getenv(name);
  return value == nullptr ? std::string_view{} : std::string_view(value);
}

std::vector<std::string> foreign_variables(std::string_view beginning) {
  std::vector<std::string> found;
  for (const char* const* entry = environ; entry != nullptr && *entry != nullptr; ++entry) {
    if (std::string_view(*entry).starts_with(beginning)) found.emplace_back(*entry);
  }
  return found;
}

/// A new list replaces the old one, which stays unchanged and reachable for threads that are
/// reading it. setenv() would free it under them.
void set_for_children(std::string_view name, std::string_view value) {
  std::string start(name);
  start += '=';
  const std::string entry = start + std::string(value);
  std::size_t count = 0;
  for (; environ != nullptr && environ[count] != nullptr; ++count)
    if (entry == environ[count]) return;
  auto** const list = new char*[count + 2];  // for ever: it is the environment
  char** last = list;
  *last++ = strdup(entry.c_str());
  static auto* const kept = new std::vector<char**>;
  kept->push_back(list);
  for (std::size_t i = 0; i < count; ++i)
    if (!std::string_view(environ[i]).starts_with(start)) *last++ = environ[i];
  *last = nullptr;
  __atomic_store_n(&environ, list, __ATOMIC_RELEASE);  // pairs with getenv() in other threads
}

std::vector<std::string> foreign_variables_given(std::string_view beginning) {
  std::vector<std::string> found = foreign_variables(beginning);
  // The system shows the environment as it was when the program began, a zero after each entry.
  std::ifstream file("/proc/self/environ", std::ios::binary);
  const std::string all{std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
  if (all.empty()) return found;
  std::set<std::string_view> given;
  for (std::size_t at = 0; at < all.size();) {
    const std::string_view entry(all.c_str() + at);
    given.insert(entry);
    at += entry.size() + 1;
  }
  std::erase_if(found, [&](const std::string& each) { return !given.contains(each); });
  return found;
}

}  // namespace atl
