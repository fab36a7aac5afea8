// SPDX-License-Identifier: BSD-3-Clause
//
// Printing complaints. Columns are those of the user's line: what the normaliser inserted before
// the place is taken off. Where the preprocessor has changed the line (a macro was expanded) the
// column means nothing and is left out.
#include <front/upc/translator/diagnostics.hpp>

#include <cctype>
#include <cstdio>
#include <fstream>

namespace atl::upc {
namespace {

std::string line_of_file(const char* file, unsigned number) {
  std::ifstream stream(file);
  std::string line;
  for (unsigned i = 0; i < number; ++i) {
    if (!std::getline(stream, line)) return "";
  }
  return line;
}

// The line around a place of the normalised text with the user's words, and the column of the place
// in it.
std::pair<std::string, std::size_t> line_as_written(const normalised& text, std::size_t place) {
  std::size_t begin = place == 0 ? 0 : text.text.rfind('\n', place - 1);
  begin = begin == std::string::npos || place == 0 ? 0 : begin + 1;
  std::size_t end = text.text.find('\n', place);
  if (end == std::string::npos) end = text.text.size();
  std::string line;
  std::size_t copied = begin, column = 0;
  for (const edit* each : text.edits_in(begin, end)) {
    if (place >= copied && place < each->begin) column = line.size() + place - copied + 1;
    line.append(text.text, copied, each->begin - copied);
    if (place >= each->begin && place < each->end) column = line.size() + 1;
    line += each->user;
    copied = each->end;
  }
  if (column == 0 && place >= copied) column = line.size() + place - copied + 1;
  if (end > copied) line.append(text.text, copied, end - copied);
  return {line, column};
}

std::string kind_name(clang::DiagnosticsEngine::Level level) {
  switch (level) {
    case clang::DiagnosticsEngine::Note:
      return "note";
    case clang::DiagnosticsEngine::Remark:
      return "remark";
    case clang::DiagnosticsEngine::Warning:
      return "warning";
    case clang::DiagnosticsEngine::Fatal:
      return "fatal error";
    default:
      return "error";
  }
}

constexpr const char* tag_begin = "__attribute__((btf_type_tag(\"upc:";
constexpr const char* tag_end = "\")))";

// The words of the user that a type tag stands for: "[4]" for "4".
std::string tag_as_written(const std::string& block, const normalised* text) {
  if (block == "1" || block == "strict" || block == "relaxed") return "";
  if (block == "0") return "[]";
  if (block[0] != '#' || text == nullptr) return "[" + block + "]";
  return "[" + text->layouts[std::stoul(block.substr(1))] + "]";
}

// The tag that begins at `at`, replaced; the place after it.
std::size_t replace_tag(std::string& message, std::size_t position, const normalised* text) {
  const std::size_t value = position + std::string(tag_begin).size();
  const std::size_t end = message.find(tag_end, value);
  if (end == std::string::npos) return message.size();
  const std::string written = tag_as_written(message.substr(value, end - value), text);
  std::size_t first = position;
  if (written.empty() && first > 0 && message[first - 1] == ' ') --first;
  message.replace(first, end + std::string(tag_end).size() - first, written);
  return first + written.size();
}

// Bounds of arrays that are a multiple of THREADS, as such.
std::string bounds_as_written(const std::string& message) {
  std::string result;
  for (std::size_t i = 0; i < message.size();) {
    std::size_t end = i;
    while (end < message.size() && std::isdigit(static_cast<unsigned char>(message[end])) != 0)
      ++end;
    const bool is_number = end - i >= 7 && end - i < 19;
    const unsigned long long number = is_number ? std::stoull(message.substr(i, end - i)) : 1;
    if (number % threads_stand_in == 0) {
      const unsigned long long factor = number / threads_stand_in;
      result += factor == 1 ? "THREADS" : std::to_string(factor) + "*THREADS";
      i = end;
    } else {
      result.append(message, i, end > i ? end - i : 1);
      i = end > i ? end : i + 1;
    }
  }
  return result;
}

std::string replace_all(std::string text, const std::string& from, const std::string& to) {
  for (std::size_t position = 0; (position = text.find(from, position)) != std::string::npos;
       position += to.size()) {
    text.replace(position, from.size(), to);
  }
  return text;
}

}  // namespace

void diagnostics::HandleDiagnostic(clang::DiagnosticsEngine::Level level,
                                   const clang::Diagnostic& diagnostic) {
  clang::DiagnosticConsumer::HandleDiagnostic(level, diagnostic);
  llvm::SmallString<256> message;
  diagnostic.FormatDiagnostic(message);
  print(diagnostic.hasSourceManager() ? &diagnostic.getSourceManager() : nullptr,
        diagnostic.getLocation(), kind_name(level), in_words_of_user(message.str().str()));
}

void diagnostics::complain(const clang::SourceManager& sources, clang::SourceLocation place,
                           const std::string& kind, const std::string& message) {
  if (kind != "warning" && kind != "note") ++own_errors_;
  print(&sources, place, kind, message);
}

void diagnostics::print(const clang::SourceManager* sources, clang::SourceLocation place,
                        const std::string& kind, const std::string& message) {
  if (sources == nullptr || place.isInvalid()) {
    std::fprintf(stderr, "atoll-upc: %s: %s\n", kind.c_str(), message.c_str());
    return;
  }
  const clang::PresumedLoc presumed = sources->getPresumedLoc(sources->getExpansionLoc(place));
  const std::string source_line = line_of_file(presumed.getFilename(), presumed.getLine());
  std::size_t column = presumed.getColumn();
  if (text_ != nullptr && sources->isWrittenInMainFile(place)) {
    const auto [line, found] = line_as_written(*text_, sources->getFileOffset(place));
    column = line == source_line ? found : 0;
  }
  std::fprintf(stderr, "%s:%u:", presumed.getFilename(), presumed.getLine());
  if (column > 0) std::fprintf(stderr, "%zu:", column);
  std::fprintf(stderr, " %s: %s\n", kind.c_str(), message.c_str());
  if (!source_line.empty()) std::fprintf(stderr, "    %s\n", source_line.c_str());
  if (!source_line.empty() && column > 0)
    std::fprintf(stderr, "    %*s\n", static_cast<int>(column), "^");
}

std::string diagnostics::in_words_of_user(std::string message) const {
  for (std::size_t position = 0;
       (position = message.find(tag_begin, position)) != std::string::npos;) {
    position = replace_tag(message, position, text_);
  }
  message = bounds_as_written(replace_all(message, "__attribute__((address_space(1)))", "shared"));
  message = replace_all(message, "automatic variable qualified with an address space",
                        "a variable with automatic storage cannot be shared; declare it static or "
                        "outside of functions");
  message =
      replace_all(message, "field may not be qualified with an address space",
                  "a member of a structure cannot be shared; declare the whole structure shared");
  message = replace_all(message, "parameter may not be qualified with an address space",
                        "a parameter cannot be shared; pass a pointer-to-shared");
  return replace_all(message, "__upc_mythread", "MYTHREAD");
}

}  // namespace atl::upc
