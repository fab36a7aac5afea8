// SPDX-License-Identifier: BSD-3-Clause
//
// The output for a person, on rank 0: the problem, a row for each variant, and the checks. And the
// same as JSON for programs.
#pragma once

#include <apps/stencil2d/comparison.hpp>
#include <apps/stencil2d/options.hpp>

#include <string_view>
#include <vector>

namespace stencil2d {

class report {
 public:
  /// Says nothing when not `speak`; errors are told in any case, on the standard error.
  report(const options& chosen, const program_traits& program, bool speak)
      : chosen_(chosen), program_(program), speak_(speak) {}

  void heading(const setting& given, unsigned ranks) const;
  void table(const outcome& result) const;
  /// Of a series, after the tables of all numbers of ranks.
  void growth(const std::vector<outcome>& outcomes) const;
  void verdict(const std::vector<outcome>& outcomes) const;

 private:
  const options& chosen_;
  const program_traits& program_;
  bool speak_;
};

/// Writes all outcomes to chosen.json_path, the last (of all ranks) in full at the top. Throws
/// `atl::error` when the file cannot be written.
void write_json(const options& chosen, std::string_view implementation,
                const std::vector<outcome>& outcomes);

}  // namespace stencil2d
