// SPDX-License-Identifier: BSD-3-Clause
//
// The normaliser: one pass over the tokens of Clang's raw lexer. Everything that is not a word of
// UPC, a line marker or a pragma is copied byte for byte, so that line numbers stay right.
#include <front/upc/translator/normalise.hpp>

#include <front/upc/translator/clang.hpp>

#include <algorithm>
#include <filesystem>

namespace atl::upc {
namespace {

constexpr auto no_word = static_cast<std::size_t>(-1);

// Of type long, so that large multiples of the number that stands for THREADS do not overflow.
constexpr const char* threads_text = "((long)__upc_threads)";

struct word {
  std::size_t begin = 0, end = 0;
  clang::tok::TokenKind kind = clang::tok::unknown;
  bool starts_line = false;
};

std::vector<word> words_of(const std::string& text) {
  clang::LangOptions dialect;
  dialect.C99 = dialect.C11 = dialect.C17 = dialect.GNUMode = true;
  clang::Lexer lexer(clang::SourceLocation(), dialect, text.data(), text.data(),
                     text.data() + text.size());
  std::vector<word> words;
  for (clang::Token token; lexer.LexFromRawLexer(token), token.isNot(clang::tok::eof);) {
    const std::size_t end = static_cast<std::size_t>(lexer.getBufferLocation() - text.data());
    words.push_back({end - token.getLength(), end, token.getKind(), token.isAtStartOfLine()});
  }
  return words;
}

class normaliser {
 public:
  explicit normaliser(const std::string& text) : text_(text), words_(words_of(text)) {
    strictness_.push_back(false);
  }

  normalised run() {
    while (next_ < words_.size()) {
      end_sizes();
      if (words_[next_].kind == clang::tok::hash && words_[next_].starts_line) {
        directive();
      } else if (is_system_ || (is_c_ && !is_hidden_)) {
        ++next_;
      } else {
        token();
      }
    }
    end_sizes();
    copy_until(text_.size());
    end_hidden(out_.text.size());
    return std::move(out_);
  }

 private:
  // --- Copying ---------------------------------------------------------------------------------

  [[nodiscard]] std::string spelling(std::size_t index) const {
    return text_.substr(words_[index].begin, words_[index].end - words_[index].begin);
  }
  [[nodiscard]] bool has_kind(std::size_t index, clang::tok::TokenKind kind) const {
    return index < words_.size() && words_[index].kind == kind;
  }

  void copy_until(std::size_t place) {
    if (place <= copied_) return;
    out_.text.append(text_, copied_, place - copied_);
    copied_ = place;
  }

  // Replaces the words [first, last) by `clang_text`; the output will have `emitted` there.
  std::size_t replace(std::size_t first, std::size_t last, const std::string& clang_text,
                      const std::string& emitted, bool is_qualifier = false) {
    const std::size_t begin = words_[first].begin, end = words_[last - 1].end;
    copy_until(begin);
    const std::size_t place = out_.text.size();
    out_.text += clang_text;
    out_.edits.push_back(
        {place, out_.text.size(), text_.substr(begin, end - begin), emitted, is_qualifier});
    copied_ = end;
    next_ = last;
    return place;
  }

  void insert_before(std::size_t index, const std::string& clang_text, const std::string& emitted) {
    copy_until(words_[index].begin);
    const std::size_t place = out_.text.size();
    out_.text += clang_text;
    out_.edits.push_back({place, out_.text.size(), "", emitted, false});
  }

  void complain(const std::string& message) {
    copy_until(words_[next_].begin);
    out_.faults.push_back({out_.text.size(), message});
  }

  // --- Directives ------------------------------------------------------------------------------

  // A line marker, an #include that the preprocessor has followed already, or a pragma.
  void directive() {
    const std::size_t first = next_;
    std::size_t line_end = text_.find('\n', words_[first].begin);
    if (line_end == std::string::npos) line_end = text_.size();
    const std::string line = text_.substr(words_[first].begin, line_end - words_[first].begin);
    while (next_ < words_.size() && words_[next_].begin < line_end) ++next_;
    const std::string name = next_ > first + 1 ? spelling(first + 1) : "";
    if (name == "pragma") {
      pragma(line, first);
    } else if (name == "include" || name == "include_next" || name == "import") {
      include_ = line.substr(0, line.find(" /* clang -E"));
      replace(first, next_, "", "");
      copied_ = line_end;
    } else {
      line_marker(line, words_[first].begin);
    }
  }

