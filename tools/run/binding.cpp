// SPDX-License-Identifier: BSD-3-Clause
//
// Makes places from the topology: processors that share a core or a memory node are one place. The
// list of --bind is written by the user, so its parser is strict.
#include <atoll/base/system/topology.hpp>
#include <tools/run/binding.hpp>
#include <tools/run/program.hpp>

#include <charconv>
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

/// Takes one number off the front of a list; nothing when there is none that can be a processor.
std::optional<int> take_number(std::string_view& list) {
  int value = 0;
  const auto [next, fault] = std::from_chars(list.data(), list.data() + list.size(), value);
  if (fault != std::errc{} || value < 0 || value >= CPU_SETSIZE) return std::nullopt;
  list.remove_prefix(static_cast<std::size_t>(next - list.data()));
  return value;
}

/// The numbers of "0,2,4-7"; nothing when the text is not such a list.
std::optional<std::vector<int>> parse_list(std::string_view list) {
  std::vector<int> numbers;
  for (;;) {
    const auto first = take_number(list);
    if (!first) return std::nullopt;
    auto last = first;
    if (list.starts_with('-')) {
      list.remove_prefix(1);
      last = take_number(list);
    }
    if (!last || *last < *first) return std::nullopt;
    for (int cpu = *first; cpu <= *last; ++cpu) numbers.push_back(cpu);
    if (list.empty()) return numbers;
    if (!list.starts_with(',')) return std::nullopt;
    list.remove_prefix(1);
  }
}

cpu_set_t set_of(unsigned processor) {
  cpu_set_t set;
  CPU_ZERO(&set);
  CPU_SET(processor, &set);
  return set;
}

/// Groups the processors that may be used by core or node; places in order of first processor.
std::vector<cpu_set_t> grouped(unsigned processor::* group_key) {
  const auto allowed = allowed_set();
  std::map<unsigned, std::size_t> place_of;
  std::vector<cpu_set_t> places;
  for (const auto& each : read_topology().processors) {
    if (each.number >= CPU_SETSIZE || !CPU_ISSET(each.number, &allowed)) continue;
    const auto [found, fresh] = place_of.try_emplace(each.*group_key, places.size());
    if (fresh) places.push_back(set_of(each.number));
    CPU_SET(each.number, &places[found->second]);
  }
  return places;
}

std::vector<cpu_set_t> listed(const std::string& bind) {
  const auto list = parse_list(bind);
  if (!list)
    throw launch_refusal{
        2, "--bind takes none, core, numa or a list of processors (0,2,4-7), not '" + bind + "'"};
  const auto allowed = allowed_set();
  std::vector<cpu_set_t> places;
  for (const int cpu : *list) {
    if (!CPU_ISSET(cpu, &allowed))
      throw launch_refusal{2, "--bind: processor " + std::to_string(cpu) +
                                  " does not exist or may not be used here (see atoll info)"};
    places.push_back(set_of(static_cast<unsigned>(cpu)));
  }
  return places;
}

}  // namespace

std::vector<cpu_set_t> places_for(const std::string& bind) {
  if (bind == "none") return {};
  if (bind == "core") return grouped(&processor::core);
  if (bind == "numa") return grouped(&processor::node);
  return listed(bind);
}

}  // namespace atl::tools
