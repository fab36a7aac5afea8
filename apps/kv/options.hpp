// SPDX-License-Identifier: BSD-3-Clause
//
// The command line, and whether there is memory for what it asks. Refusals that a user can cause
// are made here, before anything is allocated.
#pragma once

#include <apps/kv/keys.hpp>

#include <cstddef>
#include <cstdint>
#include <string>

namespace kv {

enum class way : std::uint8_t { every, one_by_one, batches, one_sided };

struct options {
  key_number keys = 500'000;  // of all ranks together
  std::size_t value_bytes = 8;
  way mode = way::every;
  std::size_t window = 64;
  std::size_t batch = 256;
  std::uint64_t seed = 1;
  unsigned rounds = 1;    // of each way
  std::string json_path;  // write the times there
  std::string text_path;  // count its words instead
  unsigned top = 10;      // words to show
  bool quiet = false;

  bool runs(way candidate) const { return mode == way::every || mode == candidate; }
};

/// Parses the command line. Returns false and sets `exit_code` where the program must end at once
/// (--help, a mistake); then prints help or the mistake if `speak` is true.
bool parse(int argc, char** argv, bool speak, options& into, int& exit_code);

/// About how much memory all ranks of one host need together at the worst moment.
std::uint64_t memory_needed(const options& chosen);

/// Throws `atl::error` when `available` bytes do not suffice.
void check_memory(const options& chosen, std::uint64_t available);

}  // namespace kv