  void pragma(const std::string& line, std::size_t first) {
    if (is_system_ || next_ < first + 3 || spelling(first + 2) != "upc") return;
    const std::string kind = next_ > first + 3 ? spelling(first + 3) : "";
    const std::size_t following = next_;
    const bool is_kind = kind == "strict" || kind == "relaxed";
    const bool is_of_others = kind == "upc_code" || kind == "c_code";
    if (!is_of_others && (!is_kind || next_ > first + 4)) {
      copy_until(words_[first].begin);
      out_.faults.push_back({out_.text.size(), "'" + line +
                                                   "' is not a pragma of UPC; those are '#pragma "
                                                   "upc strict' and '#pragma upc relaxed'"});
    } else if (is_kind) {
      set_strictness(kind == "strict");
    } else {
      is_c_ = kind == "c_code";
    }
    replace(first, following, "", "");
  }

  void set_strictness(bool is_strict) {
    strictness_.back() = is_strict;
    copy_until(words_[next_ - 1].end);
    out_.strict_from[out_.text.size()] = is_strict;
  }

  // `# 12 "file" 1 3 4`: flag 3 says that a system header follows. The output includes those and
  // the headers of UPC again, so their text is hidden; headers of UPC are normalised like the
  // program.
  void line_marker(const std::string& line, std::size_t begin) {
    const std::size_t quote = line.rfind('"');
    if (quote == std::string::npos) return;
    const bool is_of_upc = is_header_of_upc(line, quote);
    is_system_ = line.find(" 3", quote) != std::string::npos && !is_of_upc;
    const bool is_hidden = is_system_ || is_of_upc;
    copy_until(begin);
    if (is_hidden && !is_hidden_) {
      const bool enters = line.find(" 1", quote) != std::string::npos;
      const std::size_t begin_of_name = line.find('"');
      const bool is_file = line[begin_of_name + 1] != '<';
      // A header of the command line (-include) has no directive in the text.
      if (enters && is_file && include_.empty()) {
        include_ = "#include " + line.substr(begin_of_name, quote + 1 - begin_of_name);
      }
      out_.hidden.push_back({out_.text.size(), 0, enters ? include_ : ""});
    } else if (!is_hidden && is_hidden_) {
      end_hidden(out_.text.size());
    }
    if (is_hidden != is_hidden_) include_.clear();
    is_hidden_ = is_hidden;
  }

  // The headers of UPC may lie in a folder of the system, but they are written in UPC. The header
  // that translated units include shows which folder it is.
  bool is_header_of_upc(const std::string& line, std::size_t quote) {
    const std::size_t begin = line.find('"') + 1, slash = line.rfind('/', quote);
    if (slash == std::string::npos || slash < begin) return false;
    std::string folder = line.substr(begin, slash - begin);
    const std::string inner = "/atoll_upc";
    if (folder.size() > inner.size() &&
        folder.compare(folder.size() - inner.size(), inner.size(), inner) == 0) {
      folder.resize(folder.size() - inner.size());
    }
    const auto known = folders_of_upc_.find(folder);
    if (known != folders_of_upc_.end()) return known->second;
    std::error_code failure;
    return folders_of_upc_[folder] =
               std::filesystem::exists(folder + "/atoll_upc/emitted.h", failure);
  }

  void end_hidden(std::size_t place) {
    if (!out_.hidden.empty() && out_.hidden.back().end == 0) out_.hidden.back().end = place;
  }

  // --- Words of UPC ----------------------------------------------------------------------------

