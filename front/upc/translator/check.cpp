// SPDX-License-Identifier: BSD-3-Clause
//
// The walk over the program that hands each node to the rules of its kind (checks.hpp), and what
// the rules share. Headers of UPC and of the system are skipped.
#include <front/upc/translator/checks.hpp>

namespace atl::upc {
namespace {

using clang::dyn_cast;

class walker {
 public:
  explicit walker(rule_checks& rules) : rules_(rules) {}

  void declaration(const clang::Decl* node) {
    if (node->isImplicit()) return;
    if (const auto* function = dyn_cast<clang::FunctionDecl>(node)) {
      function_declaration(function);
    } else if (const auto* variable = dyn_cast<clang::VarDecl>(node)) {
      check_variable(rules_, variable);
      statement(variable->getInit());
    } else if (const auto* field = dyn_cast<clang::FieldDecl>(node)) {
      check_field(rules_, field);
    } else if (const auto* alias = dyn_cast<clang::TypedefNameDecl>(node)) {
      check_alias(rules_, alias);
    } else if (const auto* constant = dyn_cast<clang::EnumConstantDecl>(node)) {
      if (!constant->getName().starts_with(own_prefix))
        check_constant(rules_, constant->getInitExpr(), "the value of an enumeration constant");
    } else if (const auto* assertion = dyn_cast<clang::StaticAssertDecl>(node)) {
      check_constant(rules_, assertion->getAssertExpr(), "the condition of _Static_assert");
    } else if (const auto* tag = dyn_cast<clang::TagDecl>(node)) {
      for (const clang::Decl* each : tag->decls()) declaration(each);
    }
  }

  void statement(const clang::Stmt* node) {
    if (node == nullptr) return;
    if (const auto* declared = dyn_cast<clang::DeclStmt>(node)) {
      for (const clang::Decl* each : declared->decls()) declaration(each);
      return;
    }
    if (const auto* label = dyn_cast<clang::CaseStmt>(node)) {
      check_constant(rules_, label->getLHS(), "the value of a case label");
    } else if (const auto* result = dyn_cast<clang::ReturnStmt>(node)) {
      const bool has_type = function_ != nullptr && !function_->getReturnType()->isVoidType();
      if (result->getRetValue() != nullptr && has_type) {
        check_conversion(rules_, result->getRetValue(), function_->getReturnType(), "returning");
      } else if (has_type) {
        rules_.warn(result->getReturnLoc(), "return-type",
                    "'return' without a value in a function that returns " +
                        rules_.words.quoted(function_->getReturnType()));
      }
    } else if (const auto* node_of_expression = dyn_cast<clang::Expr>(node)) {
      expression(node_of_expression);
    }
    for (const clang::Stmt* child : node->children()) statement(child);
  }

 private:
  void function_declaration(const clang::FunctionDecl* function) {
    check_function(rules_, function);
    if (!function->isThisDeclarationADefinition()) return;
    const clang::FunctionDecl* outer = function_;
    function_ = function;
    for (const clang::ParmVarDecl* each : function->parameters()) check_variable(rules_, each);
    statement(function->getBody());
    check_statements(rules_, function);
    function_ = outer;
  }

  void expression(const clang::Expr* node) {
    if (const auto* binary = dyn_cast<clang::BinaryOperator>(node)) {
      check_binary(rules_, binary);
    } else if (const auto* unary = dyn_cast<clang::UnaryOperator>(node)) {
      check_unary(rules_, unary);
    } else if (const auto* cast = dyn_cast<clang::ExplicitCastExpr>(node)) {
      check_cast(rules_, cast);
    } else if (const auto* call = dyn_cast<clang::CallExpr>(node)) {
      check_call(rules_, call);
    } else if (const auto* atomic = dyn_cast<clang::AtomicExpr>(node)) {
      check_atomic(rules_, atomic);
    } else if (const auto* subscript = dyn_cast<clang::ArraySubscriptExpr>(node)) {
      check_subscript(rules_, subscript);
    } else if (const auto* size = dyn_cast<clang::UnaryExprOrTypeTraitExpr>(node)) {
      check_size(rules_, size);
    } else if (const auto* literal = dyn_cast<clang::CompoundLiteralExpr>(node)) {
      compound_literal(literal);
    } else if (const auto* choice = dyn_cast<clang::ConditionalOperator>(node)) {
      check_pair(rules_, choice->getTrueExpr(), choice->getFalseExpr(), choice->getQuestionLoc(),
                 "choosing between");
    } else if (const auto* short_choice = dyn_cast<clang::BinaryConditionalOperator>(node)) {
      check_pair(rules_, short_choice->getCommon(), short_choice->getFalseExpr(),
                 short_choice->getQuestionLoc(), "choosing between");
    }
  }

