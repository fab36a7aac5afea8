// SPDX-License-Identifier: BSD-3-Clause
//
// Constants that depend on the number of threads: where C needs a constant, a program that is
// compiled for any number cannot use THREADS (UPC 1.3, 6.2.2 and 6.4.1). Clang sees a number there,
// which stands for THREADS, so it does not object.
#include <front/upc/translator/checks.hpp>

namespace atl::upc {
namespace {

using clang::dyn_cast;

bool is_size_with_threads(const rule_checks& rules,
                          const clang::UnaryExprOrTypeTraitExpr* expression) {
  const std::size_t place = rules.source.place(expression->getBeginLoc());
  return expression->getKind() == clang::UETT_SizeOf &&
         rules.source.source.size_operators.count(place) == 0 &&
         rules.types.elements_of(expression->getTypeOfArgument()).times_threads;
}

const clang::Expr* find_in(const rule_checks& rules, const clang::Stmt* node) {
  if (node == nullptr) return nullptr;
  if (const auto* size = dyn_cast<clang::UnaryExprOrTypeTraitExpr>(node)) {
    return is_size_with_threads(rules, size) ? size : nullptr;  // the operand is not evaluated
  }
  if (const auto* reference = dyn_cast<clang::DeclRefExpr>(node)) {
    const clang::IdentifierInfo* name = reference->getDecl()->getIdentifier();
    if (name == nullptr) return nullptr;
    const auto* enumeration = dyn_cast<clang::EnumDecl>(reference->getDecl()->getDeclContext());
    const bool has_threads = name->getName() == "__upc_threads" ||
                             (enumeration != nullptr && rules.source.sizes_with_threads.count(
                                                            enumeration->getName().str()) > 0);
    return has_threads ? reference : nullptr;
  }
  for (const clang::Stmt* child : node->children()) {
    if (const clang::Expr* found = find_in(rules, child)) return found;
  }
  return nullptr;
}

bool is_threads(const clang::Expr* expression) {
  const auto* reference = dyn_cast<clang::DeclRefExpr>(expression->IgnoreParenCasts());
  const clang::IdentifierInfo* name =
      reference == nullptr ? nullptr : reference->getDecl()->getIdentifier();
  return name != nullptr && name->getName() == "__upc_threads";
}

}  // namespace

// Sums and squares of THREADS are recognized by the number that they give.
void check_threads_factor(rule_checks& rules, const clang::TypeSourceInfo* written) {
  if (!rules.is_dynamic() || written == nullptr) return;
  clang::TypeLoc type = written->getTypeLoc();
  for (; !type.isNull(); type = type.getNextTypeLoc()) {
    const auto array = type.getAs<clang::ArrayTypeLoc>();
    if (array.isNull() || array.getSizeExpr() == nullptr) continue;
    if (!rules.types.is_shared(array.getType())) continue;
    const auto* product =
        dyn_cast<clang::BinaryOperator>(array.getSizeExpr()->IgnoreParenImpCasts());
    if (product == nullptr || product->getOpcode() != clang::BO_Mul) continue;
    if (is_threads(product->getLHS()) || is_threads(product->getRHS())) continue;
    if (find_threads(rules, product) == nullptr) continue;
    rules.error(product->getOperatorLoc(),
                "THREADS must stand alone or be multiplied by one constant, as in "
                "THREADS*(100*20); compile for a number of threads (-T) if more is meant");
  }
}

const clang::Expr* find_threads(const rule_checks& rules, const clang::Stmt* expression) {
  return rules.is_dynamic() ? find_in(rules, expression) : nullptr;
}

void check_constant(rule_checks& rules, const clang::Expr* expression, const std::string& use) {
  const clang::Expr* threads = expression == nullptr ? nullptr : find_threads(rules, expression);
  if (threads == nullptr) return;
  rules.error(threads->getBeginLoc(),
              use +
                  " must be constant, and THREADS is known only when the program starts; "
                  "compile for a number of threads (-T)");
}

}  // namespace atl::upc
