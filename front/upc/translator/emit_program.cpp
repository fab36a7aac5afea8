// SPDX-License-Identifier: BSD-3-Clause
//
// The unit as a whole: declarations in their order, the text between them, the headers that are
// included again, and line numbers. All copying of the user's text goes through copy().
#include <front/upc/translator/emitter.hpp>

#include <algorithm>
#include <cctype>

namespace atl::upc {
namespace {

using clang::dyn_cast;

// The next line of `text` at `place` that is a line marker of the preprocessor, before `end`; npos
// if there is none.
std::size_t next_marker(const std::string& text, std::size_t place, std::size_t end) {
  for (std::size_t found = text.find("# ", place); found < end;
       found = text.find("# ", found + 1)) {
    const bool starts_line = found == 0 || text[found - 1] == '\n';
    if (starts_line && found + 2 < end &&
        std::isdigit(static_cast<unsigned char>(text[found + 2])) != 0)
      return found;
  }
  return std::string::npos;
}

bool is_word(char letter) {
  return std::isalnum(static_cast<unsigned char>(letter)) != 0 || letter == '_';
}

}  // namespace

// --- Places -------------------------------------------------------------------------------------

std::size_t emitter::begin_of(const clang::Stmt* node) const {
  return program_.place(node->getBeginLoc());
}
std::size_t emitter::begin_of(const clang::Decl* node) const {
  return program_.place(node->getBeginLoc());
}

std::size_t emitter::end_of_token(clang::SourceLocation place) const {
  const clang::SourceLocation end =
      clang::Lexer::getLocForEndOfToken(place, 0, program_.sources(), program_.tree.getLangOpts());
  return program_.place(end);
}

// A upc_forall becomes a block, so the semicolon that ends it belongs to it.
std::size_t emitter::end_of(const clang::Stmt* node) const {
  const std::size_t end = end_of_token(node->getEndLoc());
  return ends_in_forall(node) && needs_semicolon(node) ? after_semicolon(end) : end;
}

const clang::Stmt* emitter::last_part(const clang::Stmt* node) {
  if (const auto* loop = dyn_cast<clang::ForStmt>(node)) return loop->getBody();
  if (const auto* loop = dyn_cast<clang::WhileStmt>(node)) return loop->getBody();
  if (const auto* choice = dyn_cast<clang::SwitchStmt>(node)) return choice->getBody();
  if (const auto* choice = dyn_cast<clang::IfStmt>(node)) {
    return choice->getElse() != nullptr ? choice->getElse() : choice->getThen();
  }
  if (const auto* label = dyn_cast<clang::LabelStmt>(node)) return label->getSubStmt();
  if (const auto* label = dyn_cast<clang::SwitchCase>(node)) return label->getSubStmt();
  return nullptr;
}

bool emitter::is_forall(const clang::Stmt* node) const {
  const auto* loop = dyn_cast<clang::ForStmt>(node);
  return loop != nullptr && program_.source.foralls.count(program_.place(loop->getForLoc())) > 0;
}

bool emitter::ends_in_forall(const clang::Stmt* node) const {
  for (; node != nullptr; node = last_part(node)) {
    if (is_forall(node)) return true;
  }
  return false;
}

// Whether the user's text of a statement ends with a semicolon that Clang does not count.
bool emitter::needs_semicolon(const clang::Stmt* node) {
  while (const clang::Stmt* last = last_part(node)) node = last;
  return !llvm::isa<clang::CompoundStmt>(node) && !llvm::isa<clang::NullStmt>(node) &&
         !llvm::isa<clang::DeclStmt>(node);
}

clang::SourceLocation emitter::location(std::size_t place) const {
  const clang::SourceManager& sources = program_.sources();
  return sources.getLocForStartOfFile(sources.getMainFileID())
      .getLocWithOffset(static_cast<clang::SourceLocation::IntTy>(place + prelude_size()));
}

// Clang says that a declarator such as `(*shared f)(int)` ends at its name; this skips the brackets
// around the name.
std::size_t emitter::end_of_declarator(std::size_t place) const {
  std::size_t end = after_semicolon(place);
  while (end < program_.source.text.size() && program_.source.text[end] == ')')
    end = after_semicolon(end + 1);
  return end;
}

// The place after the next semicolon outside of brackets and strings.
std::size_t emitter::after_semicolon(std::size_t place) const {
  const std::string& text = program_.source.text;
  int depth = 0;
  for (std::size_t i = place; i < text.size(); ++i) {
    const char letter = text[i];
    if (letter == '"' || letter == '\'') {
      for (++i; i < text.size() && text[i] != letter; ++i) i += text[i] == '\\' ? 1 : 0;
    } else if (letter == '(' || letter == '[' || letter == '{') {
      ++depth;
    } else if (letter == ')' || letter == ']' || letter == '}') {
      if (--depth < 0) return i;
    } else if (letter == ';' && depth == 0) {
      return i + 1;
    }
  }
  return text.size();
}

void emitter::refuse(const clang::Stmt* node, const std::string& message) const {
  program_.error(node->getBeginLoc(), message);
}

// --- Copying ------------------------------------------------------------------------------------

// The user's text in [begin, end), with the emitted text where the normaliser wrote something.
std::string emitter::copy(std::size_t begin, std::size_t end) const {
  std::string result;
  std::size_t copied = begin;
  const auto plain = [&](std::size_t until) {
    const std::string& text = program_.source.text;
    for (std::size_t marker; (marker = next_marker(text, copied, until)) != std::string::npos;) {
      result.append(text, copied, marker - copied);
      const std::size_t line_end = std::min(text.find('\n', marker), until);
      const std::size_t quote = text.rfind('"', line_end);
      const bool is_of_file = text[text.find('"', marker) + 1] != '<';
      if (program_.options.with_lines && depth_ == 0 && is_of_file)
        result += "#line" + text.substr(marker + 1, quote - marker);
      copied = line_end;
    }
    if (until > copied) result.append(text, copied, until - copied);
  };
  for (const edit* each : program_.source.edits_in(begin, end)) {
    plain(each->begin);
    if (each->is_qualifier) {
      program_.error(location(each->begin), "the translator cannot translate '" + each->user +
                                                "' here (a defect of atoll-upc)");
    }
    result += each->emitted;
    copied = each->end;
  }
  plain(end);
  return result;
}

std::string emitter::copy(std::size_t begin, std::size_t end, pieces replaced) const {
  std::stable_sort(replaced.begin(), replaced.end(),
                   [](const replacement& a, const replacement& b) { return a.begin < b.begin; });
  std::string result;
  std::size_t copied = begin;
  for (const replacement& each : replaced) {
    // The declarators of a group share their specifiers, which are replaced once; and text that the
    // normaliser wrote is replaced as a whole.
    if (each.begin < copied || program_.source.edit_around(each.begin, each.end) != nullptr)
      continue;
    result += copy(copied, each.begin);
    // `return(0)` may become `return` and a name, which need a space between them.
    if (is_word(result.empty() ? ' ' : result.back()) &&
        is_word(each.text.empty() ? ' ' : each.text[0]))
      result += ' ';
    result += each.text;
    copied = each.end;
  }
  return result + (copied < end ? copy(copied, end) : "");
}

// The text as a string of C, with its quotes.
std::string emitter::string_of_c(const std::string& text) {
  std::string result = "\"";
  for (const char letter : text) {
    if (letter == '\\' || letter == '"') result += '\\';
    result += letter;
  }
  return result + "\"";
}

// --- Lines --------------------------------------------------------------------------------------

std::string emitter::line_directive(clang::SourceLocation place) const {
  if (!program_.options.with_lines) return "";
  const clang::PresumedLoc presumed = program_.sources().getPresumedLoc(place);
  return "#line " + std::to_string(presumed.getLine()) + " " + string_of_c(presumed.getFilename()) +
         "\n";
}

// The directive to put after a text that replaces [begin, end), so that lines are counted right
// from there on.
std::string emitter::line_after(std::size_t begin, std::size_t end, const std::string& text) const {
  if (!program_.options.with_lines || depth_ > 0) return "";
  const std::string& source = program_.source.text;
  const auto lines = std::count(source.begin() + static_cast<std::ptrdiff_t>(begin),
                                source.begin() + static_cast<std::ptrdiff_t>(end), '\n');
  if (lines == std::count(text.begin(), text.end(), '\n')) return "";
  const clang::PresumedLoc presumed = program_.sources().getPresumedLoc(location(end));
  return "\n#line " + std::to_string(presumed.getLine()) + "\n";
}

// --- The unit -----------------------------------------------------------------------------------

std::string emitter::prologue() const {
  std::string text = "/* Made by atoll-upc from " + program_.options.input + ". */\n";
  for (const std::string& each : preprocessed_.definitions) {
    text += "#undef " + each.substr(0, each.find_first_of(" (")) + "\n#define " + each + "\n";
  }
  if (program_.options.static_threads > 0) {
    text += "#define ATOLL_UPC_STATIC_THREADS " + std::to_string(program_.options.static_threads) +
            "\n";
  }
  return text + "#include <atoll_upc/emitted.h>\n";
}

// The text between declarations, with directives in place of the hidden headers that they include.
std::string emitter::gap(std::size_t begin, std::size_t end) {
  std::string text;
  for (const hidden_text& each : program_.source.hidden) {
    if (each.end <= begin || each.begin >= end) continue;
    if (each.begin > begin) text += copy(begin, each.begin);
    if (!each.include.empty() && each.begin >= begin) text += each.include + "\n";
    begin = std::max(begin, each.end);
  }
  return begin < end ? text + copy(begin, end) : text;
}

std::string emitter::top_level() {
  std::string text;
  std::size_t copied = 0;
  declarations members;
  std::size_t begin = 0, end = 0;
  const auto flush = [&] {
    if (members.empty()) return;
    text += gap(copied, begin);
    std::string own;
    const auto* function_definition = dyn_cast<clang::FunctionDecl>(members.back());
    if (function_definition != nullptr && function_definition->isThisDeclarationADefinition()) {
      own = function(function_definition, begin);
    } else {
      own = group(members, begin, end);
    }
    if (!before_.empty()) text += "\n" + before_ + line_directive(location(begin));
    before_.clear();
    text += own + line_after(begin, end, own);
    copied = end;
    members.clear();
  };
  for (clang::Decl* each : program_.tree.getTranslationUnitDecl()->decls()) {
    if (each->isImplicit() || each->getBeginLoc().isInvalid()) continue;
    const std::size_t offset = program_.sources().getFileOffset(each->getBeginLoc());
    if (offset < prelude_size() || program_.source.is_hidden(offset - prelude_size())) continue;
    const auto* named = dyn_cast<clang::NamedDecl>(each);
    if (named != nullptr && named->getIdentifier() != nullptr &&
        named->getName().starts_with(own_prefix))
      continue;
    const std::size_t start = begin_of(each);
    if (!members.empty() && start >= end) flush();
    begin = members.empty() ? start : std::min(begin, start);
    const auto* definition = dyn_cast<clang::FunctionDecl>(each);
    const bool has_body = definition != nullptr && definition->isThisDeclarationADefinition();
    const bool is_semicolon = llvm::isa<clang::EmptyDecl>(each);  // behind a function, by itself
    const std::size_t last = end_of_token(each->getEndLoc());
    const std::size_t after = has_body       ? end_of(definition->getBody())
                              : is_semicolon ? last
                                             : end_of_declarator(last);
    end = members.empty() ? after : std::max(end, after);
    members.push_back(each);
  }
  flush();
  return text + gap(copied, program_.source.text.size());
}

std::string emitter::unit() {
  const std::string text = top_level();
  return prologue() + text + "\n" + object_table();
}

}  // namespace atl::upc