  void compound_literal(const clang::CompoundLiteralExpr* literal) {
    check_type(rules_, literal->getType(), literal->getBeginLoc());
    if (rules_.types.is_shared(literal->getType())) {
      rules_.error(literal->getBeginLoc(), "a compound literal cannot be shared");
    } else {
      check_conversion(rules_, literal->getInitializer(), literal->getType(), "initialising");
    }
  }

  rule_checks& rules_;
  const clang::FunctionDecl* function_ = nullptr;
};

}  // namespace

rule_checks::rule_checks(program& parsed)
    : source(parsed),
      types(parsed),
      words(parsed.tree, parsed.source, parsed.options.static_threads == 0) {}

void rule_checks::error(clang::SourceLocation place, const std::string& message) {
  if (reported_.insert({source.sources().getFileOffset(place), message}).second)
    source.error(place, message);
}

void rule_checks::warn(clang::SourceLocation place, const char* name, const std::string& message) {
  if (!source.options.warned.is_on(name)) return;
  if (!reported_.insert({source.sources().getFileOffset(place), message}).second) return;
  const bool is_error = source.options.warned.is_error(name);
  source.complaints.complain(source.sources(), place, is_error ? "error" : "warning",
                             message + (is_error ? " [-Werror," : " [") + "-W" + name + "]");
}

std::string rule_checks::written_at(clang::SourceLocation place) const {
  return source.complaints.written_at(source.sources(), place);
}

bool rule_checks::is_hidden(clang::SourceLocation place) const {
  if (place.isInvalid()) return true;
  const std::size_t offset = source.sources().getFileOffset(place);
  return offset < prelude_size() || source.source.is_hidden(offset - prelude_size());
}

bool rule_checks::is_forall(const clang::ForStmt* loop) const {
  return source.source.foralls.count(source.place(loop->getForLoc())) > 0;
}

const clang::Expr* rule_checks::affinity_of(const clang::ForStmt* loop) const {
  const auto found = source.source.foralls.find(source.place(loop->getForLoc()));
  if (found == source.source.foralls.end() || found->second == affinity_kind::none) return nullptr;
  const clang::Expr* last = loop->getInc();
  const auto* comma = llvm::dyn_cast_or_null<clang::BinaryOperator>(last);
  if (comma != nullptr && comma->getOpcode() == clang::BO_Comma) last = comma->getRHS();
  const auto* to_void = llvm::dyn_cast_or_null<clang::CStyleCastExpr>(last);
  return to_void == nullptr ? nullptr : to_void->getSubExpr()->IgnoreParens();
}

std::string rule_checks::pointer_in_words(const clang::Expr* pointer) const {
  const clang::QualType type = pointer->getType();
  const std::string written = words.quoted(type);
  if (!types.is_pointer_to_shared(type) || type->getPointeeType()->isVoidType()) return written;
  const auto known = types.find_pointee_layout(pointer);
  if (!known || known->block == 1 || types.qualifiers_of(type->getPointeeType()).block)
    return written;
  std::string text = written;
  const std::size_t shared = text.find("shared ");
  if (shared == std::string::npos) return written;
  const std::string block = known->block == 0 ? "[] " : "[" + std::to_string(known->block) + "] ";
  return text.insert(shared + 7, block);
}

void check(program& parsed) {
  rule_checks rules(parsed);
  walker walk(rules);
  for (const auto& [name, size] : parsed.sizes) {
    if (!rules.is_hidden(size->getBeginLoc())) walk.statement(size);
  }
  for (const clang::Decl* each : parsed.tree.getTranslationUnitDecl()->decls()) {
    if (!each->isImplicit() && !rules.is_hidden(each->getBeginLoc())) walk.declaration(each);
  }
}

}  // namespace atl::upc
