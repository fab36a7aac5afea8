// SPDX-License-Identifier: BSD-3-Clause
//
// Gathers the report, one function per section. Sizes are bytes, and their names say so. The key of
// a job never gets into it, since reports are pasted into mails and bug trackers.
#include <atoll/base/error.hpp>
#include <atoll/base/system/cpu.hpp>
#include <atoll/base/system/memory_limits.hpp>
#include <atoll/base/system/topology.hpp>
#include <atoll/base/text.hpp>
#include <atoll/base/version.hpp>
#include <atoll/bootstrap/settings.hpp>
#include <atoll/coll/settings.hpp>
#include <atoll/coll/tuned/machine.hpp>
#include <atoll/coll/tuned/table.hpp>
#include <atoll/memory/host_memory.hpp>
#include <atoll/memory/settings.hpp>
#include <atoll/transport/availability.hpp>
#include <atoll/transport/list.hpp>
#include <tools/info/devices.hpp>
#include <tools/info/report.hpp>
#include <tools/run/program.hpp>
#include <tools/tune/measuring_program.hpp>

#include <map>
#include <string>
#include <string_view>

namespace atl::tools {

using json = nlohmann::ordered_json;

namespace {

json transports_section() {
  json section = json::array();
  for (const auto& each : transport::list())
    section.push_back({{"name", each.name}, {"usable", each.usable}, {"why", each.reason}});
  return section;
}

json machine_section() {
  const auto machine = read_topology();
  json section{{"processor", machine.model},
               {"packages", machine.packages},
               {"cores", machine.cores},
               {"processors", machine.processors.size()},
               {"cores_available", cores_available()}};
  section["caches"] = json::array();
  for (const auto& cache : machine.caches)
    section["caches"].push_back({{"level", cache.level},
                                 {"size_bytes", cache.size_bytes},
                                 {"shared_by_processors", cache.shared_by},
                                 {"instances", cache.instances}});
  section["numa_nodes"] = json::array();
  for (const auto& node : machine.nodes)
    section["numa_nodes"].push_back({{"number", node.number},
                                     {"memory_bytes", node.memory_bytes},
                                     {"processors", node.processors}});
  return section;
}

json memory_section(const settings& chosen) {
  const auto limits = read_memory_limits();
  const auto plan = memory::plan(1, 0,
                                 {.heap_limit = chosen.number(setting::segment_limit),
                                  .symmetric_limit = chosen.number(setting::symmetric_limit),
                                  .host_limit = chosen.number(setting::memory_limit)});
  return {{"host_heap_limit_bytes", plan.host_limit},
          {"rank_heap_limit_bytes", plan.heap_limit},
          {"rank_symmetric_limit_bytes", plan.symmetric_limit},
          {"total_bytes", limits.machine_total_bytes},
          {"available_bytes", limits.available_bytes},
          {"control_group_limit_bytes", limits.group_limit_bytes},
          {"control_group_usage_bytes", limits.group_usage_bytes}};
}

json driver_section(const tried_driver& driver, const settings& chosen) {
  json section{{"kind", memory::name_of(driver.state.kind)},
               {"usable", driver.state.usable},
               {"library", driver.state.library},
               {"version", driver.state.version},
               {"why", driver.state.reason}};
  section["devices"] = json::array();
  for (const tried_device& each : driver.devices)
    section["devices"].push_back({{"number", each.description.index},
                                  {"name", each.description.name},
                                  {"memory_bytes", each.description.bytes},
                                  {"uuid", hexadecimal(each.description.uuid)},
                                  {"refusal", each.refusal},
                                  {"export_refusal", each.export_refusal},
                                  {"open_refusal", each.open_refusal},
                                  {"pin_refusal", each.pin_refusal},
                                  {"peers", each.peers}});
  section["directions"] = json::array();
  if (driver.devices.empty()) return section;
  for (const device_direction& each : directions_of(driver, chosen))
    section["directions"].push_back({{"operation", each.operation},
                                     {"from", each.from},
                                     {"to", each.to},
                                     {"direct_on_host", each.is_direct},
                                     {"between_ranks_of_a_host", each.between_ranks},
                                     {"between_hosts", each.between_hosts}});
  return section;
}

json devices_section(const settings& chosen) {
  json section = json::array();
  for (const tried_driver& driver : try_devices())
    section.push_back(driver_section(driver, chosen));
  return section;
}

std::string range_of(const setting_row& row) {
  switch (row.kind) {
    case setting_kind::flag:
      return "0 or 1";
    case setting_kind::choice:
      return std::string(row.choices);
    case setting_kind::number:
    case setting_kind::bytes:
      return text(row.min, " to ", row.max, row.unit.empty() ? "" : " ", row.unit);
    case setting_kind::text:
      break;
  }
  return "";
}

/// The settings in force, or the defaults when one of them is refused.
settings read_settings(json& problems) {
  try {
    auto current = settings::from_environment();
    for (const auto& warning : current.warnings()) problems.push_back({{"warning", warning}});
    return current;
  } catch (const error& refused) {
    problems.push_back({{"error", refused.what()}});
    constexpr const char* nothing[] = {nullptr};
    return settings::read(nothing);
  }
}

/// The networks that rules over hosts are for, and how many rules each has: a job uses those of its
/// own network, whose speed it measures when it opens the collectives.
json networks_of(const coll::tuned_table& table) {
  std::map<std::string, std::size_t> rules;
  for (const coll::tuned_rule& each : table.rules) {
    if (each.one_host == true) continue;
    const std::string network = each.network.empty() ? "any network" : each.network;
    ++rules[coll::network_text(network, each.network_ns)];
  }
  json list = json::array();
  for (const auto& [network, count] : rules) {
    list.push_back({{"network", network}, {"rules", count}});
  }
  return list;
}

/// The table of tuned collectives that jobs of this user take, or why they take none.
json collectives_section(const settings& current) {
  const auto asked = std::string(current.text(setting::coll_table));
  const std::string path = asked.empty() ? coll::found_table_path() : asked;
  json section{{"table", ""}, {"rules", 0}, {"why", "there is none: atoll tune makes one"}};
  section["ranks"] = section["other_algorithms"] = "";
  section["networks"] = json::array();
  if (asked == "off") section["why"] = "ATOLL_COLL_TABLE is off";
  if (asked == "off" || path.empty()) return section;
  section["table"] = path;
  try {
    const coll::tuned_table table = coll::read_tuned_table(path);
    if (table.machine != coll::machine_text()) {
      section["why"] = "it was made on another machine: " + table.machine;
      return section;
    }
    section["why"] = refusal_of_rules(path);
    if (section["why"] == "") {
      section["rules"] = table.rules.size();
      section["ranks"] = coll::ranks_text(table);
      section["other_algorithms"] = coll::other_algorithms_text(table.algorithms);
      section["networks"] = networks_of(table);
    }
  } catch (const error& refused) {
    section["why"] = refused.cause();
  } catch (const launch_refusal& refused) {
    section["why"] = refused.message;
  }
  return section;
}

/// The value to show: a report goes into files and mails, and ATOLL_JOB holds the job's key.
std::string_view shown(const settings& current, const setting_row& row) {
  const auto value = current.text(row);
  return row.name == setting::job.name && !value.empty() ? "(set)" : value;
}

json settings_section(const settings& current) {
  json section = json::array();
  for (const setting_row* row : all_settings())
    section.push_back(
        {{"name", row->name},
         {"value", shown(current, *row)},
         {"from", current.source(*row) == setting_source::environment ? "environment" : "default"},
         {"default", row->default_value},
         {"range", range_of(*row)},
         {"help", row->help}});
  return section;
}

}  // namespace

json gather_report() {
  json problems = json::array();
  json report{{"version", version_text}, {"build", ATOLL_BUILD_STRING}};
  report["transports"] = transports_section();
  report["machine"] = machine_section();
  const settings current = read_settings(problems);
  report["memory"] = memory_section(current);
  report["collectives"] = collectives_section(current);
  report["devices"] = devices_section(current);
  report["settings"] = settings_section(current);
  report["problems"] = problems;
  return report;
}

}  // namespace atl::tools
