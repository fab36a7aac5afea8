// SPDX-License-Identifier: BSD-3-Clause
//
// Operators on pointers-to-shared (UPC 1.3, 6.4.2), sizeof and its relatives (6.4.1), and calls:
// the value of a barrier, the arguments, functions that were never declared.
#include <front/upc/translator/checks.hpp>

namespace atl::upc {
namespace {

using clang::dyn_cast;

// Arithmetic needs the size of an element.
void check_arithmetic(rule_checks& rules, const clang::Expr* pointer, clang::SourceLocation place) {
  if (pointer->containsErrors() || !rules.types.is_pointer_to_shared(pointer->getType())) return;
  const clang::QualType pointee = pointer->getType()->getPointeeType();
  if (pointee->isVoidType()) {
    rules.error(
        place, "arithmetic on a pointer to shared void: cast it to the type of the elements first");
  } else if (pointee->isIncompleteType() && !pointee->isIncompleteArrayType()) {
    rules.error(place, "arithmetic on " + rules.pointer_in_words(pointer) +
                           ", whose elements have an unknown size");
  }
}

void check_order(rule_checks& rules, const clang::BinaryOperator* expression) {
  for (const clang::Expr* each : {expression->getLHS(), expression->getRHS()}) {
    const clang::Expr* bare = before_conversion(each);
    if (!rules.types.is_pointer_to_shared(bare->getType()) ||
        is_null_constant(rules.source.tree, bare))
      continue;
    const clang::QualType pointee = bare->getType()->getPointeeType();
    if (!pointee->isVoidType() && !pointee->isIncompleteType()) continue;
    rules.error(expression->getOperatorLoc(),
                "'" + expression->getOpcodeStr().str() + "' needs to know the elements, and " +
                    rules.pointer_in_words(bare) +
                    " does not tell them; only == and != compare such pointers");
    return;
  }
  check_pair(rules, expression->getLHS(), expression->getRHS(), expression->getOperatorLoc(),
             "comparing");
}

void check_barrier_value(rule_checks& rules, const clang::CallExpr* call, const std::string& name) {
  if (call->getNumArgs() != 2) return;
  const clang::Expr* value = before_conversion(call->getArg(1));
  if (value->getType()->isArithmeticType() || value->containsErrors()) return;
  if (is_null_constant(rules.source.tree, value) && !value->getType()->isPointerType()) return;
  rules.error(value->getBeginLoc(), "the value of " + name + " must be an integer, not " +
                                        rules.words.quoted(value->getType()));
}

// Clang lets its builtin functions take pointers of any address space, but functions of C know
// private memory only.
void check_private_callee(rule_checks& rules, const clang::CallExpr* call,
                          const clang::FunctionDecl* callee) {
  const std::string name = callee->getNameAsString();
  const bool is_of_c = callee->getBuiltinID() != 0 || rules.is_hidden(callee->getLocation());
  if (!is_of_c || name.rfind("upc_", 0) == 0 || name.rfind("bupc_", 0) == 0) return;
  for (unsigned i = 0; i < callee->getNumParams() && i < call->getNumArgs(); ++i) {
    const clang::Expr* argument = before_conversion(call->getArg(i));
    if (!rules.types.is_pointer_to_shared(argument->getType()) ||
        is_null_constant(rules.source.tree, argument))
      continue;
    rules.error(argument->getBeginLoc(),
                "passing " + rules.pointer_in_words(argument) + " to " + name +
                    ", which takes private pointers; cast it if the data is this thread's own, "
                    "or use the functions of UPC (upc_memget, upc_memput, upc_free)");
  }
}

void check_name(rule_checks& rules, const clang::FunctionDecl* function,
                clang::SourceLocation place) {
  const std::string name = function->getNameAsString();
  const known_name exact = find_known_name(name, true);
  if (!exact.name.empty()) {
    rules.error(place, "'" + name + "' is not declared; #include <" + exact.header + ">");
    return;
  }
  const bool has_prefix = name.rfind("upc_", 0) == 0 || name.rfind("bupc_", 0) == 0;
  const known_name near = find_known_name(name, false);
  if (!near.name.empty()) {
    rules.warn(place, "upc-names",
               "'" + name + "' is not declared; did you mean '" + near.name + "'?");
  } else if (has_prefix) {
    rules.warn(place, "upc-names", "'" + name + "' is not declared, and it is no name of UPC");
  }
}

}  // namespace

void check_binary(rule_checks& rules, const clang::BinaryOperator* expression) {
  const clang::Expr *left = expression->getLHS(), *right = expression->getRHS();
  if (left->containsErrors() || right->containsErrors()) return;
  if (expression->getOpcode() == clang::BO_Assign) {
    check_conversion(rules, right, left->getType(), "assigning");
  } else if (expression->isRelationalOp()) {
    check_order(rules, expression);
  } else if (expression->isEqualityOp()) {
    check_pair(rules, left, right, expression->getOperatorLoc(), "comparing");
  } else if (expression->isAdditiveOp() || expression->getOpcode() == clang::BO_AddAssign ||
             expression->getOpcode() == clang::BO_SubAssign) {
    check_arithmetic(rules, left, expression->getOperatorLoc());
    check_arithmetic(rules, right, expression->getOperatorLoc());
    const bool are_pointers = left->getType()->isPointerType() && right->getType()->isPointerType();
    if (are_pointers) check_pair(rules, left, right, expression->getOperatorLoc(), "subtracting");
  }
}

void check_unary(rule_checks& rules, const clang::UnaryOperator* expression) {
  const clang::Expr* operand = expression->getSubExpr();
  if (expression->isIncrementDecrementOp())
    check_arithmetic(rules, operand, expression->getOperatorLoc());
  if (expression->getOpcode() == clang::UO_Deref &&
      rules.types.is_pointer_to_shared_void(operand->getType())) {
    rules.error(expression->getOperatorLoc(),
                "a pointer to shared void does not tell what it points to; cast it first");
  }
}

void check_subscript(rule_checks& rules, const clang::ArraySubscriptExpr* expression) {
  check_arithmetic(rules, expression->getBase(), expression->getExprLoc());
}

void check_size(rule_checks& rules, const clang::UnaryExprOrTypeTraitExpr* expression) {
  if (expression->getKind() != clang::UETT_SizeOf || expression->containsErrors()) return;
  const clang::QualType type = expression->getTypeOfArgument();
  if (type->isDependentType()) return;
  const clang::SourceLocation place = expression->getBeginLoc();
  if (expression->isArgumentType()) check_type(rules, type, place);
  const std::string written = rules.written_at(place);
  const bool is_of_upc = rules.source.source.size_operators.count(rules.source.place(place)) > 0;
  const std::string name = is_of_upc && !written.empty() ? written
                           : is_of_upc                   ? "the operator"
                                                         : "sizeof";
  const bool is_shared = rules.types.is_shared(type);
  if (is_of_upc && !is_shared) {
    rules.error(place, name + " needs a shared object or type, and " + rules.words.quoted(type) +
                           " is private");
  } else if (is_shared && (type->isVoidType() || type->isFunctionType())) {
    rules.error(place, name + " of " + rules.words.quoted(type) + ", which has no size");
  } else if (type->isVoidType()) {
    rules.warn(place, "upc-sizeof", "void has no size; GNU C takes 1 for it");
  }
}

void check_atomic(rule_checks& rules, const clang::AtomicExpr* expression) {
  if (!rules.types.is_pointer_to_shared(expression->getPtr()->getType())) return;
  rules.error(expression->getBeginLoc(),
              "atomic operations of C know private memory only; <upc_atomic.h> has those of UPC");
}

void check_call(rule_checks& rules, const clang::CallExpr* call) {
  if (const clang::FunctionDecl* callee = call->getDirectCallee()) {
    const std::string name = callee->getIdentifier() != nullptr ? callee->getNameAsString() : "";
    if (name == "__upc_barrier" || name == "__upc_notify" || name == "__upc_wait") {
      check_barrier_value(rules, call, name.substr(2));
      return;
    }
    if (callee->getIdentifier() != nullptr) check_private_callee(rules, call, callee);
    if (callee->isImplicit() && callee->getBuiltinID() == 0)
      check_name(rules, callee, call->getBeginLoc());
  }
  const clang::QualType type = call->getCallee()->getType();
  const clang::QualType function = type->isPointerType() ? type->getPointeeType() : type;
  const auto* prototype = function->getAs<clang::FunctionProtoType>();
  if (prototype == nullptr) return;
  for (unsigned i = 0; i < prototype->getNumParams() && i < call->getNumArgs(); ++i) {
    check_conversion(rules, call->getArg(i), prototype->getParamType(i), "passing");
  }
}

}  // namespace atl::upc