  void token() {
    const word& current = words_[next_];
    if (const auto array = array_parameters_.find(next_); array != array_parameters_.end()) {
      const bool has_name = array->second.has_name, is_nested = array->second.is_nested;
      replace(next_, array->second.end,
              std::string(has_name    ? ""
                          : is_nested ? "(*"
                                      : "*") +
                  (is_nested ? ")" : ""),
              "", true);
      return;
    }
    if (const auto array = array_parameters_.find(next_ + 1);
        array != array_parameters_.end() && array->second.has_name) {
      insert_before(next_, array->second.is_nested ? "(*" : "*", "");
    }
    if (current.kind == clang::tok::l_brace) {
      strictness_.push_back(strictness_.back());
    } else if (current.kind == clang::tok::r_brace) {
      close_brace();
    }
    if (current.kind != clang::tok::raw_identifier || follows_member_operator()) {
      if (next_ == wait_end_) insert_before(next_, ")", ")");
      end_clause();
      ++next_;
      return;
    }
    keyword(spelling(next_));
  }

  [[nodiscard]] bool follows_member_operator() const {
    return next_ > 0 &&
           (has_kind(next_ - 1, clang::tok::period) || has_kind(next_ - 1, clang::tok::arrow));
  }

  void close_brace() {
    if (strictness_.size() < 2) return;
    const bool inner = strictness_.back();
    strictness_.pop_back();
    if (inner == strictness_.back()) return;
    copy_until(words_[next_].end);
    out_.strict_from[out_.text.size()] = strictness_.back();
  }

  // `int f(p) shared int *p; {...}`: an attribute there would belong to the function, so a storage
  // class goes before it.
  [[nodiscard]] bool begins_old_style_parameter() const {
    if (next_ < 3 || !has_kind(next_ - 1, clang::tok::r_paren)) return false;
    std::size_t i = next_ - 2;
    while (i > 0 && (has_kind(i, clang::tok::raw_identifier) || has_kind(i, clang::tok::comma)))
      --i;
    if (i == 0 || !has_kind(i, clang::tok::l_paren) || !has_kind(i - 1, clang::tok::raw_identifier))
      return false;
    const std::string name = spelling(i - 1);
    return name.find("typeof") == std::string::npos && name[0] != '_';
  }

  void keyword(const std::string& name) {
    if ((name == "shared" || name == "strict" || name == "relaxed") &&
        begins_old_style_parameter()) {
      insert_before(next_, "register ", "");
    }
    if (name == "shared") {
      shared();
    } else if (name == "strict" || name == "relaxed") {
      replace(next_, next_ + 1, tag(name), "", true);
    } else if (name == "MYTHREAD") {
      replace(next_, next_ + 1, "(+__upc_mythread)", "atoll_upc_mythread");
    } else if (name == "THREADS") {
      replace(next_, next_ + 1, threads_text, "ATOLL_UPC_THREADS");
    } else if (name == "upc_forall") {
      forall();
    } else if (name == "upc_barrier" || name == "upc_notify" || name == "upc_wait") {
      synchronisation(name.substr(4));
    } else if (name == "upc_fence") {
      replace(next_, next_ + 1, "__upc_fence()", "atoll_upc_fence()");
    } else if (name == "upc_localsizeof") {
      size(size_operator::local_size);
    } else if (name == "upc_blocksizeof") {
      size(size_operator::block_size);
    } else if (name == "upc_elemsizeof") {
      size(size_operator::element_size);
    } else if (is_storage_class(name) && next_ + 1 < words_.size() && spelling(next_ + 1) == name) {
      complain("duplicate '" + name + "'");  // Clang accepts it, other compilers of C do not
      ++next_;
    } else {
      ++next_;
    }
  }

  static bool is_storage_class(const std::string& name) {
    return name == "typedef" || name == "static" || name == "extern" || name == "register" ||
           name == "auto";
  }

  static std::string tag(const std::string& what) {
    return "__attribute__((btf_type_tag(\"upc:" + what + "\")))";
  }

  // The operand stays where it is, inside of the enumeration.
  void size(size_operator kind) {
    const std::size_t end = after_operand(next_ + 1);
    const std::string name = size_prefix + std::to_string(out_.size_operators.size());
    insert_before(next_, "(0 * sizeof(enum " + name + " {" + name + "_value = ", "");
    const std::size_t place = replace(next_, next_ + 1, "sizeof", "", true);
    out_.size_operators[place] = kind;
    open_sizes_.push_back({end, " * 0 + 0x4000000000000000}) + " + name + "_value)"});
  }

