// SPDX-License-Identifier: BSD-3-Clause
//
// Reads /sys/devices/system/{cpu,node}. A core is known by the list of its hardware threads, a
// cache by its level and the list of the threads that share it. Each list is the same text in the
// files of all its threads, so counting different texts counts cores and caches.
#include <atoll/base/parse.hpp>
#include <atoll/base/system/control_group.hpp>
#include <atoll/base/system/topology.hpp>

#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <map>
#include <set>

namespace atl {
namespace {

constexpr std::size_t most_numbers = 65536;

std::string cpu_directory(const std::string& root, unsigned number) {
  return root + "/sys/devices/system/cpu/cpu" + std::to_string(number);
}

std::optional<unsigned> take_number(std::string_view& text) noexcept {
  unsigned number = 0;
  const auto [end, failure] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (failure != std::errc{}) return std::nullopt;
  text.remove_prefix(static_cast<std::size_t>(end - text.data()));
  return number;
}

unsigned read_unsigned(const std::string& path) {
  return static_cast<unsigned>(leading_number(read_small_file(path).value_or("")).value_or(0));
}

std::vector<unsigned> online_processors(const std::string& root) {
  auto numbers =
      parse_number_list(read_small_file(root + "/sys/devices/system/cpu/online").value_or(""));
  if (!numbers.empty()) return numbers;
  const long online = std::max(::sysconf(_SC_NPROCESSORS_ONLN), 1L);
  for (long i = 0; i < online; ++i) numbers.push_back(static_cast<unsigned>(i));
  return numbers;
}

void read_processors(topology& machine, const std::string& root) {
  std::map<std::string, unsigned> cores;
  std::set<unsigned> packages;
  for (const unsigned number : online_processors(root)) {
    const std::string folder = cpu_directory(root, number) + "/topology";
    auto siblings = read_small_file(folder + "/thread_siblings_list");
    const std::string key = siblings ? *siblings : "processor " + std::to_string(number);
    const unsigned core = cores.try_emplace(key, static_cast<unsigned>(cores.size())).first->second;
    const unsigned package = read_unsigned(folder + "/physical_package_id");
    packages.insert(package);
    machine.processors.push_back({.number = number, .core = core, .package = package});
  }
  machine.cores = static_cast<unsigned>(cores.size());
  machine.packages = static_cast<unsigned>(packages.size());
}

void read_nodes(topology& machine, const std::string& root) {
  const std::string base = root + "/sys/devices/system/node";
  for (const unsigned number : parse_number_list(read_small_file(base + "/online").value_or(""))) {
    const std::string folder = base + "/node" + std::to_string(number);
    const auto lines = read_small_file(folder + "/meminfo").value_or("");
    const auto total_kib = number_after("Node " + std::to_string(number) + " MemTotal", lines);
    machine.nodes.push_back(
        {.number = number,
         .memory_bytes = total_kib.value_or(0) * 1024,
         .processors = parse_number_list(read_small_file(folder + "/cpulist").value_or(""))});
  }
  if (!machine.nodes.empty()) return;
  const auto lines = read_small_file(root + "/proc/meminfo").value_or("");
  numa_node single_node;
  single_node.memory_bytes = number_after("MemTotal", lines).value_or(0) * 1024;
  for (const auto& each : machine.processors) single_node.processors.push_back(each.number);
  machine.nodes.push_back(std::move(single_node));
}

void assign_nodes(topology& machine) {
  std::map<unsigned, unsigned> node_of;
  for (const auto& node : machine.nodes)
    for (const unsigned number : node.processors) node_of[number] = node.number;
  for (auto& each : machine.processors)
    if (const auto known = node_of.find(each.number); known != node_of.end())
      each.node = known->second;
}

using seen_caches = std::set<std::pair<unsigned, std::string>>;  // level, sharers

/// Enters one cache of one processor, unless another sharer entered it before.
void enter_cache(std::map<unsigned, cache_level>& levels, seen_caches& seen,
                 const std::string& folder) {
  if (read_small_file(folder + "/type").value_or("Instruction") == "Instruction") return;
  const unsigned level = read_unsigned(folder + "/level");
  const std::string sharers = read_small_file(folder + "/shared_cpu_list").value_or(folder);
  if (level == 0 || !seen.emplace(level, sharers).second) return;
  auto& cache = levels[level];
  cache.level = level;
  cache.size_bytes = std::max(
      cache.size_bytes, parse_bytes(read_small_file(folder + "/size").value_or("")).value_or(0));
  cache.shared_by =
      std::max(cache.shared_by, static_cast<unsigned>(parse_number_list(sharers).size()));
  ++cache.instances;
}

void read_caches(topology& machine, const std::string& root) {
  constexpr unsigned most_caches = 16;  // per processor; today's have 4
  std::map<unsigned, cache_level> levels;
  seen_caches seen;
  for (const auto& each : machine.processors) {
    for (unsigned index = 0; index < most_caches; ++index) {
      const auto folder = cpu_directory(root, each.number) + "/cache/index" + std::to_string(index);
      if (!read_small_file(folder + "/level")) break;
      enter_cache(levels, seen, folder);
    }
  }
  for (const auto& [level, cache] : levels) machine.caches.push_back(cache);
}

/// The name behind "model name" (x86) in /proc/cpuinfo, or nothing.
std::string read_model(const std::string& root) {
  const std::string lines = read_small_file(root + "/proc/cpuinfo").value_or("");
  const auto key = lines.find("model name");
  const auto start = lines.find(": ", std::min(key, lines.size()));
  if (key == std::string::npos || start == std::string::npos) return {};
  return lines.substr(start + 2, lines.find('\n', start) - start - 2);
}

}  // namespace

topology read_topology(const std::string& root) {
  topology machine;
  machine.model = read_model(root);
  read_processors(machine, root);
  read_nodes(machine, root);
  assign_nodes(machine);
  read_caches(machine, root);
  return machine;
}

std::vector<unsigned> parse_number_list(std::string_view list) {
  std::vector<unsigned> numbers;
  while (!list.empty()) {
    const auto first = take_number(list);
    if (!first) break;
    unsigned last = *first;
    if (list.starts_with('-')) {
      list.remove_prefix(1);
      last = take_number(list).value_or(*first);
    }
    for (std::uint64_t number = *first; number <= last && numbers.size() < most_numbers; ++number)
      numbers.push_back(static_cast<unsigned>(number));
    if (!list.starts_with(',')) break;
    list.remove_prefix(1);
  }
  return numbers;
}

}  // namespace atl
