// SPDX-License-Identifier: BSD-3-Clause
//
// The command line of stencil2d and of its MPI twins, and what follows from it and the number of
// ranks. All refusals that need no memory and no file are made here.
#pragma once

#include <apps/stencil2d/comparison.hpp>

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace stencil2d {

enum class series : std::uint8_t { single, strong, weak };

struct options {
  extent size = {256, 256};  // of a rank's block
  extent global = {};        // of the domain instead; 0: from the size
  extent topology = {};      // ranks in each dimension; 0: chosen
  int radius = 1;
  unsigned steps = 0;  // 0: chosen by the size
  unsigned rounds = 9;
  std::vector<std::string> variants;  // none: all
  series growing = series::single;
  bool quiet = false;
  std::string json_path;
  std::string picture_folder;   // empty: no pictures
  unsigned every = 0;           // steps between frames; 0: chosen
  std::string memory = "host";  // of the variant `device`; host: that variant does not run
};

/// The properties in which programs with these options differ.
struct program_traits {
  std::string name;
  std::vector<std::string> variants;
  bool draws = false;  // has --png, --every and --memory
};

/// Parses the command line. Where the program must end at once (--help, a mistake), returns its
/// exit code; then prints help or the mistake if `speak` is true.
std::optional<int> parse(int argc, char** argv, const program_traits& program, bool speak,
                         options& into);

/// The setting of this rank in a run of the first `ranks` of all `total` ranks. Throws `atl::error`
/// when the topology or the radius does not fit.
setting setting_for(const options& chosen, unsigned rank, unsigned ranks, unsigned total);

/// The numbers of ranks to run on: all, or 1, 2, 4, ... and all.
std::vector<unsigned> counts_for(const options& chosen, unsigned total);

}  // namespace stencil2d