  // Ends the operators whose operands end before the next word.
  void end_sizes() {
    for (; !open_sizes_.empty() && open_sizes_.back().end <= next_; open_sizes_.pop_back()) {
      copy_until(words_[open_sizes_.back().end - 1].end);
      const std::size_t place = out_.text.size();
      out_.text += open_sizes_.back().text;
      out_.edits.push_back({place, out_.text.size(), "", "", false});
    }
  }

  // The word after the operand of a sizeof, which begins at `first`: a type in brackets, or a unary
  // expression.
  [[nodiscard]] std::size_t after_operand(std::size_t first) const {
    std::size_t i = first;
    bool has_prefix = false;
    for (;;) {
      if (is_prefix(i)) {
        has_prefix = true;
        ++i;
      } else if (has_kind(i, clang::tok::l_paren) && has_prefix &&
                 begins_operand(after_bracket(i))) {
        i = after_bracket(i);  // a cast
      } else {
        break;
      }
    }
    const bool is_bracket = has_kind(i, clang::tok::l_paren);
    i = is_bracket ? after_bracket(i) : std::min(i + 1, words_.size());
    if (is_bracket && has_kind(i, clang::tok::l_brace)) i = after_bracket(i);  // a compound literal
    for (;;) {
      if (has_kind(i, clang::tok::l_square) || (has_kind(i, clang::tok::l_paren) && !is_bracket)) {
        i = after_bracket(i);
      } else if (has_kind(i, clang::tok::period) || has_kind(i, clang::tok::arrow)) {
        i = std::min(i + 2, words_.size());
      } else if (has_kind(i, clang::tok::plusplus) || has_kind(i, clang::tok::minusminus)) {
        ++i;
      } else {
        return i;
      }
    }
  }
  [[nodiscard]] bool is_prefix(std::size_t i) const {
    constexpr clang::tok::TokenKind operators[] = {
        clang::tok::star,  clang::tok::amp,     clang::tok::plus,     clang::tok::minus,
        clang::tok::tilde, clang::tok::exclaim, clang::tok::plusplus, clang::tok::minusminus};
    for (const clang::tok::TokenKind each : operators)
      if (has_kind(i, each)) return true;
    return has_kind(i, clang::tok::raw_identifier) &&
           spelling(i).find("sizeof") != std::string::npos;
  }
  [[nodiscard]] bool begins_operand(std::size_t i) const {
    return has_kind(i, clang::tok::raw_identifier) || has_kind(i, clang::tok::numeric_constant) ||
           has_kind(i, clang::tok::l_paren) || has_kind(i, clang::tok::amp);
  }

  // The word after the bracket that matches the one at `open`.
  [[nodiscard]] std::size_t after_bracket(std::size_t open) const {
    int depth = 0;
    for (std::size_t i = open; i < words_.size(); ++i) {
      depth += opens(i) ? 1 : closes(i) ? -1 : 0;
      if (depth == 0) return i + 1;
    }
    return words_.size();
  }
  [[nodiscard]] bool opens(std::size_t i) const {
    return has_kind(i, clang::tok::l_paren) || has_kind(i, clang::tok::l_square) ||
           has_kind(i, clang::tok::l_brace);
  }
  [[nodiscard]] bool closes(std::size_t i) const {
    return has_kind(i, clang::tok::r_paren) || has_kind(i, clang::tok::r_square) ||
           has_kind(i, clang::tok::r_brace);
  }

