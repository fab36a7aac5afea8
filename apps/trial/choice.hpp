// SPDX-License-Identifier: BSD-3-Clause
//
// An option whose value is one of a few words. CLI11's own transformer takes the numbers behind the
// words too, and its refusal prints them; this one knows the words alone, and its refusal lists
// them.
#pragma once

#include <CLI/CLI.hpp>

#include <string>
#include <utility>
#include <vector>

namespace trial {

/// Adds the option `name` ("--planning", or "-b,--boundary"). Its words stand in the order in which
/// a refusal lists them; `into` keeps its value when the option is not given.
template <class Value>
CLI::Option* add_choice(CLI::App& app, const std::string& name, Value& into,
                        std::vector<std::pair<std::string, Value>> words, const std::string& help) {
  const auto read = [&into, words = std::move(words),
                     option = name.substr(name.find("--"))](const std::string& text) {
    std::string all;
    for (const auto& [word, value] : words) {
      if (word == text) {
        into = value;
        return;
      }
      all += (all.empty() ? "" : ", ") + word;
    }
    throw CLI::ValidationError(option, "'" + text + "' is none of " + all);
  };
  return app.add_option_function<std::string>(name, read, help)->option_text("WORD");
}

}  // namespace trial
