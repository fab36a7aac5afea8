// SPDX-License-Identifier: BSD-3-Clause
//
// Types in C. A type is written around a name, from the inside out, as declarators of C are. Type
// names of the program are kept where they mean the same in C; a shared type is written without the
// qualifiers that make it shared.
#include <front/upc/translator/emitter.hpp>

namespace atl::upc {
namespace {

using clang::dyn_cast;

std::string qualifiers(clang::QualType type) {
  std::string result;
  if (type.isLocalConstQualified()) result += "const ";
  if (type.isLocalVolatileQualified()) result += "volatile ";
  if (type.isLocalRestrictQualified()) result += "restrict ";
  return result;
}

std::string spaced(const std::string& base, const std::string& name) {
  return name.empty() || name[0] == '[' ? base + name : base + " " + name;
}

}  // namespace

std::string emitter::count(element_count number) const {
  const std::string text = std::to_string(number.number);
  return number.times_threads ? text + " * (size_t)ATOLL_UPC_THREADS" : text;
}

// The size of an object of this type in bytes.
std::string emitter::size(clang::QualType type) {
  const element_count elements = types_.elements_of(type);
  const clang::QualType element = types_.element_of(type);
  const std::string one = element->isVoidType() ? "1" : "sizeof(" + type_name(element) + ")";
  if (elements.number == 1 && !elements.times_threads) return one;
  return "(" + count(elements) + " * " + one + ")";
}

std::string emitter::declare(clang::QualType type, const std::string& name) {
  if (types_.is_pointer_to_shared(type)) {
    const clang::Qualifiers own = type.getQualifiers();
    return (own.hasConst() ? "const " : "") + std::string(own.hasVolatile() ? "volatile " : "") +
           spaced("atoll_upc_pointer", name);
  }
  const std::string local = qualifiers(type);
  const clang::Type* bare = type.getTypePtr();
  if (const auto* pointer = dyn_cast<clang::PointerType>(bare))
    return declare_pointer(pointer, local + name);
  if (const auto* array = dyn_cast<clang::ArrayType>(bare)) return declare_array(array, name);
  if (const auto* function = dyn_cast<clang::FunctionType>(bare))
    return declare_function(function, name, {});
  if (const auto* adjusted = dyn_cast<clang::AdjustedType>(bare))
    return declare(adjusted->getAdjustedType(), name);
  if (const auto* tagged = dyn_cast<clang::BTFTagAttributedType>(bare)) {
    return declare(tagged->getWrappedType().withFastQualifiers(type.getLocalFastQualifiers()),
                   name);
  }
  if (const auto* attributed = dyn_cast<clang::AttributedType>(bare)) {
    const bool is_space = attributed->getAttrKind() == clang::attr::AddressSpace;
    if (is_space || types_.mentions_shared(type)) {
      return declare(
          attributed->getModifiedType().withFastQualifiers(type.getLocalFastQualifiers()), name);
    }
  }
  if (const auto* alias = dyn_cast<clang::TypedefType>(bare)) {
    if (!types_.is_shared(type) && !types_.is_without_name(alias->getDecl()))
      return local + spaced(alias->getDecl()->getName().str(), name);
  }
  if (llvm::isa<clang::TagType>(bare) || llvm::isa<clang::BuiltinType>(bare)) {
    return local + spaced(base_name(type.getUnqualifiedType()), name);
  }
  const clang::QualType next = clang::QualType(bare, 0).getSingleStepDesugaredType(program_.tree);
  if (next.getTypePtr() != bare)
    return declare(next.withFastQualifiers(type.getLocalFastQualifiers()), name);
  return local + spaced(base_name(clang::QualType(bare, 0)), name);
}

std::string emitter::base_name(clang::QualType type) {
  if (const auto* tag = type->getAs<clang::TagType>();
      tag != nullptr && llvm::isa<clang::TagType>(type.getTypePtr())) {
    return record_name(tag->getDecl());
  }
  clang::PrintingPolicy policy(program_.tree.getLangOpts());
  policy.Bool = false;
  return type.getAsString(policy);
}

// The name of a structure, union or enumeration. One without a name was given one where it was
// defined (collect_record).
std::string emitter::record_name(const clang::TagDecl* declaration) {
  const std::string kind = declaration->getKindName().str() + " ";
  if (!declaration->getName().empty()) return kind + declaration->getName().str();
  const clang::TypedefNameDecl* alias = declaration->getTypedefNameForAnonDecl();
  if (alias != nullptr && !types_.is_shared(alias->getUnderlyingType()))
    return alias->getName().str();
  if (const auto* enumeration = dyn_cast<clang::EnumDecl>(declaration))
    return type_name(enumeration->getIntegerType());
  return kind + "atoll_upc_record_" + std::to_string(begin_of(declaration));
}

std::string emitter::declare_pointer(const clang::PointerType* type, const std::string& name) {
  clang::QualType pointee = type->getPointeeType();
  for (const auto* alias = pointee->getAs<clang::TypedefType>();
       alias != nullptr && types_.is_without_name(alias->getDecl());
       alias = pointee->getAs<clang::TypedefType>()) {
    pointee = alias->desugar();
  }
  const bool needs_parentheses = llvm::isa<clang::ArrayType>(pointee.getTypePtr()) ||
                                 llvm::isa<clang::FunctionType>(pointee.getTypePtr());
  if (const auto* inner = dyn_cast<clang::ParenType>(pointee.getTypePtr())) {
    return declare(inner->getInnerType(), "(*" + name + ")");
  }
  return declare(pointee, needs_parentheses ? "(*" + name + ")" : "*" + name);
}

std::string emitter::declare_array(const clang::ArrayType* type, const std::string& name) {
  std::string bound;
  if (const auto* known = dyn_cast<clang::ConstantArrayType>(type)) {
    bound = count(types_.elements_of(program_.tree.getConstantArrayType(
        program_.tree.CharTy, known->getSize(), nullptr, clang::ArraySizeModifier::Normal, 0)));
  } else if (const auto* variable_array = dyn_cast<clang::VariableArrayType>(type)) {
    if (variable_array->getSizeExpr() != nullptr) bound = value(variable_array->getSizeExpr());
  }
  return declare(type->getElementType(), name + "[" + bound + "]");
}

std::string emitter::declare_function(const clang::FunctionType* type, const std::string& name,
                                      llvm::ArrayRef<clang::ParmVarDecl*> parameters) {
  std::string list;
  const auto* prototype = dyn_cast<clang::FunctionProtoType>(type);
  for (unsigned i = 0; prototype != nullptr && i < prototype->getNumParams(); ++i) {
    const bool is_known = i < parameters.size();
    const clang::QualType parameter =
        is_known ? parameters[i]->getType() : prototype->getParamType(i);
    list +=
        (i > 0 ? ", " : "") + declare(parameter, is_known ? parameters[i]->getName().str() : "");
  }
  if (prototype != nullptr && prototype->isVariadic()) list += ", ...";
  if (prototype != nullptr && list.empty()) list = "void";
  return declare(type->getReturnType(), name + "(" + list + ")");
}

// Compares the block sizes, at each level of pointers and arrays, of types that Clang takes for
// one.
bool emitter::has_same_layouts(clang::QualType first, clang::QualType second) const {
  if (types_.is_shared(first)) {
    const std::optional<layout> one = types_.declared_layout(first),
                                other = types_.declared_layout(second);
    if (one && other && one->block != other->block) return false;
  }
  const auto* array = program_.tree.getAsArrayType(first);
  const auto* other_array = program_.tree.getAsArrayType(second);
  if (array != nullptr && other_array != nullptr)
    return has_same_layouts(array->getElementType(), other_array->getElementType());
  const auto* pointer = first->getAs<clang::PointerType>();
  const auto* other_pointer = second->getAs<clang::PointerType>();
  return pointer == nullptr || other_pointer == nullptr ||
         has_same_layouts(pointer->getPointeeType(), other_pointer->getPointeeType());
}

// __builtin_types_compatible_p, whose types need not exist in C.
std::string emitter::type_trait(const clang::TypeTraitExpr* expression) const {
  if (expression->getTrait() != clang::BTT_TypeCompatible)
    return copy(begin_of(expression), end_of(expression));
  const bool is_one = expression->getValue() && has_same_layouts(expression->getArg(0)->getType(),
                                                                 expression->getArg(1)->getType());
  return is_one ? "1" : "0";
}

}  // namespace atl::upc
