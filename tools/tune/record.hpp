// SPDX-License-Identifier: BSD-3-Clause
//
// A record of `atoll tune`: all that a job has measured at one point in one pass, a line of JSON.
// The command reads records to make rules of them and to count what is left; a job reads them to
// measure no point twice. Both compile this file, so both have the same answer to whether a record
// is of such a job and point. Lines that are no records, or whose figures cannot be, are left out.
#pragma once

#include <atoll/coll/tuned/machine.hpp>

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace atl::tools {

struct tune_record {
  std::string machine;
  std::string version = coll::algorithms_version();  // empty in older records
  std::vector<std::string> settings = {};            // of the job, as settings_that_change_times()
  std::string collective;
  std::uint64_t ranks = 0;
  std::uint64_t hosts = 0;
  std::string network;           // between the hosts; empty on one host and in older records
  std::uint64_t network_ns = 0;  // that a message takes there; 0: unknown
  bool oversubscribed = false;
  bool blocking = true;
  double work = 0;  // that was computed beside a call that does not block, in times of a call
  std::uint64_t element_bytes = 8;  // of a reduction
  bool commutative = true;          // its operation
  bool strict = false;              // members begin and end together
  std::uint64_t bytes = 0;
  std::uint64_t pass = 0;
  std::uint64_t rounds = 0;                             // of all algorithms; 0: unknown
  std::string built_in;                                 // "tree:4"
  std::map<std::string, std::vector<double>> times_ns;  // by algorithm, of each round

  /// The parameters with which an algorithm ("tree:4") may differ there: "piece", "depth", "eager",
  /// "leaders". Older records do not state them.
  std::optional<std::map<std::string, std::vector<std::string>>> effective;
};

/// Throws `atl::error` for what is no file of records: a device, a folder, a file that cannot be
/// read, or one that begins with something else. A file that does not exist may become one.
void check_records(const std::string& path);

/// The records of a file, and the number of its other lines, as a last one that was cut off.
std::vector<tune_record> read_records(const std::string& path, std::size_t* left_out = nullptr);

/// A sentence about those lines.
std::string lines_left_out_text(const std::string& path, std::size_t lines);

/// A record from its line; none where it is no record.
std::optional<tune_record> record_from(std::string_view line);

/// The same without what was measured: job, point and pass.
std::optional<tune_record> record_head_from(std::string_view line);

/// Whether a record is of a job as that of another: on this machine, with these algorithms,
/// settings, ranks and hosts, with cores shared or not, and over a network of the same kind.
bool is_of_job(const tune_record& record, const tune_record& job);

/// The point and the pass of a record. Records of one kind of job with the same key are of one
/// measurement, which need not be made again.
std::string key_of(const tune_record& record);

}  // namespace atl::tools
