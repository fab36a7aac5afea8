// SPDX-License-Identifier: BSD-3-Clause
//
// Conversions, both written ones and those that C makes by itself (section 6.4.3 of the
// specification of UPC 1.3). A conversion between pointers-to-shared keeps the phase where both
// have one layout, and from and to `shared void*`; else the phase becomes 0.
#include <front/upc/translator/emitter.hpp>

namespace atl::upc {
namespace {

using clang::dyn_cast;

}  // namespace

std::string emitter::cast(const clang::CastExpr* expression) {
  const clang::Expr* source = expression->getSubExpr();
  const bool is_from = types_.is_pointer_to_shared(source->getType());
  const bool is_to = types_.is_pointer_to_shared(expression->getType());
  switch (expression->getCastKind()) {
    case clang::CK_LValueToRValue:
      return types_.is_shared(source->getType()) ? load(source) : value(source);
    case clang::CK_ArrayToPointerDecay:
      return types_.is_shared(source->getType()) ? address(source) : value(source);
    case clang::CK_PointerToBoolean:
      if (is_from) return "(!atoll_upc_is_null(" + value(source) + "))";
      break;
    case clang::CK_PointerToIntegral:
      if (is_from)
        return "((" + type_name(expression->getType()) + ")(" + value(source) + ").offset)";
      break;
    case clang::CK_NullToPointer:
      if (is_to) return "ATOLL_UPC_NULL";
      break;
    default:
      break;
  }
  if (is_from || is_to) return cast_pointer(expression);
  if (const auto* written = dyn_cast<clang::ExplicitCastExpr>(expression))
    return written_cast(written);
  return value(source);
}

std::string emitter::written_cast(const clang::ExplicitCastExpr* expression) {
  const clang::Expr* source = expression->getSubExpr();
  const std::string operand =
      expression->getCastKind() == clang::CK_ToVoid ? discard(source) : value(source);
  if (types_.is_spelled_anew(expression->getType()))
    return "((" + type_name(expression->getType()) + ")" + operand + ")";
  return copy(begin_of(expression), end_of(expression),
              {{begin_of(source), end_of(source), operand}});
}

// Conversions from or to a pointer-to-shared.
std::string emitter::cast_pointer(const clang::CastExpr* expression) {
  const clang::Expr* source = expression->getSubExpr();
  const std::string text = value(source);
  const bool is_from = types_.is_pointer_to_shared(source->getType());
  const bool is_to = types_.is_pointer_to_shared(expression->getType());
  if (expression->getCastKind() == clang::CK_ToVoid) return "((void)" + text + ")";
  if (!is_to) {
    const std::string type = type_name(expression->getType());
    if (!program_.options.with_checks) return "((" + type + ")atoll_upc_local(" + text + "))";
    return "((" + type + ")atoll_upc_local_checked(" + text + ", " +
           source_place(expression->getBeginLoc()) + "))";
  }
  if (!is_from) {
    if (source->isNullPointerConstant(program_.tree, clang::Expr::NPC_ValueDependentIsNotNull)) {
      return "ATOLL_UPC_NULL";
    }
    if (source->getType()->isPointerType()) {
      refuse(expression, "a private pointer cannot become a pointer-to-shared");
    }
    return "((atoll_upc_pointer){(uint64_t)(" + text + "), 0, 0})";
  }
  const layout from = types_.pointee_layout(source), to = types_.pointee_layout(expression);
  const bool is_same = !from.is_generic && from.block == to.block &&
                       types_.element_bytes(source->getType()->getPointeeType()) ==
                           types_.element_bytes(expression->getType()->getPointeeType());
  const bool has_no_phase = !from.is_generic && from.block <= 1;
  if (to.is_generic || is_same || has_no_phase || (from.is_generic && to.block > 1)) {
    return llvm::isa<clang::ExplicitCastExpr>(expression) ? "(" + text + ")" : text;
  }
  return "atoll_upc_reset_phase(" + text + ")";
}

}  // namespace atl::upc
