// SPDX-License-Identifier: BSD-3-Clause
//
// Printing complaints. Columns are those of the user's line: text that the normaliser inserted
// before the place is subtracted. Where the preprocessor has changed the line (a macro was
// expanded) the column has no meaning and is left out.
#include <front/upc/translator/diagnostics.hpp>

#include <front/upc/translator/checks.hpp>

#include <algorithm>
#include <cstdio>
#include <fstream>
#include <regex>

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

// The place in the normalised text; empty if it lies elsewhere, or before the program.
std::optional<std::size_t> place_in_text(const clang::SourceManager& sources,
                                         clang::SourceLocation place) {
  if (place.isInvalid()) return std::nullopt;
  const auto [file, offset] = sources.getDecomposedExpansionLoc(place);
  if (file != sources.getMainFileID() || offset < prelude_size()) return std::nullopt;
  return offset - prelude_size();
}

}  // namespace

void diagnostics::HandleDiagnostic(clang::DiagnosticsEngine::Level level,
                                   const clang::Diagnostic& diagnostic) {
  clang::DiagnosticConsumer::HandleDiagnostic(level, diagnostic);
  llvm::SmallString<256> message;
  diagnostic.FormatDiagnostic(message);
  if (!diagnostic.hasSourceManager() || text_ == nullptr) {
    print(diagnostic.hasSourceManager() ? &diagnostic.getSourceManager() : nullptr,
          diagnostic.getLocation(), kind_name(level), message.str().str());
    return;
  }
  const clang::SourceManager& sources = diagnostic.getSourceManager();
  const bool is_note = level == clang::DiagnosticsEngine::Note;
  if (is_note && diagnostic.getLocation().isValid() &&
      !place_in_text(sources, diagnostic.getLocation())) {
    return;  // it points to a declaration of the normaliser
  }
  std::string words = message.str().str();
  // Clang parses upc_blocksizeof and its relatives as sizeof.
  if (const std::string name = size_operator_at(sources, diagnostic.getLocation()); !name.empty())
    words = std::regex_replace(words, std::regex("'sizeof'"), "'" + name + "'");
  std::string keyword = written_at(sources, diagnostic.getLocation());
  for (const clang::CharSourceRange& each : diagnostic.getRanges()) {
    if (keyword.empty()) keyword = written_at(sources, each.getBegin());
  }
  if (keyword.empty()) keyword = keyword_before(sources, diagnostic.getLocation());
  print(&sources, diagnostic.getLocation(), kind_name(level), message_in_words(words, keyword));
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
  if (const auto offset = place_in_text(*sources, place); offset && text_ != nullptr) {
    const auto [line, found] = line_as_written(*text_, *offset);
    column = line == source_line ? found : 0;
  }
  std::fprintf(stderr, "%s:%u:", presumed.getFilename(), presumed.getLine());
  if (column > 0) std::fprintf(stderr, "%zu:", column);
  std::fprintf(stderr, " %s: %s\n", kind.c_str(), message.c_str());
  if (!source_line.empty()) std::fprintf(stderr, "    %s\n", source_line.c_str());
  if (!source_line.empty() && column > 0)
    std::fprintf(stderr, "    %*s\n", static_cast<int>(column), "^");
}

// The last edit that begins at this offset of the text or before; null if there is none.
const edit* diagnostics::last_edit_until(std::size_t offset) const {
  const auto following =
      std::upper_bound(text_->edits.begin(), text_->edits.end(), offset,
                       [](std::size_t value, const edit& each) { return value < each.begin; });
  return following == text_->edits.begin() ? nullptr : &*std::prev(following);
}

std::string diagnostics::written_at(const clang::SourceManager& sources,
                                    clang::SourceLocation place) const {
  const std::optional<std::size_t> offset = place_in_text(sources, place);
  if (text_ == nullptr || !offset) return "";
  const edit* const nearest = last_edit_until(*offset);
  return nearest != nullptr && *offset < nearest->end ? nearest->user : "";
}

// The operator of the sizeof family at this place, or the one whose operand begins here.
std::string diagnostics::size_operator_at(const clang::SourceManager& sources,
                                          clang::SourceLocation place) const {
  const std::optional<std::size_t> offset = place_in_text(sources, place);
  if (text_ == nullptr || !offset) return "";
  const edit* const nearest = last_edit_until(*offset);
  if (nearest == nullptr || !llvm::StringRef(nearest->user).ends_with("sizeof")) return "";
  const bool is_operand = text_->text.find_first_not_of("( \t\n", nearest->end) >= *offset;
  return is_operand ? nearest->user : "";
}

// The last word of UPC before a place in the same statement.
std::string diagnostics::keyword_before(const clang::SourceManager& sources,
                                        clang::SourceLocation place) const {
  const std::optional<std::size_t> offset = place_in_text(sources, place);
  if (text_ == nullptr || !offset) return "";
  std::size_t begin = *offset == 0 ? 0 : text_->text.find_last_of(";{}", *offset - 1);
  if (begin == std::string::npos) begin = 0;
  const std::vector<const edit*> found = text_->edits_in(begin, *offset);
  for (auto each = found.rbegin(); each != found.rend(); ++each) {
    if ((*each)->user.rfind("upc_", 0) == 0) return (*each)->user;
  }
  return "";
}

}  // namespace atl::upc
