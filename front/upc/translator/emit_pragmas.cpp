// SPDX-License-Identifier: BSD-3-Clause
//
// Pragmas before loops. They are copied in place, and compilers want a loop behind them. A hint,
// such as GCC ivdep, is also given to the loop in which the transformed code spends its time. A
// directive of OpenMP or OpenACC describes the loop itself, whose head must stay as it is; but a
// directive without a statement, such as a barrier, does not concern the loop that follows.
#include <front/upc/translator/emitter.hpp>

#include <algorithm>
#include <cctype>
#include <initializer_list>
#include <sstream>

namespace atl::upc {
namespace {

std::string without_blanks(const std::string& line) {
  const auto is_blank = [](unsigned char letter) { return std::isspace(letter) != 0; };
  const auto begin = std::find_if_not(line.begin(), line.end(), is_blank);
  const auto end = std::find_if_not(line.rbegin(), std::make_reverse_iterator(begin), is_blank);
  return {begin, end.base()};
}

// "GCC ivdep" of "# pragma GCC ivdep"; empty if the line is no pragma.
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

// The names in a directive behind "omp" or "acc", without the text in parentheses; "collapse(" is a
// name with parentheses after it.
std::vector<std::string> names_in(const std::string& directive) {
  std::vector<std::string> names;
  int depth = 0;
  bool is_inside = false;  // a name
  for (const char letter : directive.substr(3)) {
    const bool is_part = std::isalnum(static_cast<unsigned char>(letter)) != 0 || letter == '_';
    if (depth == 0 && is_part && !is_inside) names.emplace_back();
    if (depth == 0 && (is_part || (letter == '(' && !names.empty()))) names.back() += letter;
    depth += letter == '(' ? 1 : letter == ')' ? -1 : 0;
    is_inside = is_part;
  }
  return names;
}

using name_list = std::initializer_list<const char*>;

bool has_one_of(const std::vector<std::string>& names, name_list accepted) {
  return std::any_of(names.begin(), names.end(), [&](const std::string& name) {
    return std::find(accepted.begin(), accepted.end(), name) != accepted.end();
  });
}

// Whether no statement belongs to the directive.
bool stands_for_itself(const std::vector<std::string>& names) {
  static constexpr name_list first = {
      "barrier", "flush",    "flush(",  "taskwait", "taskyield",     "cancel", "cancellation",
      "scan",    "depobj(",  "interop", "error",    "nothing",       "wait",   "wait(",
      "update",  "cache(",   "set",     "init",     "shutdown",      "enter",  "exit",
      "declare", "routine(", "routine", "requires", "threadprivate("};
  if (names.empty()) return false;
  if (has_one_of({names[0]}, first)) return true;
  if (names[0] == "target" && names.size() > 1)
    return has_one_of({names[1]}, {"enter", "exit", "update"});
  return names[0] == "ordered" && has_one_of(names, {"depend(", "doacross("});
}

}  // namespace

// Whether the C compiler reads the pragma as a directive of OpenMP or OpenACC. With -fopenmp-simd
// it reads few of them.
bool emitter::is_directive(const std::string& pragma) const {
  const translator_options& options = program_.options;
  if (pragma.compare(0, 4, "acc ") == 0) return options.has_openacc;
  if (pragma.compare(0, 4, "omp ") != 0) return false;
  return options.has_openmp || (options.has_openmp_simd &&
                                has_one_of(names_in(pragma), {"simd", "loop", "ordered", "scan",
                                                              "tile", "unroll", "interchange"}));
}

// The pragmas among the lines above the statement, up to the first line of another kind.
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
    if (is_directive(pragma)) {
      const std::vector<std::string> names = names_in(pragma);
      if (stands_for_itself(names)) break;
      found.describes_loop = true;
      found.divides_loop |= has_one_of(names, {"for", "loop", "simd", "distribute", "taskloop",
                                               "tile", "unroll", "interchange"});
      found.describes_nest |=
          has_one_of(names, {"collapse(", "ordered(", "tile(", "sizes(", "interchange"});
    }
    found.exist = found.exist || !pragma.empty();
    if (begin == 0) break;
  }
  return found;
}

}  // namespace atl::upc
