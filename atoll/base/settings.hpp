// SPDX-License-Identifier: BSD-3-Clause
//
// Every setting that Atoll knows, in one table: name, kind, default, range, help. This is the only
// reader of the environment in the whole tree (the tidy test holds it), so `atoll info --settings`
// can print all of them with the value in force and where it came from, a bad value is refused
// with the name and the range, and an unknown ATOLL_* name is warned about with the nearest real
// one. A `settings` object is read once, at start, and is immutable and thread-safe afterwards;
// nothing on a data path looks at it.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace atl {

/// The settings by name; the order is that of the table in settings.cpp.
enum class setting : std::uint8_t {
  verbose,          // ATOLL_VERBOSE: 0 silent .. 3 chatty
  checks,           // ATOLL_CHECKS: auto, light, normal, heavy
  threads,          // ATOLL_THREADS: single, funnelled, any
  progress_thread,  // ATOLL_PROGRESS_THREAD: a thread that polls and sleeps when idle
  rma_path,         // ATOLL_RMA_PATH: direct, am (reference path over active messages)
  kernel_copy,      // ATOLL_KERNEL_COPY: auto, never, always
  barrier,          // ATOLL_BARRIER: auto, flags, counter, am
  neighbourhood,    // ATOLL_NEIGHBOURHOOD: ranks that share memory, 0 = all of a host
  network,          // ATOLL_NETWORK: how ranks of other neighbourhoods are reached
  module_path,      // ATOLL_MODULE_PATH: where modules (libatoll_*.so) are looked for first
  interface,        // ATOLL_INTERFACE: which leads to other hosts, as the launcher knows it
  ofi_provider,     // ATOLL_OFI_PROVIDER and so on: what the libfabric transport uses
  ofi_interface,
  ofi_transfers,
  ofi_atomics,
  ofi_window,
  ofi_inject,
  ofi_memory,
  ofi_cache_bytes,
  ofi_cache_entries,
  wait,             // ATOLL_WAIT: auto, spin, yield, sleep
  segment_limit,    // ATOLL_SEGMENT_LIMIT: bytes of heap per rank, 0 = from the machine's memory
  symmetric_limit,  // ATOLL_SYMMETRIC_LIMIT: the same of the symmetric heap
  memory_limit,     // ATOLL_MEMORY_LIMIT: bytes of heap per host, 0 = from the machine's memory
  ring_cells,       // ATOLL_RING_CELLS: cells of an AM ring, a power of two
  counters,         // ATOLL_COUNTERS: print the table of counters at exit
  coll_broadcast,   // ATOLL_COLL_BROADCAST and so on: the algorithm of a collective, in the order
  coll_reduce,      // of coll::collective
  coll_allreduce,
  coll_scatter,
  coll_gather,
  coll_allgather,
  coll_alltoall,
  coll_scan,
  coll_explain,  // ATOLL_COLL_EXPLAIN: tell which algorithm was chosen and why
  rank,          // ATOLL_RANK: set by the launcher
  size,          // ATOLL_SIZE: set by the launcher
  job,           // ATOLL_JOB: set by the launcher; how to reach it
  member,        // ATOLL_MEMBER: set by a rank for its children; which process joined
  count
};

/// The form of a value in the environment.
enum class setting_kind : std::uint8_t { flag, number, bytes, choice, text };

/// One row of the table.
struct setting_row {
  setting id;
  std::string_view name;  // the environment variable
  setting_kind kind;
  std::string_view default_value;  // in the syntax of the kind
  std::uint64_t min = 0;           // range, for number and bytes
  std::uint64_t max = ~std::uint64_t{0};
  std::string_view choices = {};  // "direct,am", for choice
  std::string_view help = {};     // one line
  bool power_of_two = false;      // for number: other values in the range are refused
};

/// Where a value in force came from.
enum class setting_source : std::uint8_t { built_in, environment };

/// The whole table, in the order of `setting`.
std::span<const setting_row> setting_table() noexcept;

/// The values a row accepts, in words ("a power of two from 64 to 65536").
std::string setting_values(const setting_row& row);

/// All settings of one process, read once. Values are parsed and checked by `read`. A variable set
/// to nothing counts as unset; of a name that stands twice the first counts, as with getenv. The
/// settings of the launcher (rank, size, job) have no default: their text is empty when unset.
class settings {
 public:
  /// Reads from "NAME=value" strings (an `environ`-like list ended by a null pointer). Throws
  /// `atl::error` for a value outside its range; unknown ATOLL_* names become warnings().
  static settings read(const char* const* environment);

  /// read(environ) of this process.
  static settings from_environment();

  /// The same with "NAME=value" strings for names that the environment does not set.
  static settings from_environment(std::span<const std::string> fallbacks);

  bool flag(setting id) const noexcept;              // kind flag
  std::uint64_t number(setting id) const noexcept;   // kind number or bytes
  unsigned choice(setting id) const noexcept;        // kind choice: index into the row's choices
  std::string_view text(setting id) const noexcept;  // any kind: the text in force
  setting_source source(setting id) const noexcept;

  /// One line per unknown ATOLL_* variable, naming the nearest real one, and one per ATOLL_*
  /// variable that stands twice with different values.
  const std::vector<std::string>& warnings() const noexcept { return warnings_; }

 private:
  struct value {
    std::string text;
    std::uint64_t number = 0;
    setting_source source = setting_source::built_in;
  };
  void assign(const setting_row& row, std::string_view text, setting_source source);
  void take(std::string_view name, std::string_view text);

  std::array<value, static_cast<std::size_t>(setting::count)> values_{};
  std::vector<std::string> warnings_;
};

/// Another program's environment variable (a foreign launcher's mark, TMPDIR); empty when unset.
std::string_view foreign_variable(const char* name) noexcept;

/// Another program's variables: the "NAME=value" strings whose names begin with `prefix`.
std::vector<std::string> foreign_variables(std::string_view prefix);

/// Those of them that this process was started with, by its user or launcher: what a program sets
/// in its own environment is its own business. All of them where the system does not tell.
std::vector<std::string> foreign_variables_given(std::string_view prefix);

/// Sets a variable of this process for what it starts from now on. Threads that read the
/// environment meanwhile see the old list or the new one; no thread may change it meanwhile.
void set_for_children(std::string_view name, std::string_view value);

}  // namespace atl
