// SPDX-License-Identifier: BSD-3-Clause
//
// Accesses to shared lvalues (loads, stores, compound assignments, ++ and --), and the same on
// variables that hold a pointer-to-shared. Each evaluates its lvalue once. This file decides
// whether an access is strict.
#include <front/upc/translator/emitter.hpp>

namespace atl::upc {
namespace {

using clang::dyn_cast;

// The operator of a compound assignment without its '='.
std::string plain_operator(const clang::CompoundAssignOperator* expression) {
  std::string sign = expression->getOpcodeStr().str();
  sign.pop_back();
  return sign;
}

bool is_variable(const clang::Expr* lvalue) {
  return llvm::isa<clang::DeclRefExpr>(lvalue->IgnoreParens());
}

// Whether C has no address of the private object, because it is declared `register`.
bool is_in_register(const clang::Expr* lvalue) {
  const clang::Expr* bare = lvalue->IgnoreParens();
  const auto* member = dyn_cast<clang::MemberExpr>(bare);
  if (member != nullptr) return !member->isArrow() && is_in_register(member->getBase());
  const auto* reference = dyn_cast<clang::DeclRefExpr>(bare);
  const auto* variable =
      reference == nullptr ? nullptr : dyn_cast<clang::VarDecl>(reference->getDecl());
  return variable != nullptr && variable->getStorageClass() == clang::SC_Register;
}

}  // namespace

const clang::FieldDecl* emitter::bit_field(const clang::Expr* lvalue) {
  const auto* node = dyn_cast<clang::MemberExpr>(lvalue->IgnoreParens());
  if (node == nullptr) return nullptr;
  const auto* field = dyn_cast<clang::FieldDecl>(node->getMemberDecl());
  return field != nullptr && field->isBitField() ? field : nullptr;
}

std::string emitter::macro(const char* name, const clang::Expr* lvalue) const {
  return std::string("ATOLL_UPC_") + name + (types_.is_strict(lvalue) ? "_STRICT" : "");
}

// The private lvalue that stands for a shared one that this thread owns; empty if there is none.
std::string emitter::owned(const clang::Expr* lvalue) {
  if (owned_.empty()) return "";
  const clang::Expr* bare = lvalue->IgnoreParens();
  for (const owned_access& each : owned_) {
    if (each.lvalue == bare) return each.text;
  }
  if (const auto* node = dyn_cast<clang::MemberExpr>(bare); node != nullptr && !node->isArrow()) {
    const std::string base = owned(node->getBase());
    const std::string name = node->getMemberDecl()->getName().str();
    return base.empty() || name.empty() ? base : base + "." + name;
  }
  if (const auto* subscript = dyn_cast<clang::ArraySubscriptExpr>(bare)) {
    const auto* decay = dyn_cast<clang::ImplicitCastExpr>(subscript->getBase()->IgnoreParens());
    if (decay == nullptr || decay->getCastKind() != clang::CK_ArrayToPointerDecay) return "";
    const std::string base = owned(decay->getSubExpr());
    return base.empty() ? "" : base + "[" + value(subscript->getIdx()) + "]";
  }
  return "";
}

std::string emitter::load(const clang::Expr* lvalue) {
  if (const std::string text = owned(lvalue); !text.empty()) return text;
  if (bit_field(lvalue) != nullptr) {
    const auto* node = dyn_cast<clang::MemberExpr>(lvalue->IgnoreParens());
    return macro("GET_FIELD", lvalue) + "(" + field(node) + ")";
  }
  if (lvalue->getType()->isArrayType() || lvalue->getType()->isVoidType())
    return "(void)" + address(lvalue);
  return macro("GET", lvalue) + "(" + type_name(lvalue->getType().getUnqualifiedType()) + ", " +
         accessed(lvalue) + ")";
}

std::string emitter::structure_of(const clang::MemberExpr* lvalue) {
  const clang::Expr* base = lvalue->getBase();
  const clang::QualType type =
      lvalue->isArrow() ? base->getType()->getPointeeType() : base->getType();
  return checked_access(lvalue, type, lvalue->isArrow() ? value(base) : address(base));
}

// "struct S, member, pointer to the structure" of a bit-field.
std::string emitter::field(const clang::MemberExpr* lvalue) {
  const auto* declaration = dyn_cast<clang::FieldDecl>(lvalue->getMemberDecl());
  return record_name(declaration->getParent()) + ", " + declaration->getName().str() + ", " +
         structure_of(lvalue);
}

std::string emitter::store_field(const clang::MemberExpr* lvalue, const std::string& new_value) {
  return macro("PUT_FIELD", lvalue) + "(" + field(lvalue) + ", " + new_value + ")";
}

std::string emitter::assign(const clang::BinaryOperator* expression) {
  const clang::Expr *left = expression->getLHS(), *right = expression->getRHS();
  if (!types_.is_shared_lvalue(left)) {
    return copy(begin_of(expression), end_of(expression),
                {{begin_of(left), end_of(left), value(left)},
                 {begin_of(right), end_of(right), value(right)}});
  }
  if (const std::string text = owned(left); !text.empty())
    return "(" + text + " = " + value(right) + ")";
  if (bit_field(left) != nullptr)
    return store_field(dyn_cast<clang::MemberExpr>(left->IgnoreParens()), argument(right));
  return macro("PUT", left) + "(" + type_name(left->getType().getUnqualifiedType()) + ", " +
         accessed(left) + ", " + argument(right) + ")";
}

// Assigns a structure as a statement, by its bytes, without a copy on the stack. Empty if that is
// not possible.
std::string emitter::copy_object(const clang::BinaryOperator* expression) {
  const clang::Expr *left = expression->getLHS(), *right = expression->getRHS()->IgnoreParens();
  const auto* source = dyn_cast<clang::ImplicitCastExpr>(right);
  if (source == nullptr || source->getCastKind() != clang::CK_LValueToRValue) return "";
  const clang::Expr* origin = source->getSubExpr();
  const bool is_left = types_.is_shared(left->getType()),
             is_right = types_.is_shared(origin->getType());
  if (is_in_register(is_left ? origin : left)) return "";
  const std::string bytes = size(left->getType().getUnqualifiedType());
  if ((is_left && !owned(left).empty()) || (is_right && !owned(origin).empty())) return "";
  if (is_left && is_right) {
    const clang::Expr* strict = types_.is_strict(left) ? left : origin;
    return macro("COPY", strict) + "(" + accessed(left) + ", " + accessed(origin) + ", " + bytes +
           ")";
  }
  if (is_left)
    return macro("PUT_BYTES", left) + "(" + accessed(left) + ", &(" + value(origin) + "), " +
           bytes + ")";
  if (is_right)
    return macro("GET_BYTES", origin) + "(&(" + value(left) + "), " + accessed(origin) + ", " +
           bytes + ")";
  return "";
}

std::string emitter::update(const clang::CompoundAssignOperator* expression) {
  const clang::Expr *left = expression->getLHS(), *right = expression->getRHS();
  const std::string sign = plain_operator(expression);
  if (types_.is_pointer_to_shared(left->getType())) {
    const std::string number = sign == "-" ? "-(ptrdiff_t)(" + value(right) + ")" : value(right);
    return types_.is_shared(left->getType()) ? step_shared(left, number, false)
                                             : step_private(left, number, false);
  }
  if (!types_.is_shared_lvalue(left)) {
    return copy(begin_of(expression), end_of(expression),
                {{begin_of(left), end_of(left), value(left)},
                 {begin_of(right), end_of(right), value(right)}});
  }
  if (const std::string text = owned(left); !text.empty())
    return "(" + text + " " + sign + "= " + value(right) + ")";
  if (bit_field(left) != nullptr) {
    return update_field(dyn_cast<clang::MemberExpr>(left->IgnoreParens()), sign, argument(right),
                        false);
  }
  return macro("UPDATE", left) + "(" + type_name(left->getType().getUnqualifiedType()) + ", " +
         accessed(left) + ", " + sign + ", " + argument(right) + ")";
}

std::string emitter::increment(const clang::UnaryOperator* expression) {
  const clang::Expr* operand = expression->getSubExpr();
  const bool is_post = expression->isPostfix();
  const std::string sign = expression->isIncrementOp() ? "+" : "-";
  if (types_.is_pointer_to_shared(operand->getType())) {
    const std::string number = expression->isIncrementOp() ? "1" : "-1";
    if (types_.is_shared(operand->getType())) return step_shared(operand, number, is_post);
    const element_count elements = types_.elements_of(operand->getType()->getPointeeType());
    if (elements.number != 1 || elements.times_threads)
      return step_private(operand, number, is_post);
    return std::string("atoll_upc_") + (is_post ? "post_" : "") +
           (number == "1" ? "increment" : "decrement") + "(&(" + value(operand) + "), " +
           arguments_of_step(operand) + ")";
  }
  if (!types_.is_shared_lvalue(operand)) return children(expression);
  if (const std::string text = owned(operand); !text.empty())
    return is_post ? "(" + text + sign + sign + ")" : "(" + sign + sign + text + ")";
  if (bit_field(operand) != nullptr) {
    return update_field(dyn_cast<clang::MemberExpr>(operand->IgnoreParens()), sign, "1", is_post);
  }
  return macro(is_post ? "POST_UPDATE" : "UPDATE", operand) + "(" +
         type_name(operand->getType().getUnqualifiedType()) + ", " + accessed(operand) + ", " +
         sign + ", 1)";
}

// Moves a private variable that holds a pointer-to-shared by a number of elements.
std::string emitter::step_private(const clang::Expr* lvalue, const std::string& number,
                                  bool is_post) {
  if (is_variable(lvalue) && !is_post) {
    const std::string name = value(lvalue);
    return "(" + name + " = " + step(lvalue, name, number) + ")";
  }
  const std::string text = "__extension__({ atoll_upc_pointer* const atoll_upc_variable = &(" +
                           value(lvalue) +
                           "); const atoll_upc_pointer atoll_upc_old = *atoll_upc_variable; ";
  return text + "*atoll_upc_variable = " + step(lvalue, "atoll_upc_old", number) + ";" +
         (is_post ? " atoll_upc_old;" : " *atoll_upc_variable;") + " })";
}

// The same for a pointer-to-shared in shared memory.
std::string emitter::step_shared(const clang::Expr* lvalue, const std::string& number,
                                 bool is_post) {
  return "__extension__({ const atoll_upc_pointer atoll_upc_variable = " + accessed(lvalue) +
         "; const atoll_upc_pointer atoll_upc_old = " + macro("GET", lvalue) +
         "(atoll_upc_pointer, atoll_upc_variable); const atoll_upc_pointer atoll_upc_new = " +
         step(lvalue, "atoll_upc_old", number) + "; (void)" + macro("PUT", lvalue) +
         "(atoll_upc_pointer, atoll_upc_variable, atoll_upc_new); " +
         (is_post ? "atoll_upc_old" : "atoll_upc_new") + "; })";
}

std::string emitter::update_field(const clang::MemberExpr* lvalue, const std::string& operation,
                                  const std::string& operand, bool is_post) {
  const auto* declaration = dyn_cast<clang::FieldDecl>(lvalue->getMemberDecl());
  const std::string place = record_name(declaration->getParent()) + ", " +
                            declaration->getName().str() + ", atoll_upc_structure";
  const std::string type = type_name(lvalue->getType().getUnqualifiedType());
  return "__extension__({ const atoll_upc_pointer atoll_upc_structure = " + structure_of(lvalue) +
         "; const " + type + " atoll_upc_before = " + macro("GET_FIELD", lvalue) + "(" + place +
         "); const " + type + " atoll_upc_after = " + macro("PUT_FIELD", lvalue) + "(" + place +
         ", atoll_upc_before " + operation + " (" + operand + ")); (void)atoll_upc_after; " +
         (is_post ? "atoll_upc_before" : "atoll_upc_after") + "; })";
}

}  // namespace atl::upc
