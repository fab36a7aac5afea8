// SPDX-License-Identifier: BSD-3-Clause
//
// The command line of a benchmark, read by CLI11. That library is large, so command_line.cpp alone
// includes it, and a benchmark compiles in half the time. A name that begins with a dash is an
// option, any other one an argument by position.
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <vector>

// CLI11's own names.
// NOLINTBEGIN(readability-identifier-naming)
namespace CLI {
class App;
}
// NOLINTEND(readability-identifier-naming)

namespace bench {

struct options;

/// The values must outlive parse(), and keep what they hold where nothing is given for them.
class command_line {
 public:
  /// Has the options of every benchmark (options.hpp).
  command_line(const char* description, options& chosen);
  command_line(const command_line&) = delete;
  command_line& operator=(const command_line&) = delete;
  ~command_line();

  void add_text(const char* name, std::string& value, const char* help);
  void add_choice(const char* name, std::string& value, const char* help,
                  const std::vector<std::string>& choices);
  /// A number between `least` and `most`.
  void add_number(const char* name, unsigned& value, const char* help, unsigned least,
                  unsigned most);
  void add_number(const char* name, std::size_t& value, const char* help, std::size_t least,
                  std::size_t most);
  /// Numbers that commas separate, each between `least` and `most`.
  void add_numbers(const char* name, std::vector<std::size_t>& values, const char* help,
                   std::size_t least, std::size_t most);
  void add_flag(const char* name, bool& value, const char* help);

  /// Ends the program after --help, and with a message after an argument that is wrong.
  void parse(int argc, char** argv);

 private:
  std::unique_ptr<CLI::App> line_;
};

}  // namespace bench
