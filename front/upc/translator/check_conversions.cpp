// SPDX-License-Identifier: BSD-3-Clause
//
// Conversions between pointers-to-shared (UPC 1.3, 6.4.3): the block size is part of the type, and
// only `shared void *` converts by itself. Clang has one type for all block sizes, so each place
// where C would convert is checked here. If the block size of an expression is not known, nothing
// is compared.
#include <front/upc/translator/checks.hpp>

namespace atl::upc {
namespace {

using clang::dyn_cast;

bool is_implied(const clang::CastExpr* cast) {
  if (!llvm::isa<clang::ImplicitCastExpr>(cast)) return false;
  switch (cast->getCastKind()) {
    case clang::CK_BitCast:
    case clang::CK_NoOp:
    case clang::CK_IntegralToPointer:
    case clang::CK_PointerToIntegral:
    case clang::CK_AddressSpaceConversion:
    case clang::CK_NullToPointer:
      return true;
    default:
      return false;
  }
}

bool is_private_pointer(const rule_checks& rules, clang::QualType type) {
  return type->isPointerType() && !rules.types.is_pointer_to_shared(type);
}

// Whether pointers convert: their pointees have one type without qualifiers; integers of one size
// are one type here.
bool have_one_element(const rule_checks& rules, clang::QualType first_type, clang::QualType other) {
  clang::ASTContext& tree = rules.source.tree;
  if (first_type->isArrayType() && other->isArrayType()) {
    return tree.typesAreCompatible(first_type.getCanonicalType(), other.getCanonicalType());
  }
  first_type = tree.getBaseElementType(first_type).getCanonicalType().getUnqualifiedType();
  other = tree.getBaseElementType(other).getCanonicalType().getUnqualifiedType();
  if (first_type->isVoidType() || other->isVoidType()) return true;
  if (first_type->isIntegralOrEnumerationType() && other->isIntegralOrEnumerationType()) {
    return tree.getTypeSize(first_type) == tree.getTypeSize(other);
  }
  if (first_type->isPointerType() && other->isPointerType())
    return true;  // its own levels are compared elsewhere
  return tree.typesAreCompatible(first_type, other);
}

// Compares the pointees of private pointers to pointers-to-shared, and of pointers-to-shared to
// such.
bool inner_levels_agree(const rule_checks& rules, clang::QualType first_type,
                        clang::QualType other) {
  const auto* first = rules.types.element_of(first_type)->getAs<clang::PointerType>();
  const auto* second = rules.types.element_of(other)->getAs<clang::PointerType>();
  if (first == nullptr || second == nullptr) return true;
  const clang::QualType inner = first->getPointeeType(), other_inner = second->getPointeeType();
  if (inner->isVoidType() || other_inner->isVoidType()) return true;
  if (rules.types.is_shared(inner) && rules.types.is_shared(other_inner)) {
    const auto layout_of_one = rules.types.declared_layout(inner),
               layout_of_other = rules.types.declared_layout(other_inner);
    if (layout_of_one && layout_of_other && *layout_of_one != *layout_of_other) return false;
  }
  return inner_levels_agree(rules, inner, other_inner);
}

// Programs pass the address of a single member although they should not; it has one element, and no
// other.
bool is_address_of_member(const clang::Expr* pointer) {
  const auto* address = dyn_cast<clang::UnaryOperator>(pointer->IgnoreParens());
  return address != nullptr && address->getOpcode() == clang::UO_AddrOf &&
         llvm::isa<clang::MemberExpr>(address->getSubExpr()->IgnoreParens());
}

void check_pointers(rule_checks& rules, const clang::Expr* from, clang::QualType target,
                    const std::string& use) {
  const clang::QualType pointee = target->getPointeeType();
  if (from->getType()->getPointeeType()->isVoidType() || pointee->isVoidType()) return;
  const auto given = rules.types.find_pointee_layout(from),
             expected = rules.types.declared_layout(pointee);
  const std::string type_pair = rules.pointer_in_words(from) + " to " + rules.words.quoted(target);
  if (given && expected && !given->is_generic && !expected->is_generic &&
      given->block != expected->block) {
    if (is_address_of_member(from) && expected->block == 1) {
      rules.warn(from->getExprLoc(), "incompatible-pointer-types",
                 use + " " + type_pair +
                     ": the address of a member is 'shared []'; the next element would be on "
                     "another thread");
      return;
    }
    rules.error(
        from->getExprLoc(),
        use + " " + type_pair + ": the block sizes differ; only a cast converts between them");
  } else if (!have_one_element(rules, from->getType()->getPointeeType(), pointee)) {
    rules.warn(from->getExprLoc(), "incompatible-pointer-types",
               use + " " + type_pair + ": the elements have different types");
  } else if (!inner_levels_agree(rules, from->getType()->getPointeeType(), pointee)) {
    rules.error(
        from->getExprLoc(),
        use + " " + type_pair + ": the pointers that these point to have different block sizes");
  }
}

void check_members(rule_checks& rules, const clang::InitListExpr* list, clang::QualType target,
                   const std::string& use) {
  if (const auto* array = rules.source.tree.getAsArrayType(target)) {
    for (const clang::Expr* each : list->inits())
      check_conversion(rules, each, array->getElementType(), use);
    return;
  }
  const auto* record = target->getAs<clang::RecordType>();
  if (record == nullptr) {
    if (list->getNumInits() == 1) check_conversion(rules, list->getInit(0), target, use);
    return;
  }
  if (const clang::FieldDecl* field = list->getInitializedFieldInUnion()) {
    if (list->getNumInits() == 1) check_conversion(rules, list->getInit(0), field->getType(), use);
    return;
  }
  unsigned i = 0;
  for (const clang::FieldDecl* field : record->getDecl()->fields()) {
    if (field->isUnnamedBitField()) continue;
    if (i < list->getNumInits()) check_conversion(rules, list->getInit(i), field->getType(), use);
    ++i;
  }
}

// A pointer in a cast's type may be a pointer-to-shared only where that of the operand is one.
bool makes_shared_of_private(const rule_checks& rules, clang::QualType from, clang::QualType to) {
  const auto* source = from->getAs<clang::PointerType>();
  const auto* target = to->getAs<clang::PointerType>();
  if (source == nullptr || target == nullptr) return false;
  const clang::QualType given = source->getPointeeType(), expected = target->getPointeeType();
  if (rules.types.is_shared(expected) && !rules.types.is_shared(given)) return true;
  return makes_shared_of_private(rules, given, expected);
}

}  // namespace

const clang::Expr* before_conversion(const clang::Expr* expression) {
  for (;;) {
    const auto* cast = dyn_cast<clang::CastExpr>(expression);
    if (cast == nullptr || !is_implied(cast)) return expression;
    expression = cast->getSubExpr();
  }
}

bool is_null_constant(const clang::ASTContext& tree, const clang::Expr* expression) {
  return expression->isNullPointerConstant(const_cast<clang::ASTContext&>(tree),
                                           clang::Expr::NPC_ValueDependentIsNotNull) !=
         clang::Expr::NPCK_NotNull;
}

void check_conversion(rule_checks& rules, const clang::Expr* expression, clang::QualType target,
                      const std::string& use) {
  if (expression->containsErrors() || target->isDependentType()) return;
  if (const auto* list = dyn_cast<clang::InitListExpr>(expression)) {
    check_members(rules, list, target, use);
    return;
  }
  const clang::Expr* from = before_conversion(expression);
  const clang::QualType given = from->getType();
  const bool is_from = rules.types.is_pointer_to_shared(given),
             is_to = rules.types.is_pointer_to_shared(target);
  if (is_to && is_from) {
    check_pointers(rules, from, target, use);
  } else if (is_to && given->isIntegralOrEnumerationType() &&
             !is_null_constant(rules.source.tree, from)) {
    rules.error(from->getExprLoc(), use + " an integer to " + rules.words.quoted(target) +
                                        ": only the constant 0 becomes a pointer-to-shared");
  } else if (is_to && is_private_pointer(rules, given) &&
             !is_null_constant(rules.source.tree, from)) {
    rules.error(from->getExprLoc(), use + " " + rules.words.quoted(given) + " to " +
                                        rules.words.quoted(target) +
                                        ": a private pointer cannot become a pointer-to-shared");
  } else if (is_from && is_private_pointer(rules, target)) {
    rules.error(from->getExprLoc(),
                use + " " + rules.pointer_in_words(from) + " to " + rules.words.quoted(target) +
                    ": a pointer-to-shared becomes a private pointer only by a cast");
  } else if (is_from && target->isIntegralOrEnumerationType() && !target->isBooleanType()) {
    rules.error(from->getExprLoc(),
                use + " " + rules.pointer_in_words(from) + " to an integer (" +
                    rules.words.quoted(target) +
                    "): upc_addrfield, upc_threadof and upc_phaseof take it apart");
  } else if (given->isPointerType() && target->isPointerType() &&
             !inner_levels_agree(rules, given, target)) {
    rules.error(from->getExprLoc(), use + " " + rules.words.quoted(given) + " to " +
                                        rules.words.quoted(target) +
                                        ": the block sizes of what they point to differ");
  }
}

void check_cast(rule_checks& rules, const clang::ExplicitCastExpr* cast) {
  clang::QualType target = cast->getTypeAsWritten();
  if (cast->containsErrors() || target->isDependentType()) return;
  check_type(rules, target, cast->getBeginLoc());
  const clang::Expr* from = before_conversion(cast->getSubExpr());
  const clang::QualType given = from->getType();
  if (rules.types.is_shared(target) && target->isPointerType()) {
    // Programs write it where they assign to a shared variable.
    rules.warn(cast->getBeginLoc(), "upc-cast",
               "a cast gives a value, which is not shared: the last 'shared' of " +
                   rules.words.quoted(target) + " has no effect");
    target = rules.source.tree.getPointerType(target->getPointeeType());
  } else if (rules.types.is_shared(target) && !target->isVoidType()) {
    rules.error(cast->getBeginLoc(), "a cast cannot give a shared value (" +
                                         rules.words.quoted(target) +
                                         "); cast to the type without 'shared'");
    return;
  }
  if (is_null_constant(rules.source.tree, from)) return;
  const bool is_to = rules.types.is_pointer_to_shared(target);
  if (is_to && given->isIntegralOrEnumerationType()) {
    rules.error(cast->getBeginLoc(), "an integer cannot be cast to " + rules.words.quoted(target) +
                                         ": only the constant 0 becomes a pointer-to-shared");
  } else if (is_to && is_private_pointer(rules, given)) {
    rules.error(cast->getBeginLoc(), "a private pointer (" + rules.words.quoted(given) +
                                         ") cannot be cast to " + rules.words.quoted(target) +
                                         ": its memory may not be shared");
  } else if (makes_shared_of_private(rules, given, target)) {
    rules.error(cast->getBeginLoc(), "casting " + rules.words.quoted(given) + " to " +
                                         rules.words.quoted(target) +
                                         " would make a pointer-to-shared of a private pointer");
  }
}

// Checks two operands that must have one type: of a comparison, a subtraction, '?:'.
void check_pair(rule_checks& rules, const clang::Expr* left, const clang::Expr* right,
                clang::SourceLocation place, const std::string& use) {
  if (left->containsErrors() || right->containsErrors()) return;
  left = before_conversion(left);
  right = before_conversion(right);
  const bool is_left = rules.types.is_pointer_to_shared(left->getType());
  const bool is_right = rules.types.is_pointer_to_shared(right->getType());
  if (!is_left && !is_right) {
    if (left->getType()->isPointerType() && right->getType()->isPointerType() &&
        !inner_levels_agree(rules, left->getType(), right->getType())) {
      rules.error(place, use + " " + rules.words.quoted(left->getType()) + " and " +
                             rules.words.quoted(right->getType()) +
                             ": the block sizes of what they point to differ");
    }
    return;
  }
  const clang::Expr* other = is_left ? right : left;
  const std::string type_pair =
      rules.pointer_in_words(left) + " and " + rules.pointer_in_words(right);
  if (is_left != is_right) {
    if (is_null_constant(rules.source.tree, other)) return;
    if (other->getType()->isPointerType()) {
      rules.error(place, use + " a pointer-to-shared and a private pointer (" + type_pair + ")");
    } else if (other->getType()->isIntegralOrEnumerationType()) {
      rules.error(place, use + " a pointer-to-shared and an integer (" + type_pair + ")");
    }
    return;
  }
  const clang::QualType first = left->getType()->getPointeeType(),
                        second = right->getType()->getPointeeType();
  if (first->isVoidType() || second->isVoidType() || is_null_constant(rules.source.tree, left) ||
      is_null_constant(rules.source.tree, right)) {
    return;
  }
  const auto left_layout = rules.types.find_pointee_layout(left),
             right_layout = rules.types.find_pointee_layout(right);
  if (left_layout && right_layout && left_layout->block != right_layout->block) {
    rules.error(place, use + " " + type_pair + ": the block sizes differ");
  } else if (!have_one_element(rules, first, second)) {
    rules.warn(place, "incompatible-pointer-types",
               use + " " + type_pair + ": the elements have different types");
  }
}

}  // namespace atl::upc
