// SPDX-License-Identifier: BSD-3-Clause
//
// The rules of UPC that Clang does not know, checked on its tree before anything is emitted. Each
// group of rules has a file of its own:
//
// clang-format off
//   check_declarations.cpp  where `shared` may stand, layouts, dimensions of arrays, redeclarations
//   check_constants.cpp     constant expressions that need the number of threads
//   check_conversions.cpp   assignments, arguments, casts: block sizes and element types
//   check_operators.cpp     comparisons, arithmetic, sizeof and its relatives, unknown names
//   check_statements.cpp    upc_forall, barriers
//   check_races.cpp         -Wupc-race, -Wupc-remote-loop
//   check_messages.cpp      Clang's own messages, in the words of UPC
// clang-format on
//
// The tree may have errors: nodes that Clang could not type are skipped.
#pragma once

#include <front/upc/translator/parse.hpp>
#include <front/upc/translator/shared_type.hpp>
#include <front/upc/translator/type_words.hpp>

#include <set>
#include <string>
#include <utility>
#include <vector>

namespace atl::upc {

// Checks the whole program; its complaints go to parsed.complaints.
void check(program& parsed);

// The program and its complaints, which all groups of rules share.
class rule_checks {
 public:
  explicit rule_checks(program& parsed);

  program& source;
  shared_types types;
  type_words words;

  void error(clang::SourceLocation place, const std::string& message);
  void warn(clang::SourceLocation place, const char* name, const std::string& message);

  [[nodiscard]] bool is_dynamic() const { return source.options.static_threads == 0; }
  // The words of the user at a place that the normaliser has changed; empty elsewhere.
  [[nodiscard]] std::string written_at(clang::SourceLocation place) const;
  // Whether the place lies in a header of UPC or of the system.
  [[nodiscard]] bool is_hidden(clang::SourceLocation place) const;
  // Whether a loop stands for a upc_forall; and its affinity expression, null for `continue` and
  // none.
  [[nodiscard]] bool is_forall(const clang::ForStmt* loop) const;
  [[nodiscard]] const clang::Expr* affinity_of(const clang::ForStmt* loop) const;
  // The text of a pointer type, with the block size that is known of its expression.
  [[nodiscard]] std::string pointer_in_words(const clang::Expr* pointer) const;

 private:
  std::set<std::pair<unsigned, std::string>> reported_;
};

// The expression that C would convert: without the conversions between pointers and from integers
// that are implied.
const clang::Expr* before_conversion(const clang::Expr* expression);
bool is_null_constant(const clang::ASTContext& tree, const clang::Expr* expression);
// The part of the expression that is the number of threads, or the size of an array that has it.
const clang::Expr* find_threads(const rule_checks& rules, const clang::Stmt* expression);

void check_variable(rule_checks& rules, const clang::VarDecl* variable);
void check_function(rule_checks& rules, const clang::FunctionDecl* function);
void check_field(rule_checks& rules, const clang::FieldDecl* field);
void check_alias(rule_checks& rules, const clang::TypedefNameDecl* alias);
// The rules of a type that is written at a place: in a cast, an operand of sizeof, a compound
// literal.
void check_type(rule_checks& rules, clang::QualType type, clang::SourceLocation place);

void check_constant(rule_checks& rules, const clang::Expr* expression, const std::string& use);
void check_threads_factor(rule_checks& rules, const clang::TypeSourceInfo* written);

// `use` begins the message: "assigning", "passing".
void check_conversion(rule_checks& rules, const clang::Expr* expression, clang::QualType target,
                      const std::string& use);
void check_cast(rule_checks& rules, const clang::ExplicitCastExpr* cast);
void check_pair(rule_checks& rules, const clang::Expr* left, const clang::Expr* right,
                clang::SourceLocation place, const std::string& use);

void check_binary(rule_checks& rules, const clang::BinaryOperator* expression);
void check_unary(rule_checks& rules, const clang::UnaryOperator* expression);
void check_subscript(rule_checks& rules, const clang::ArraySubscriptExpr* expression);
void check_size(rule_checks& rules, const clang::UnaryExprOrTypeTraitExpr* expression);
void check_atomic(rule_checks& rules, const clang::AtomicExpr* expression);
void check_call(rule_checks& rules, const clang::CallExpr* call);

// The body of a function: loops, jumps, barriers, races.
void check_statements(rule_checks& rules, const clang::FunctionDecl* function);
void check_races(rule_checks& rules, const clang::ForStmt* loop);
void check_remote_loops(rule_checks& rules, const clang::FunctionDecl* function);

// A library function of UPC or a keyword that resembles `name`, and the header that declares it;
// empty if none does.
struct known_name {
  std::string name, header;
};
known_name find_known_name(const std::string& name, bool exactly);

// A message of Clang's in terms of UPC. `keyword` is the user's text at the place, or the keyword
// whose operand stands there.
std::string message_in_words(std::string message, const std::string& keyword);

}  // namespace atl::upc