  // A parameter that is declared as an array is a pointer (C11 6.7.6.3 p7), but Clang takes it for
  // an automatic object in an address space. So it is written as the pointer that it is:
  // `shared int a[4][n]` as `shared int (*a)[n]`. The names follow the words of their types.
  void array_parameter(std::size_t begin, std::size_t after) {
    std::size_t first = begin;
    while (first > 0 && has_kind(first - 1, clang::tok::raw_identifier)) --first;
    std::size_t bound = after;
    while (has_kind(bound, clang::tok::raw_identifier)) ++bound;
    if (strictness_.size() == 1 && is_in_old_style_list(begin)) old_style_arrays(after);
    if (bound == after || !has_kind(bound, clang::tok::l_square)) return;
    const bool has_name = words_of_type(first, begin) + words_of_type(after, bound - 1) > 0 &&
                          !is_word_of_type(spelling(bound - 1)) &&
                          (bound < after + 2 || !is_word_of_tag(spelling(bound - 2)));
    const bool is_in_list = first > 0 && (has_kind(first - 1, clang::tok::l_paren) ||
                                          has_kind(first - 1, clang::tok::comma));
    if (!is_in_list || (!has_name && !is_in_parameter_list(first))) return;
    const array_of_parameter found = array_at(bound, has_name);
    const std::size_t following = after_bounds(bound);
    if (has_kind(following, clang::tok::comma) || has_kind(following, clang::tok::r_paren))
      array_parameters_[bound] = found;
  }

  [[nodiscard]] std::size_t after_bounds(std::size_t bound) const {
    while (has_kind(bound, clang::tok::l_square)) bound = after_bracket(bound);
    return bound;
  }

  // A type without a name, as in `sizeof(shared int [5])`, is no parameter.
  [[nodiscard]] bool is_in_parameter_list(std::size_t first) const {
    if (has_kind(first - 1, clang::tok::comma)) return true;
    if (first < 2 || has_kind(first - 2, clang::tok::r_paren)) return first >= 2;
    if (!has_kind(first - 2, clang::tok::raw_identifier)) return false;
    const std::string name = spelling(first - 2);
    return name.find("sizeof") == std::string::npos && name.find("typeof") == std::string::npos &&
           name.find("lignof") == std::string::npos && name != "return" && name != "case";
  }

  // `int f(a, n) int n; shared int a[5]; {`: the place is in the declarations behind the names.
  [[nodiscard]] bool is_in_old_style_list(std::size_t place) const {
    std::size_t close = place;
    while (close > 0 && !has_kind(close, clang::tok::r_paren)) {
      if (has_kind(close, clang::tok::l_brace) || has_kind(close, clang::tok::r_brace) ||
          has_kind(close, clang::tok::equal))
        return false;
      --close;
    }
    std::size_t open = close;
    while (open > 1 && (has_kind(open - 1, clang::tok::raw_identifier) ||
                        has_kind(open - 1, clang::tok::comma)))
      --open;
    return open > 1 && open < close && has_kind(open - 1, clang::tok::l_paren) &&
           has_kind(open - 2, clang::tok::raw_identifier) && spelling(open - 2)[0] != '_' &&
           has_kind(close + 1, clang::tok::raw_identifier);
  }

  // Converts the array parameters among the declarators up to the next semicolon.
  void old_style_arrays(std::size_t place) {
    for (; place < words_.size() && !has_kind(place, clang::tok::semi); ++place) {
      const bool is_first_bound = has_kind(place, clang::tok::l_square) &&
                                  has_kind(place - 1, clang::tok::raw_identifier) &&
                                  spelling(place - 1) != "shared";
      if (is_first_bound) array_parameters_[place] = array_at(place, true);
    }
  }

  [[nodiscard]] std::size_t words_of_type(std::size_t first, std::size_t last) const {
    std::size_t count = 0;
    for (std::size_t i = first; i < last; ++i) {
      const std::string name = spelling(i);
      const bool is_qualifier = name == "const" || name == "volatile" || name == "register" ||
                                name == "strict" || name == "relaxed" || name == "shared";
      count += is_qualifier ? 0 : 1;
    }
    return count;
  }

  static bool is_word_of_tag(const std::string& name) {
    return name == "struct" || name == "union" || name == "enum";
  }

  static bool is_word_of_type(const std::string& name) {
    constexpr const char* words[] = {"char",    "short",    "int",      "long",     "float",
                                     "double",  "unsigned", "signed",   "void",     "_Bool",
                                     "const",   "volatile", "_Complex", "restrict", "strict",
                                     "relaxed", "shared"};
    return std::find(std::begin(words), std::end(words), name) != std::end(words);
  }

