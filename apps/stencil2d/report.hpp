// SPDX-License-Identifier: BSD-3-Clause
//
// The report on rank 0: the problem, a row for each variant, and the checks; and the same as JSON
// for programs.
#pragma once

#include <apps/stencil2d/comparison.hpp>
#include <apps/stencil2d/options.hpp>

#include <string_view>
#include <vector>

namespace stencil2d {

class report {
 public:
  /// Prints nothing unless `speak`; errors are printed in any case, on standard error.
  report(const options& chosen, const program_traits& program, bool speak)
      : chosen_(chosen), program_(program), speak_(speak) {}

  void heading(const setting& given, unsigned ranks) const;
  void table(const outcome& result) const;
  /// Prints the growth of a series, after the tables of all numbers of ranks.
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
