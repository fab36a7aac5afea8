// SPDX-License-Identifier: BSD-3-Clause
//
// Checks at run time, with -check: a subscript lies within its array, an access reaches memory that
// a program may access, a private pointer is made from a pointer-to-shared of this thread. Calls of
// the library (locks, barriers, allocation, copies) note where they stand, so that messages of the
// library have a file and a line. Transformations are off, since they access elements without a
// check.
#include <front/upc/translator/emitter.hpp>

namespace atl::upc {
namespace {

using clang::dyn_cast;

}  // namespace

// The file and the line, as two arguments.
std::string emitter::source_place(clang::SourceLocation place) const {
  const clang::PresumedLoc found = program_.sources().getPresumedLoc(place);
  return string_of_c(found.getFilename()) + ", " + std::to_string(found.getLine());
}

// Checks a subscript of an array whose size is known. The address of one element past the end of
// the array may be taken (ISO C 6.5.6).
std::string emitter::checked_subscript(const clang::ArraySubscriptExpr* expression,
                                       const std::string& index, bool may_be_end) {
  const auto* decay = dyn_cast<clang::ImplicitCastExpr>(expression->getBase()->IgnoreParens());
  if (!program_.options.with_checks || decay == nullptr) return index;
  const auto* array = dyn_cast_or_null<clang::ConstantArrayType>(
      program_.tree.getAsArrayType(decay->getSubExpr()->getType()));
  if (array == nullptr) return index;
  const element_count elements = types_.elements_of(program_.tree.getConstantArrayType(
      program_.tree.CharTy, array->getSize(), nullptr, clang::ArraySizeModifier::Normal, 0));
  return "atoll_upc_check_index((ptrdiff_t)(" + index + "), (ptrdiff_t)(" + count(elements) +
         "), " + (may_be_end ? "1, " : "0, ") + source_place(expression->getExprLoc()) + ")";
}

// The pointer to a shared lvalue that is read or written.
std::string emitter::accessed(const clang::Expr* lvalue) {
  return checked_access(lvalue, lvalue->getType(), address(lvalue));
}

std::string emitter::checked_access(const clang::Expr* place, clang::QualType type,
                                    const std::string& pointer) {
  if (!program_.options.with_checks) return pointer;
  return "atoll_upc_checked(" + pointer + ", " + size(type.getUnqualifiedType()) + ", " +
         source_place(place->getExprLoc()) + ")";
}

// Adds the place to a call of UPC's library or a statement that synchronizes.
std::string emitter::placed_call(const clang::Expr* expression, const std::string& text) const {
  const auto* call = dyn_cast<clang::CallExpr>(expression);
  const clang::FunctionDecl* callee =
      call == nullptr || !program_.options.with_checks ? nullptr : call->getDirectCallee();
  if (callee == nullptr || callee->getIdentifier() == nullptr) return text;
  const llvm::StringRef name = callee->getName();
  const bool is_of_upc =
      name.starts_with("upc_") || name.starts_with("bupc_") || name.starts_with(own_prefix);
  if (!is_of_upc) return text;
  return "(ATOLL_UPC_AT(" + source_place(call->getBeginLoc()) + "), " + text + ")";
}

}  // namespace atl::upc
