// SPDX-License-Identifier: BSD-3-Clause
//
// The command line, and what follows from it and the number of ranks: how states and memory are
// divided. All refusals that a user can cause are made here, before anything is allocated.
#pragma once

#include <apps/spin/chain.hpp>
#include <apps/spin/exchange.hpp>
#include <apps/spin/local_operator.hpp>
#include <atoll/base/rank.hpp>

#include <cstdint>
#include <string>
#include <vector>

namespace spin {

inline constexpr unsigned sites_min = 4;
inline constexpr unsigned sites_max = 26;

struct options {
  chain model;
  unsigned iterations = 500;
  double tolerance = 1e-8;  // of the relative residual; the energy is right to its square
  std::uint64_t seed = 1;
  std::size_t buffers = 0;  // blocks per ring; 0: chosen
  std::string variant;      // of the exchange; empty: the first
  unsigned rounds = 1;      // how often each variant runs
  unsigned steps = 0;       // iterations whatever the residual; 0: until it has converged
  bool quiet = false;
  std::string json_path;
};

/// The properties in which programs with these options differ.
struct program {
  std::string name = "spin";
  std::vector<std::string> variants;
  bool speaks = true;  // prints help and refusals
};

/// Parses the command line. Where the program must end at once (--help, a mistake), sets
/// `exit_code` and returns false.
bool parse(int argc, char** argv, const program& traits, options& into, int& exit_code);

/// How the vector and the memory are divided; the same on every rank but for `states.first`.
struct division {
  local_states states;
  exchange_shape exchange;
  std::size_t bytes = 0;  // of each rank: its two vectors, and what its variant needs to exchange
};

/// Throws `atl::error` when the states cannot be divided over this number of ranks.
division divide(const options& chosen, atl::rank_id rank, atl::rank_id ranks);

}  // namespace spin
