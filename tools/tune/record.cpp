// SPDX-License-Identifier: BSD-3-Clause
//
// Reads records, and compares what they are of. Nothing of a line is taken before all of it has
// been found to be possible: what is read later divides by its hosts and takes the logarithm of its
// times.
#include <tools/tune/record.hpp>

#include <atoll/base/error.hpp>
#include <atoll/base/text.hpp>
#include <atoll/coll/tuned/network.hpp>
#include <nlohmann/json.hpp>
#include <tools/tune/measure/points.hpp>

#include <algorithm>
#include <cerrno>
#include <cmath>
#include <filesystem>
#include <fstream>

namespace atl::tools {

namespace {

using json = nlohmann::json;

constexpr std::uint64_t bytes_max = std::uint64_t{1} << 50;

// Each record begins so. The first one may have been cut off.
constexpr std::string_view record_begin = "{\"machine\":";

std::uint64_t whole_number(const json& line, const char* key, std::uint64_t otherwise) {
  return line.contains(key) ? line.at(key).get_ref<const json::number_unsigned_t&>() : otherwise;
}

tune_record head_of(const json& line) {
  return {.machine = line.at("machine"),
          .version = line.value("version", std::string()),
          .settings = line.value("settings", std::vector<std::string>()),
          .collective = line.at("collective"),
          .ranks = whole_number(line, "ranks", 0),
          .hosts = whole_number(line, "hosts", 0),
          .network = line.value("network", std::string()),
          .network_ns = whole_number(line, "network_ns", 0),
          .oversubscribed = line.at("oversubscribed"),
          .blocking = line.at("blocking"),
          .work = line.value("work", 0.0),
          .element_bytes = whole_number(line, "element_bytes", 8),
          .commutative = line.value("commutative", true),
          .strict = line.value("strict", false),
          .bytes = whole_number(line, "bytes", 0),
          .pass = whole_number(line, "pass", 0)};
}

bool can_be(const tune_record& each) {
  return tune::collective_named(each.collective) && each.hosts > 0 && each.ranks > 0 &&
         each.bytes > 0 && each.bytes <= bytes_max && each.element_bytes > 0 && each.work >= 0 &&
         std::isfinite(each.work);
}

bool are_times(const std::vector<double>& times) {
  return !times.empty() &&
         std::ranges::all_of(times, [](double each) { return each > 0 && std::isfinite(each); });
}

void add_measured(const json& line, tune_record& record) {
  record.rounds = whole_number(line, "rounds", 0);
  record.built_in = line.at("built_in");
  if (line.contains("effective"))
    record.effective = line["effective"].get<decltype(record.effective)::value_type>();
  record.times_ns = line.at("times_ns").get<decltype(record.times_ns)>();
}

std::optional<tune_record> parse(std::string_view text, bool has_times) {
  const json line = json::parse(text, nullptr, false);
  if (!line.is_object()) return {};
  try {
    tune_record record = head_of(line);
    if (has_times) add_measured(line, record);
    const bool is_good =
        can_be(record) && std::ranges::all_of(record.times_ns, [](const auto& of_algorithm) {
          return are_times(of_algorithm.second);
        });
    if (!is_good || (has_times && record.times_ns.empty())) return {};
    return record;
  } catch (const json::exception&) {
    return {};  // a value of another kind
  }
}

}  // namespace

void check_records(const std::string& path) {
  const char* const remedy =
      "name the file that atoll tune has written, or a new one, by --records";
  std::error_code failed;
  const std::filesystem::file_status found = std::filesystem::status(path, failed);
  if (found.type() == std::filesystem::file_type::not_found) return;
  if (failed) throw error(path, text("it cannot be read (", failed.message(), ")"), remedy);
  if (!std::filesystem::is_regular_file(found))
    throw error(path, "records cannot be kept in what is no file", remedy);
  errno = 0;
  std::ifstream file(path);
  if (!file) throw error(path, text("it cannot be read (", errno_text(errno), ")"), remedy);
  std::string begin(record_begin.size(), '\0');
  file.read(begin.data(), static_cast<std::streamsize>(begin.size()));
  begin.resize(static_cast<std::size_t>(file.gcount()));
  if (!record_begin.starts_with(begin))
    throw error(path, "it has no records of atoll tune", remedy);
}

std::vector<tune_record> read_records(const std::string& path, std::size_t* left_out) {
  std::vector<tune_record> records;
  std::size_t others = 0;
  std::ifstream file(path);
  for (std::string line; std::getline(file, line);) {
    if (line.empty()) continue;
    if (std::optional<tune_record> record = record_from(line)) {
      records.push_back(std::move(*record));
    } else {
      ++others;
    }
  }
  if (left_out != nullptr) *left_out = others;
  return records;
}

std::string lines_left_out_text(const std::string& path, std::size_t lines) {
  return text(
      path, " has ", lines,
      lines == 1 ? " line that is no record, or has" : " lines that are no records, or have",
      " figures that cannot be; ", lines == 1 ? "it does" : "they do", " not count");
}

std::optional<tune_record> record_from(std::string_view line) { return parse(line, true); }

std::optional<tune_record> record_head_from(std::string_view line) { return parse(line, false); }

// Of a record without the speed of its network nothing is known.
bool is_of_job(const tune_record& record, const tune_record& job) {
  const bool is_as_fast = record.network_ns == job.network_ns ||
                          coll::is_same_network(double(record.network_ns), double(job.network_ns));
  return record.machine == job.machine && record.version == job.version &&
         record.settings == job.settings && record.ranks == job.ranks &&
         record.hosts == job.hosts && record.oversubscribed == job.oversubscribed &&
         record.network == job.network && is_as_fast;
}

std::string key_of(const tune_record& record) {
  return text(record.collective, " ", record.ranks, " ", record.hosts, " ", record.pass, " ",
              record.bytes, " ", record.blocking, " ", record.work, " ", record.element_bytes, " ",
              record.commutative, " ", record.strict);
}

}  // namespace atl::tools
