// SPDX-License-Identifier: BSD-3-Clause
//
// Parses entries of a list and lines of a file, with the same checks for both. A refusal names the
// entry, and in a file the line, because such files are long and written by hand.
#include <tools/hosts/host_list.hpp>

#include <atoll/base/parse.hpp>
#include <tools/run/options.hpp>
#include <tools/run/program.hpp>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fstream>
#include <sstream>

namespace atl::tools {
namespace {

constexpr std::string_view letters =
    "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789.-_@";
constexpr std::string_view blanks = " \t\r";

[[noreturn]] void refuse(const std::string& origin, const std::string& reason) {
  throw launch_refusal{2, origin + ": " + reason};
}

rank_id slots_of(std::string_view text, const std::string& origin, const std::string& host) {
  const auto slots = parse_number<rank_id>(text);
  if (!slots)
    refuse(origin, "the slots of host " + host + " are no number: '" + std::string(text) + "'");
  if (*slots == 0) refuse(origin, "host " + host + " has no slots; leave it out, or give it some");
  if (*slots > ranks_max)
    refuse(origin, "host " + host + " has more than " + std::to_string(ranks_max) + " slots");
  return *slots;
}

void add(std::vector<host_slots>& to, host_slots entry, const std::string& origin) {
  if (entry.name.empty()) refuse(origin, "an entry has no host; write HOST:SLOTS,HOST:SLOTS");
  const auto wrong = entry.name.find_first_not_of(letters);
  if (wrong != std::string::npos || entry.name.front() == '-')
    refuse(origin, "'" + entry.name + "' is no name of a host");
  for (const auto& other : to)
    if (other.name == entry.name)
      refuse(origin, "host " + entry.name + " is listed twice; give it once, with all its slots (" +
                         entry.name + ":" + std::to_string(other.slots + entry.slots) + ")");
  if (to.size() == hosts_max)
    refuse(origin, "host " + entry.name + " is one too many: a job has at most " +
                       std::to_string(hosts_max) + " hosts");
  to.push_back(std::move(entry));
}

host_slots parse_entry(std::string_view text, const std::string& origin) {
  const auto colon = text.find(':');
  host_slots entry{std::string(text.substr(0, colon))};
  if (colon != std::string_view::npos)
    entry.slots = slots_of(text.substr(colon + 1), origin, entry.name);
  return entry;
}

std::string_view trimmed(std::string_view text) {
  const auto first = text.find_first_not_of(blanks);
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(blanks) - first + 1);
}

host_slots parse_line(std::string_view line, const std::string& origin) {
  const auto end = line.find_first_of(blanks);
  auto entry = parse_entry(line.substr(0, end), origin);
  const auto suffix = end == std::string_view::npos ? "" : trimmed(line.substr(end));
  constexpr std::string_view slots = "slots=";
  if (suffix.empty()) return entry;
  if (!suffix.starts_with(slots) || line.substr(0, end).find(':') != std::string_view::npos)
    refuse(origin, "'" + std::string(suffix) + "' is not understood; a line is HOST slots=N");
  entry.slots = slots_of(suffix.substr(slots.size()), origin, entry.name);
  return entry;
}

}  // namespace

std::vector<host_slots> parse_hosts(std::string_view list) {
  std::vector<host_slots> hosts;
  for (;;) {
    const auto comma = list.find(',');
    add(hosts, parse_entry(trimmed(list.substr(0, comma)), "--hosts"), "--hosts");
    if (comma == std::string_view::npos) return hosts;
    list.remove_prefix(comma + 1);
  }
}

std::vector<host_slots> parse_hostfile(std::string_view text, const std::string& name) {
  std::vector<host_slots> hosts;
  for (int number = 1; !text.empty(); ++number) {
    const auto end = std::min(text.find('\n'), text.size());
    const auto line = trimmed(text.substr(0, std::min(text.find('#'), end)));
    text.remove_prefix(std::min(end + 1, text.size()));
    const auto origin = "--hostfile " + name + ", line " + std::to_string(number);
    if (!line.empty()) add(hosts, parse_line(line, origin), origin);
  }
  if (hosts.empty()) refuse("--hostfile " + name, "it names no host; a line is HOST slots=N");
  return hosts;
}

std::vector<host_slots> read_hostfile(const std::string& name) {
  const std::ifstream file(name);
  std::ostringstream text;
  if (file) text << file.rdbuf();
  if (!file || !text) refuse("--hostfile " + name, std::strerror(errno));
  return parse_hostfile(text.view(), name);
}

std::vector<host_slots> fill(const std::vector<host_slots>& hosts, rank_id ranks) {
  std::uint64_t slots = 0;
  for (const auto& host : hosts) slots += host.slots;
  if (ranks > slots || (ranks == 0 && slots > ranks_max))
    throw launch_refusal{
        2, ranks == 0
               ? "the hosts have " + std::to_string(slots) + " slots; a job has at most " +
                     std::to_string(ranks_max) + " ranks: give -n"
               : "-n " + std::to_string(ranks) + ": the hosts have only " + std::to_string(slots) +
                     " slots; start fewer ranks, or give hosts more slots "
                     "(HOST:SLOTS)"};
  std::vector<host_slots> filled;
  rank_id left = ranks == 0 ? static_cast<rank_id>(slots) : ranks;
  for (const auto& host : hosts) {
    if (left == 0) break;
    filled.push_back({host.name, std::min(host.slots, left)});
    left -= filled.back().slots;
  }
  return filled;
}

}  // namespace atl::tools