  void shared() {
    const std::size_t open = next_ + 1;
    array_parameter(next_, has_kind(open, clang::tok::l_square) ? after_bracket(open) : open);
    const std::string space = "__attribute__((address_space(1))) ";
    if (!has_kind(open, clang::tok::l_square)) {
      replace(next_, open, space + tag("1"), "", true);
      return;
    }
    const std::size_t end = after_bracket(open);
    if (end == open + 2) {
      replace(next_, end, space + tag("0"), "", true);
    } else if (end == open + 3 && has_kind(open + 1, clang::tok::star)) {
      replace(next_, end, space + tag("*"), "", true);
    } else if (end == open + 3 && is_plain_number(spelling(open + 1))) {
      replace(next_, end, space + tag(spelling(open + 1)), "", true);
    } else {
      layout_expression(open + 1, end - 1, end);
    }
  }

  static bool is_plain_number(const std::string& text) {
    const bool is_octal = text.size() > 1 && text[0] == '0';
    return !is_octal && text.size() < 19 &&
           text.find_first_not_of("0123456789") == std::string::npos;
  }

  void layout_expression(std::size_t first, std::size_t last, std::size_t end) {
    const std::string number = std::to_string(out_.layouts.size());
    out_.layouts.push_back(
        text_.substr(words_[first].begin, words_[last - 1].end - words_[first].begin));
    for (std::size_t i = first; i < last; ++i) {
      if (spelling(i).rfind("upc_", 0) == 0)
        complain("the operator " + spelling(i) + " is not known in a block size");
    }
    const std::string name = "__upc_layout_" + number;
    replace(next_, end,
            "__attribute__((address_space(1 + 0 * sizeof(enum " + name + " {" + name +
                "_value = (" + plain(first, last) + ")})))) " + tag("#" + number),
            "", true);
  }

  // The text of the words [first, last) for Clang, without noting edits.
  [[nodiscard]] std::string plain(std::size_t first, std::size_t last) const {
    std::string result;
    for (std::size_t i = first; i < last; ++i) {
      if (i > first) result.append(text_, words_[i - 1].end, words_[i].begin - words_[i - 1].end);
      const std::string name = spelling(i);
      result += name == "THREADS" ? threads_text : name == "MYTHREAD" ? "(+__upc_mythread)" : name;
    }
    return result;
  }

  // upc_barrier, upc_notify, upc_wait, with or without a value.
  void synchronisation(const std::string& name) {
    std::size_t end = next_ + 1;
    while (end < words_.size() && !has_kind(end, clang::tok::semi))
      end = opens(end) ? after_bracket(end) : end + 1;
    if (end == next_ + 1 || end >= words_.size()) {
      replace(next_, next_ + 1, "__upc_" + name + "(0, 0)", "atoll_upc_" + name + "(0, 0)");
      return;
    }
    replace(next_, next_ + 1, "__upc_" + name + "(1, ", "atoll_upc_" + name + "(1, ");
    wait_end_ = end;
  }

  // upc_forall (a; b; c; d): notes where the third and the fourth part end, and the text to write
  // there.
  void forall() {
    const std::size_t open = next_ + 1;
    if (!has_kind(open, clang::tok::l_paren)) {
      complain("upc_forall needs '(' after it");
      ++next_;
      return;
    }
    const std::size_t close = after_bracket(open) - 1;
    std::vector<std::size_t> semicolons;
    for (std::size_t i = open + 1; i < close; i = opens(i) ? after_bracket(i) : i + 1) {
      if (has_kind(i, clang::tok::semi)) semicolons.push_back(i);
    }
    if (semicolons.size() != 3) {
      complain("upc_forall needs four parts: (initialisation; condition; step; affinity)");
      ++next_;
      return;
    }
    const bool is_continue =
        close == semicolons[2] + 2 && spelling(semicolons[2] + 1) == "continue";
    const bool is_empty = close == semicolons[2] + 1;
    const std::size_t place = replace(next_, next_ + 1, "for", "", true);
    out_.foralls[place] = is_continue || is_empty ? affinity_kind::none : affinity_kind::expression;
    const bool has_step = semicolons[2] > semicolons[1] + 1;
    clauses_[semicolons[1]] = {";", has_step ? "(" : "", 0};
    clauses_[semicolons[2]] = {
        "", std::string(has_step ? "), " : "") + "(void)(" + (is_continue || is_empty ? "0" : ""),
        semicolons[2] + (is_continue ? 2 : 1)};
    clauses_[close] = {"", "))", close + 1};
  }

