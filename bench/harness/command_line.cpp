// SPDX-License-Identifier: BSD-3-Clause
//
// The command line of a benchmark: each kind of option as CLI11 has it.
#include <bench/harness/command_line.hpp>
#include <bench/harness/options.hpp>

#include <CLI/CLI.hpp>

#include <cstdlib>

namespace bench {

command_line::command_line(const char* description, options& chosen)
    : line_(std::make_unique<CLI::App>(description)) {
  line_->add_option("--json", chosen.json_file, "Write the figures to this file")
      ->type_name("FILE");
  line_
      ->add_option("--only", chosen.only,
                   "Only the cases whose names contain this, or one of several parts, a,b")
      ->type_name("TEXT");
  line_->add_option("--rounds", chosen.rounds, "Rounds to measure (default 30)")
      ->type_name("N")
      ->check(CLI::Range(1u, 100'000u));
  line_
      ->add_option("--seconds", chosen.seconds,
                   "End the rounds after so long (not before the third)")
      ->type_name("S")
      ->check(CLI::Range(0.0, 1e6));
  line_->add_flag("--quick", chosen.quick, "A smoke test: few operations, meaningless figures");
  line_->add_flag("!--no-pin", chosen.pinned, "Leave the ranks to the scheduler");
}

command_line::~command_line() = default;

void command_line::add_text(const char* name, std::string& value, const char* help) {
  line_->add_option(name, value, help);
}

void command_line::add_choice(const char* name, std::string& value, const char* help,
                              const std::vector<std::string>& choices) {
  line_->add_option(name, value, help)->check(CLI::IsMember(choices));
}

void command_line::add_number(const char* name, unsigned& value, const char* help, unsigned least,
                              unsigned most) {
  line_->add_option(name, value, help)->check(CLI::Range(least, most));
}

void command_line::add_number(const char* name, std::size_t& value, const char* help,
                              std::size_t least, std::size_t most) {
  line_->add_option(name, value, help)->check(CLI::Range(least, most));
}

void command_line::add_numbers(const char* name, std::vector<std::size_t>& values, const char* help,
                               std::size_t least, std::size_t most) {
  line_->add_option(name, values, help)->delimiter(',')->check(CLI::Range(least, most));
}

void command_line::add_flag(const char* name, bool& value, const char* help) {
  line_->add_flag(name, value, help);
}

void command_line::parse(int argc, char** argv) {
  try {
    line_->parse(argc, argv);
  } catch (const CLI::ParseError& refused) {
    std::exit(line_->exit(refused));
  }
}

}  // namespace bench
