// SPDX-License-Identifier: BSD-3-Clause
//
// The command line, and whether there is memory for what it asks. Refusals that a user can cause
// are made here, before anything is allocated.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

namespace gups {

inline constexpr std::size_t lookahead_max = 1024;  // what the rules allow

struct options {
  unsigned log2_size = 22;    // of the table, in words, over all ranks
  std::uint64_t updates = 0;  // of all ranks together; 0: four times the table
  std::size_t lookahead = lookahead_max;
  std::string variant = "all";
  unsigned rounds = 3;
  bool quiet = false;
  std::string json_path;

  std::uint64_t words() const { return std::uint64_t{1} << log2_size; }
  std::uint64_t update_count() const { return updates != 0 ? updates : 4 * words(); }
  bool runs(const std::string& name) const { return variant == "all" || variant == name; }
};

/// Parses the command line. Returns false and sets `exit_code` where the program must end at once
/// (--help, a mistake); then prints help or the mistake if `speak` is true.
bool parse(int argc, char** argv, bool speak, options& into, int& exit_code);

/// Throws `atl::error` when `available` bytes of all ranks do not suffice for the table.
void check_memory(const options& chosen, std::uint64_t available);

}  // namespace gups