  struct clause {
    std::string kept;      // the part of the token that stays
    std::string inserted;  // the text after it
    std::size_t next = 0;  // the word after those that are replaced; 0 if none are
  };

  void end_clause() {
    const auto found = clauses_.find(next_);
    if (found == clauses_.end()) return;
    const clause rule = found->second;
    clauses_.erase(found);
    if (rule.next == 0) {
      insert_before(next_ + 1, rule.inserted, "");
      return;
    }
    replace(next_, rule.next, rule.inserted, "", true);
    --next_;  // the caller goes on to the next word
  }

  const std::string& text_;
  std::vector<word> words_;
  normalised out_;
  std::size_t next_ = 0;
  std::size_t copied_ = 0;
  std::size_t wait_end_ = no_word;  // the semicolon that ends a barrier with a value
  bool is_system_ = false;          // in text that is no UPC
  bool is_c_ = false;               // behind #pragma upc c_code, where words of UPC are names
  bool is_hidden_ = false;          // in text that is not emitted
  std::string include_;
  std::map<std::string, bool> folders_of_upc_;
  std::vector<bool> strictness_;  // of each open brace
  std::map<std::size_t, clause> clauses_;

  struct open_size {
    std::size_t end = 0;  // the word after the operand
    std::string text;     // what follows the operand
  };
  std::vector<open_size> open_sizes_;

  struct array_of_parameter {
    std::size_t end = 0;     // the word behind the first bound
    bool is_nested = false;  // more bounds follow
    bool has_name = false;
  };
  [[nodiscard]] array_of_parameter array_at(std::size_t bound, bool has_name) const {
    const std::size_t end = after_bracket(bound);
    return {end, has_kind(end, clang::tok::l_square), has_name};
  }

  std::map<std::size_t, array_of_parameter> array_parameters_;  // by the word of the first bracket
};

}  // namespace

bool normalised::is_strict_at(std::size_t place) const {
  const auto following = strict_from.upper_bound(place);
  return following != strict_from.begin() && std::prev(following)->second;
}

bool normalised::is_hidden(std::size_t place) const {
  const auto following = std::upper_bound(
      hidden.begin(), hidden.end(), place,
      [](std::size_t value, const hidden_text& each) { return value < each.begin; });
  return following != hidden.begin() && place < std::prev(following)->end;
}

const edit* normalised::edit_around(std::size_t begin, std::size_t end) const {
  const auto following =
      std::upper_bound(edits.begin(), edits.end(), begin,
                       [](std::size_t value, const edit& each) { return value < each.begin; });
  if (following == edits.begin()) return nullptr;
  const edit& found = *std::prev(following);
  return end <= found.end && begin < end ? &found : nullptr;
}

std::vector<const edit*> normalised::edits_in(std::size_t begin, std::size_t end) const {
  auto found =
      std::lower_bound(edits.begin(), edits.end(), begin,
                       [](const edit& each, std::size_t value) { return each.begin < value; });
  std::vector<const edit*> result;
  for (; found != edits.end() && found->begin < end; ++found) result.push_back(&*found);
  return result;
}

normalised normalise(const std::string& preprocessed) { return normaliser(preprocessed).run(); }

std::string normaliser_prelude() {
  return "# 1 \"<upc>\" 1 3\n"
         "extern const int __upc_mythread;\n"
         "enum { __upc_threads = " +
         std::to_string(threads_stand_in) +
         " };\n"
         "void __upc_barrier(int, int);\n"
         "void __upc_notify(int, int);\n"
         "void __upc_wait(int, int);\n"
         "void __upc_fence(void);\n"
         "# 1 \"<upc>\" 2\n";
}

}  // namespace atl::upc
