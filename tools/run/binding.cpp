// SPDX-License-Identifier: BSD-3-Clause
//
// Places out of the topology: processors that share a core or a memory node are one place. The list
// of --bind is the user's, so its parser is strict.
#include <atoll/base/topology.hpp>
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

cpu_set_t set_of(unsigned processor) {
  cpu_set_t set;
  CPU_ZERO(&set);
  CPU_SET(processor, &set);
  return set;
}

/// Groups the processors that may be used by core or node; places in order of first processor.
std::vector<cpu_set_t> grouped(unsigned processor::*by) {
  const auto allowed = allowed_set();
  std::map<unsigned, std::size_t> place_of;
  std::vector<cpu_set_t> places;
  for (const auto& each : read_topology().processors) {
    if (each.number >= CPU_SETSIZE || !CPU_ISSET(each.number, &allowed)) continue;
    const auto [found, fresh] = place_of.try_emplace(each.*by, places.size());
    if (fresh) places.push_back(set_of(each.number));
    CPU_SET(each.number, &places[found->second]);
  }
  return places;
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
