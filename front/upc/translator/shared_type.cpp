// SPDX-License-Identifier: BSD-3-Clause
//
// Reading types and layouts. The rules are those of sections 6.4.2, 6.4.3 and 6.5.1.1 of the
// specification of UPC 1.3: a layout applies to the ultimate element of an array; a member of a
// shared structure is `shared []`.
#include <front/upc/translator/shared_type.hpp>

#include <front/upc/translator/type_words.hpp>

#include <algorithm>

namespace atl::upc {
namespace {

using clang::dyn_cast;

bool is_in_shared_space(clang::QualType type) {
  return clang::isTargetAddressSpace(type.getAddressSpace());
}

const clang::Expr* without_parentheses(const clang::Expr* expression) {
  return expression->IgnoreParens();
}

}  // namespace

bool shared_types::is_shared(clang::QualType type) const {
  return is_in_shared_space(program_.tree.getBaseElementType(type));
}

bool shared_types::is_pointer_to_shared(clang::QualType type) const {
  const auto* pointer = type->getAs<clang::PointerType>();
  return pointer != nullptr && is_shared(pointer->getPointeeType());
}

bool shared_types::is_pointer_to_shared_void(clang::QualType type) const {
  return is_pointer_to_shared(type) && type->getPointeeType()->isVoidType();
}

bool shared_types::mentions_shared(clang::QualType type) const {
  const clang::QualType canonical = type.getCanonicalType();
  if (is_in_shared_space(canonical)) return true;
  if (const auto* pointer = dyn_cast<clang::PointerType>(canonical))
    return mentions_shared(pointer->getPointeeType());
  if (const auto* array = dyn_cast<clang::ArrayType>(canonical))
    return mentions_shared(array->getElementType());
  if (const auto* function = dyn_cast<clang::FunctionType>(canonical)) {
    if (mentions_shared(function->getReturnType())) return true;
  }
  if (const auto* function = dyn_cast<clang::FunctionProtoType>(canonical)) {
    for (const clang::QualType parameter : function->param_types()) {
      if (mentions_shared(parameter)) return true;
    }
  }
  return false;
}

// Whether this type has, or its pointers lead to, a private array of a multiple of THREADS
// elements.
bool shared_types::has_private_threads(clang::QualType type) const {
  if (is_shared(type) || !is_dynamic()) return false;
  if (const auto* pointer = type->getAs<clang::PointerType>())
    return has_private_threads(pointer->getPointeeType());
  if (const auto* function = type->getAs<clang::FunctionProtoType>()) {
    for (const clang::QualType parameter : function->param_types()) {
      if (has_private_threads(parameter)) return true;
    }
    return has_private_threads(function->getReturnType());
  }
  const auto* array = program_.tree.getAsArrayType(type);
  return array != nullptr &&
         (elements_of(type).times_threads || has_private_threads(array->getElementType()));
}

bool shared_types::is_without_name(const clang::TypedefNameDecl* alias) const {
  return alias->getDeclContext()->getRedeclContext()->isTranslationUnit() &&
         has_private_threads(alias->getUnderlyingType());
}

bool shared_types::is_spelled_anew(clang::QualType type) const {
  if (mentions_shared(type)) return true;
  if (!has_private_threads(type)) return false;
  if (const auto* alias = type->getAs<clang::TypedefType>())
    return is_without_name(alias->getDecl()) || is_spelled_anew(alias->desugar());
  if (const auto* pointer = type->getAs<clang::PointerType>())
    return is_spelled_anew(pointer->getPointeeType());
  if (const auto* function = type->getAs<clang::FunctionProtoType>()) {
    for (const clang::QualType parameter : function->param_types()) {
      if (is_spelled_anew(parameter)) return true;
    }
    return is_spelled_anew(function->getReturnType());
  }
  const auto* array = program_.tree.getAsArrayType(type);
  return array != nullptr && is_spelled_anew(array->getElementType());
}

shared_qualifiers shared_types::qualifiers_of(clang::QualType type) const {
  shared_qualifiers result;
  for (;;) {
    if (const auto* array = program_.tree.getAsArrayType(type);
        array != nullptr && type->isArrayType()) {
      if (const auto* direct = dyn_cast<clang::ArrayType>(type.getTypePtr())) {
        type = direct->getElementType();
        continue;
      }
    }
    if (const auto* tagged = dyn_cast<clang::BTFTagAttributedType>(type.getTypePtr())) {
      const llvm::StringRef tag = tagged->getAttr()->getBTFTypeTag();
      if (tag == "upc:strict") {
        if (result.access == access_kind::unspecified) result.access = access_kind::strict;
      } else if (tag == "upc:relaxed") {
        if (result.access == access_kind::unspecified) result.access = access_kind::relaxed;
      } else if (tag.starts_with("upc:")) {
        // `shared` without brackets takes the layout from a typedef below it.
        if (!result.block || *result.block == "1") result.block = tag.drop_front(4).str();
        ++result.layouts;
      }
      type = tagged->getWrappedType();
      continue;
    }
    if (const auto* attributed = dyn_cast<clang::AttributedType>(type.getTypePtr())) {
      type = attributed->getModifiedType();
      continue;
    }
    const clang::QualType next = type.getSingleStepDesugaredType(program_.tree);
    if (next.getTypePtr() == type.getTypePtr()) return result;
    type = next;
  }
}

clang::QualType shared_types::element_of(clang::QualType type) const {
  clang::QualType element = type;
  while (const auto* array = program_.tree.getAsArrayType(element))
    element = array->getElementType();
  return element;
}

element_count shared_types::elements_of(clang::QualType type) const {
  element_count result;
  while (const auto* array = program_.tree.getAsArrayType(type)) {
    if (const auto* known = dyn_cast<clang::ConstantArrayType>(array)) {
      std::uint64_t number = known->getSize().getZExtValue();
      if (is_dynamic() && number != 0 && number % threads_stand_in == 0) {
        number /= threads_stand_in;
        result.times_threads = true;
      }
      result.number *= number;
    }
    type = array->getElementType();
  }
  return result;
}

std::uint64_t shared_types::element_bytes(clang::QualType type) const {
  const clang::QualType element = element_of(type);
  if (element->isVoidType() || element->isIncompleteType()) return 1;
  return static_cast<std::uint64_t>(program_.tree.getTypeSizeInChars(element).getQuantity());
}

std::uint64_t shared_types::block_of_tag(const std::string& tag, clang::QualType type) const {
  if (tag == "*") {
    const element_count size = elements_of(type);
    if (size.times_threads) return size.number;
    const std::uint64_t threads =
        program_.options.static_threads == 0 ? 1 : program_.options.static_threads;
    return (size.number + threads - 1) / threads;
  }
  if (tag[0] == '#') return program_.blocks[std::stoul(tag.substr(1))].getExtValue();
  return std::stoull(tag);
}

std::optional<layout> shared_types::declared_layout(clang::QualType type) const {
  if (element_of(type)->isVoidType()) return layout{1, true};
  const shared_qualifiers found = qualifiers_of(type);
  if (!found.block) return std::nullopt;
  return layout{block_of_tag(*found.block, type), false};
}

bool shared_types::is_shared_lvalue(const clang::Expr* lvalue) const {
  const auto* part = dyn_cast<clang::UnaryOperator>(lvalue->IgnoreParens());
  const bool is_part = part != nullptr &&
                       (part->getOpcode() == clang::UO_Real || part->getOpcode() == clang::UO_Imag);
  return is_shared(lvalue->getType()) ||
         (is_part && part->isGLValue() && is_shared_lvalue(part->getSubExpr()));
}

layout shared_types::layout_of(const clang::Expr* lvalue) const {
  return insist(find_layout(lvalue), lvalue);
}

layout shared_types::pointee_layout(const clang::Expr* pointer) const {
  return insist(find_pointee_layout(pointer), pointer);
}

layout shared_types::insist(std::optional<layout> found, const clang::Expr* expression) const {
  if (found) return *found;
  program_.error(
      expression->getExprLoc(),
      "the translator does not know the block size of this expression of type '" +
          type_words(program_.tree, program_.source, is_dynamic()).text(expression->getType()) +
          "'; a cast to the pointer-to-shared type that is meant helps (this is a "
          "defect of atoll-upc)");
  return {};
}

std::optional<layout> shared_types::find_layout(const clang::Expr* lvalue) const {
  const clang::Expr* expression = without_parentheses(lvalue);
  if (llvm::isa<clang::MemberExpr>(expression)) return layout{0, false};
  if (const auto* reference = dyn_cast<clang::DeclRefExpr>(expression)) {
    return declared_layout(reference->getDecl()->getType());
  }
  if (const auto* subscript = dyn_cast<clang::ArraySubscriptExpr>(expression)) {
    return find_pointee_layout(subscript->getBase());
  }
  if (const auto* unary = dyn_cast<clang::UnaryOperator>(expression)) {
    if (unary->getOpcode() == clang::UO_Deref) return find_pointee_layout(unary->getSubExpr());
    if (unary->getOpcode() == clang::UO_Real || unary->getOpcode() == clang::UO_Imag)
      return layout{0, false};
    return find_layout(unary->getSubExpr());
  }
  if (const auto* cast = dyn_cast<clang::CastExpr>(expression))
    return find_layout(cast->getSubExpr());
  return declared_layout(expression->getType());
}

std::optional<element_count> shared_types::value_of(
    const clang::UnaryExprOrTypeTraitExpr* expression, size_operator kind) const {
  const clang::QualType type = expression->getTypeOfArgument();
  if (!is_shared(type) || type->isVoidType() || type->isIncompleteType()) return std::nullopt;
  const std::uint64_t bytes = element_bytes(type);
  if (kind == size_operator::element_size) return element_count{bytes, false};
  const std::optional<layout> spread = expression->isArgumentType()
                                           ? declared_layout(type).value_or(layout{1, false})
                                           : find_layout(expression->getArgumentExpr());
  if (!spread) return std::nullopt;
  const std::uint64_t block = spread->block;
  if (kind == size_operator::block_size) return element_count{block, false};
  const element_count elements = elements_of(type);
  if (block == 0) return element_count{elements.number * bytes, elements.times_threads};
  if (elements.times_threads)
    return element_count{elements.number / block * block * bytes, elements.number % block != 0};
  const std::uint64_t threads = program_.options.static_threads;
  if (threads == 0) return element_count{std::min(elements.number, block) * bytes, false};
  const std::uint64_t row = block * threads;
  return element_count{
      (elements.number / row * block + std::min(elements.number % row, block)) * bytes, false};
}

std::optional<layout> shared_types::of_cast(const clang::CastExpr* cast) const {
  const clang::Expr* source = cast->getSubExpr();
  if (cast->getCastKind() == clang::CK_ArrayToPointerDecay) return find_layout(source);
  const std::optional<layout> declared = declared_layout(cast->getType()->getPointeeType());
  if (declared && (declared->is_generic || llvm::isa<clang::ExplicitCastExpr>(cast)))
    return declared;
  if (cast->getCastKind() == clang::CK_LValueToRValue) return declared;
  if (is_pointer_to_shared(source->getType()) && !is_pointer_to_shared_void(source->getType()) &&
      !declared) {
    return find_pointee_layout(source);
  }
  return declared;
}

std::optional<layout> shared_types::find_pointee_layout(const clang::Expr* pointer) const {
  const clang::Expr* expression = without_parentheses(pointer);
  if (const auto* cast = dyn_cast<clang::CastExpr>(expression)) return of_cast(cast);
  if (const auto* unary = dyn_cast<clang::UnaryOperator>(expression)) {
    if (unary->getOpcode() == clang::UO_AddrOf) return find_layout(unary->getSubExpr());
    if (unary->getOpcode() != clang::UO_Deref) return find_pointee_layout(unary->getSubExpr());
  }
  if (const auto* binary = dyn_cast<clang::BinaryOperator>(expression)) {
    const bool is_of_right = binary->getOpcode() == clang::BO_Comma ||
                             !is_pointer_to_shared(binary->getLHS()->getType());
    return find_pointee_layout(is_of_right ? binary->getRHS() : binary->getLHS());
  }
  if (const auto declared = declared_layout(expression->getType()->getPointeeType()))
    return declared;
  if (const auto* choice = dyn_cast<clang::AbstractConditionalOperator>(expression)) {
    if (const auto first = find_pointee_layout(choice->getTrueExpr())) return first;
    return find_pointee_layout(choice->getFalseExpr());
  }
  if (const auto* block = dyn_cast<clang::StmtExpr>(expression)) {
    if (const auto* last = llvm::dyn_cast_or_null<clang::Expr>(block->getSubStmt()->body_back())) {
      return find_pointee_layout(last);
    }
  }
  if (const auto* opaque = dyn_cast<clang::OpaqueValueExpr>(expression)) {
    if (opaque->getSourceExpr() != nullptr) return find_pointee_layout(opaque->getSourceExpr());
  }
  return std::nullopt;
}

bool shared_types::is_strict(const clang::Expr* lvalue) const {
  // The qualifier of the object with which a path of members and subscripts begins applies to the
  // whole path.
  const clang::Expr* expression = lvalue->IgnoreParens();
  for (;;) {
    const access_kind declared = qualifiers_of(expression->getType()).access;
    if (declared != access_kind::unspecified) return declared == access_kind::strict;
    if (const auto* member = dyn_cast<clang::MemberExpr>(expression)) {
      const clang::Expr* base = member->getBase()->IgnoreParens();
      if (member->isArrow()) {
        const access_kind pointee = qualifiers_of(base->getType()->getPointeeType()).access;
        if (pointee != access_kind::unspecified) return pointee == access_kind::strict;
        break;
      }
      expression = base;
    } else if (const auto* subscript = dyn_cast<clang::ArraySubscriptExpr>(expression)) {
      const auto* decay = dyn_cast<clang::CastExpr>(subscript->getBase()->IgnoreParens());
      if (decay == nullptr || decay->getCastKind() != clang::CK_ArrayToPointerDecay) break;
      expression = decay->getSubExpr()->IgnoreParens();
    } else if (const auto* part = dyn_cast<clang::UnaryOperator>(expression);
               part != nullptr && part->getOpcode() != clang::UO_Deref) {
      expression = part->getSubExpr()->IgnoreParens();
    } else {
      break;
    }
  }
  return program_.source.is_strict_at(program_.place(lvalue->getBeginLoc()));
}

}  // namespace atl::upc
