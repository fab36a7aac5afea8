// SPDX-License-Identifier: BSD-3-Clause
//
// The command line of atoll-upc, read. Options that the preprocessor and the parser of C understand
// (-I, -D, -U, -std=, -include, -isystem, -m...) are handed to Clang as they are.
#pragma once

#include <front/upc/translator/warnings.hpp>

#include <set>
#include <string>
#include <vector>

namespace atl::upc {

struct translator_options {
  std::string input;                   // the file to translate
  std::string output;                  // the file of C to write; empty or "-" is standard output
  std::vector<std::string> for_clang;  // -I, -D, -U, -std= and what else the parser must know
  unsigned static_threads = 0;         // -T N; 0 leaves THREADS to the start of the program
  bool with_checks = false;            // -check: emitted code checks subscripts, accesses, casts
  bool has_openmp = false;             // -fopenmp: its directives mean something
  bool has_openmp_simd = false;        // -fopenmp-simd: those of one thread do
  bool has_openacc = false;            // -fopenacc
  bool has_strict_aliasing = true;     // -fno-strict-aliasing: any pointer may lead to any object
  bool with_lines = true;              // -lines, -nolines: #line in the output
  bool only_parse = false;             // -fsyntax-only: diagnose, write nothing
  bool only_preprocess = false;        // -E: write what the preprocessor made
  bool show_normalised = false;        // -normalised: write what Clang is given to parse
  warnings warned;                     // -Wupc-race, -Wno-upc-race, -Werror, -w
  std::set<std::string> without;       // -opt-disable=ownership,...: transformations left out

  [[nodiscard]] bool is_enabled(const std::string& transformation) const {
    return without.count(transformation) == 0 && !with_checks;
  }
};

// Reads the command line. Ends the program after --help and --version, and with a message and
// status 2 for what it cannot read.
translator_options read_options(int count, const char* const* arguments);

// The folder of the headers that belong to the compiler itself (stddef.h and others): the installed
// one beside this program, else the one of the Clang that the translator was built with.
std::string resource_folder();

// The folder of upc.h and the other headers of UPC: the installed one beside this program, else
// that of the tree.
std::string header_folder();

}  // namespace atl::upc
