// SPDX-License-Identifier: BSD-3-Clause
//
// The run of a program, from its plan to its exit code, the same for all libraries by which its
// ranks can reach each other.
#pragma once

#include <apps/trial/memory.hpp>

namespace trial {

/// The parts of a run that depend on the library by which ranks reach each other.
struct platform {
  std::string_view implementation;  // in the JSON file: "atoll", "openmpi"
  /// The memory that this rank may take. Empty: nothing is checked.
  std::function<memory_share()> memory;
  /// Makes the variants of these names; collective.
  std::function<variant_list(const std::vector<std::string>&)> make;
  final_work afterwards;  // may be empty
};

constexpr int wrong_answer = 1;
constexpr int refused = 2;

/// Plans, runs the rounds and reports. Returns the exit code: 0 when all is right, `wrong_answer`
/// when a variant is not, `refused` when something cannot be done, which rank 0 has then said on
/// standard error.
int run_program(group& ranks, program& program, const options& chosen, const platform& used);

}  // namespace trial
