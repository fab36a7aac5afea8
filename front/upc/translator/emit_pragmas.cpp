// SPDX-License-Identifier: BSD-3-Clause
//
// Pragmas before loops. They are copied where they stand, and compilers want a loop behind them. A
// hint, such as GCC ivdep, is also given to the loop that the transformed code spends its time in.
// A pragma of OpenMP or OpenACC describes the loop itself, whose head must stay as it is.
#include <front/upc/translator/emitter.hpp>

#include <algorithm>
#include <cctype>
#include <sstream>

namespace atl::upc {
namespace {

std::string without_blanks(const std::string& line) {
  const auto is_blank = [](unsigned char letter) { return std::isspace(letter) != 0; };
  const auto begin = std::find_if_not(line.begin(), line.end(), is_blank);
  const auto end = std::find_if_not(line.rbegin(), std::make_reverse_iterator(begin), is_blank);
  return {begin, end.base()};
}

// "GCC ivdep" of "# pragma GCC ivdep"; empty if the line is none.
std::string pragma_of(const std::string& line) {
  if (line.empty() || line[0] != '#') return "";
  const std::string directive = without_blanks(line.substr(1));
  return directive.compare(0, 6, "pragma") == 0 ? without_blanks(directive.substr(6)) : "";
}

bool is_marker(const std::string& line) {
  return line.size() > 2 && line[0] == '#' &&
         std::isdigit(static_cast<unsigned char>(line[2])) != 0;
}

bool is_hint(const std::string& pragma) {
  std::istringstream words(pragma);
  std::string word, next;
  words >> word >> next;
  next = next.substr(0, next.find('('));
  if (word == "GCC") return next == "ivdep" || next == "unroll" || next == "novector";
  if (word == "clang") return next == "loop";
  word = word.substr(0, word.find('('));
  for (const char* name : {"ivdep", "unroll", "nounroll", "simd", "vector", "novector"})
    if (word == name) return true;
  return false;
}

bool is_directive(const std::string& pragma) {
  return pragma.compare(0, 4, "omp ") == 0 || pragma.compare(0, 4, "acc ") == 0;
}

}  // namespace

// The lines above the statement, down from the last that is neither empty nor a pragma.
loop_pragmas emitter::pragmas_before(const clang::Stmt* loop) const {
  const std::string& text = program_.source.text;
  loop_pragmas found;
  std::size_t begin = begin_of(loop);
  for (bool is_first = true;; is_first = false) {
    const std::size_t end = is_first ? begin : begin - 1;
    const std::size_t newline = end == 0 ? std::string::npos : text.rfind('\n', end - 1);
    begin = newline == std::string::npos ? 0 : newline + 1;
    const std::string line = without_blanks(text.substr(begin, end - begin));
    const std::string pragma = is_first ? "" : pragma_of(line);
    if (!line.empty() && pragma.empty() && (is_first || !is_marker(line))) break;
    if (is_hint(pragma)) found.hints = "_Pragma(\"" + pragma + "\") " + found.hints;
    if (program_.wanted.has_openmp && is_directive(pragma)) {
      found.describes_loop = true;
      found.describes_nest = pragma.find("collapse") != std::string::npos;
    }
    found.exist = found.exist || !pragma.empty();
    if (begin == 0) break;
  }
  return found;
}

}  // namespace atl::upc
