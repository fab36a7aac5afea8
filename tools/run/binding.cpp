// SPDX-License-Identifier: BSD-3-Clause
//
// Places out of sysfs: processors that share a core or a memory node are one place. Where sysfs does
// not tell, each processor is a core and all are one node.
#include <tools/run/binding.hpp>
#include <tools/run/program.hpp>

#include <algorithm>
#include <charconv>
#include <fstream>
#include <map>
#include <optional>
#include <string_view>

namespace atl::tools {
namespace {

cpu_set_t allowed_set() {
  cpu_set_t allowed;
  CPU_ZERO(&allowed);
  if (sched_getaffinity(0, sizeof allowed, &allowed) != 0) CPU_SET(0, &allowed);
  return allowed;
}

std::vector<int> allowed_list() {
  const auto allowed = allowed_set();
  std::vector<int> list;
  for (int cpu = 0; cpu < CPU_SETSIZE; ++cpu)
    if (CPU_ISSET(cpu, &allowed)) list.push_back(cpu);
  return list;
}

/// The numbers of "0,2,4-7"; nothing when the text is not such a list.
std::optional<std::vector<int>> parse_list(std::string_view text) {
  std::vector<int> list;
  const char* at = text.data();
  const char* const end = at + text.size();
  const auto number = [&](int& value) {
    const auto [next, fault] = std::from_chars(at, end, value);
    at = next;
    return fault == std::errc{} && value >= 0 && value < CPU_SETSIZE;
  };
  for (;;) {
    int first = 0;
    if (!number(first)) return std::nullopt;
    int last = first;
    if (at != end && *at == '-' && (++at, !number(last) || last < first)) return std::nullopt;
    for (int cpu = first; cpu <= last; ++cpu) list.push_back(cpu);
    if (at == end) return list;
    if (*at++ != ',') return std::nullopt;
  }
}

cpu_set_t set_of(const std::vector<int>& list) {
  cpu_set_t set;
  CPU_ZERO(&set);
  for (const int cpu : list) CPU_SET(cpu, &set);
  return set;
}

/// Groups the allowed processors by what `key_of` says of each; places in order of first processor.
template <class KeyOf>
std::vector<cpu_set_t> grouped(KeyOf key_of) {
  std::map<std::string, std::size_t> group_of;
  std::vector<std::vector<int>> groups;
  for (const int cpu : allowed_list()) {
    const auto [found, fresh] = group_of.try_emplace(key_of(cpu), groups.size());
    if (fresh) groups.emplace_back();
    groups[found->second].push_back(cpu);
  }
  std::vector<cpu_set_t> places;
  for (const auto& group : groups) places.push_back(set_of(group));
  return places;
}

std::string core_of(int cpu) {
  const auto folder = "/sys/devices/system/cpu/cpu" + std::to_string(cpu) + "/topology/";
  std::ifstream file(folder + "thread_siblings_list");
  std::string siblings;
  return file >> siblings ? siblings : std::to_string(cpu);
}

std::string node_of(int cpu) {
  for (int node = 0; node < CPU_SETSIZE; ++node) {
    const auto name = "/sys/devices/system/node/node" + std::to_string(node) + "/cpulist";
    std::ifstream file(name);
    std::string list;
    if (!(file >> list)) break;
    const auto cpus = parse_list(list);
    if (cpus && std::find(cpus->begin(), cpus->end(), cpu) != cpus->end()) return name;
  }
  return {};
}

std::vector<cpu_set_t> listed(const std::string& bind) {
  const auto list = parse_list(bind);
  if (!list)
    throw launch_refusal{2, "--bind takes none, core, numa or a list of processors (0,2,4-7), not '" +
                                bind + "'"};
  const auto allowed = allowed_set();
  std::vector<cpu_set_t> places;
  for (const int cpu : *list) {
    if (!CPU_ISSET(cpu, &allowed))
      throw launch_refusal{2, "--bind: processor " + std::to_string(cpu) +
                                  " does not exist or may not be used here (see atoll info)"};
    places.push_back(set_of({cpu}));
  }
  return places;
}

}  // namespace

rank_id available_processors() {
  const auto allowed = allowed_set();
  return static_cast<rank_id>(std::max(1, CPU_COUNT(&allowed)));
}

std::vector<cpu_set_t> places_for(const std::string& bind) {
  if (bind == "none") return {};
  if (bind == "core") return grouped(core_of);
  if (bind == "numa") return grouped(node_of);
  return listed(bind);
}

}  // namespace atl::tools
