// SPDX-License-Identifier: BSD-3-Clause
//
// Writing types. A type is written around a name from the inside out, as declarators of C are;
// qualifiers that stand on an array belong to its elements.
#include <front/upc/translator/type_words.hpp>

namespace atl::upc {
namespace {

using clang::dyn_cast;

// Clang calls this to write an argument of a message.
void write_argument(clang::DiagnosticsEngine::ArgumentKind kind, intptr_t value,
                    llvm::StringRef modifier, llvm::StringRef argument,
                    llvm::ArrayRef<clang::DiagnosticsEngine::ArgumentValue> previous,
                    llvm::SmallVectorImpl<char>& output, void* cookie,
                    llvm::ArrayRef<intptr_t> types) {
  auto* words = static_cast<std::pair<const type_words*, clang::ASTContext*>*>(cookie);
  if (kind == clang::DiagnosticsEngine::ak_qualtype_pair) {
    const auto* pair = reinterpret_cast<const clang::TemplateDiffTypes*>(value);
    if (pair->PrintTree) return;
    kind = clang::DiagnosticsEngine::ak_qualtype;
    value = pair->PrintFromType ? pair->FromType : pair->ToType;
  }
  if (kind != clang::DiagnosticsEngine::ak_qualtype) {
    clang::FormatASTNodeDiagnosticArgument(kind, value, modifier, argument, previous, output,
                                           words->second, types);
    return;
  }
  const std::string text =
      words->first->quoted(clang::QualType::getFromOpaquePtr(reinterpret_cast<void*>(value)));
  output.append(text.begin(), text.end());
}

std::string joined(const std::string& base, const std::string& name) {
  return name.empty() || name[0] == '[' ? base + name : base + " " + name;
}

}  // namespace

std::string type_words::qualifiers::text() const {
  std::string result = access;
  if (is_shared) result += (layout.empty() ? "shared " : "shared " + layout + " ");
  if (is_const) result += "const ";
  if (is_volatile) result += "volatile ";
  if (is_restrict) result += "restrict ";
  return result;
}

std::string type_words::layout(const std::string& tag, const normalised& source) {
  if (tag == "1") return "";
  if (tag == "0") return "[]";
  if (tag[0] == '#') return "[" + source.layouts[std::stoul(tag.substr(1))] + "]";
  return "[" + tag + "]";
}

std::string type_words::quoted(clang::QualType type) const {
  const std::string written = text(type), resolved = declare(type, "", true, {});
  return "'" + written + "'" + (written == resolved ? "" : " (aka '" + resolved + "')");
}

void type_words::read_tag(const clang::BTFTagAttributedType* type, qualifiers& own) const {
  const llvm::StringRef tag = type->getAttr()->getBTFTypeTag();
  if (tag == "upc:strict" || tag == "upc:relaxed") {
    if (own.access.empty()) own.access = tag.drop_front(4).str() + " ";
  } else if (tag.starts_with("upc:")) {
    if (own.layout.empty()) own.layout = layout(tag.drop_front(4).str(), source_);
  }
}

std::string type_words::declare(clang::QualType type, const std::string& name, bool resolves_names,
                                qualifiers outer) const {
  for (;;) {
    const clang::Qualifiers local = type.getLocalQualifiers();
    outer.is_const |= local.hasConst();
    outer.is_volatile |= local.hasVolatile();
    outer.is_restrict |= local.hasRestrict();
    outer.is_shared |= clang::isTargetAddressSpace(local.getAddressSpace());
    const clang::Type* bare = type.getTypePtr();
    if (const auto* tagged = dyn_cast<clang::BTFTagAttributedType>(bare)) {
      read_tag(tagged, outer);
      type = tagged->getWrappedType();
    } else if (const auto* attributed = dyn_cast<clang::AttributedType>(bare)) {
      outer.is_shared |= attributed->getAttrKind() == clang::attr::AddressSpace;
      type = attributed->getModifiedType();
    } else if (const auto* alias = dyn_cast<clang::TypedefType>(bare);
               alias != nullptr && !resolves_names) {
      return joined(outer.text() + alias->getDecl()->getName().str(), name);
    } else if (llvm::isa<clang::PointerType, clang::ArrayType, clang::FunctionType, clang::TagType>(
                   bare)) {
      return declare_bare(bare, name, resolves_names, outer);
    } else {
      const clang::QualType next = clang::QualType(bare, 0).getSingleStepDesugaredType(tree_);
      if (next.getTypePtr() == bare) return declare_bare(bare, name, resolves_names, outer);
      type = next;
    }
  }
}

std::string type_words::declare_bare(const clang::Type* type, const std::string& name,
                                     bool resolves_names, const qualifiers& own) const {
  if (const auto* pointer = dyn_cast<clang::PointerType>(type)) {
    const clang::QualType pointee = pointer->getPointeeType();
    const bool needs_parentheses =
        (pointee->isArrayType() || pointee->isFunctionType()) &&
        (resolves_names || pointee->getAs<clang::TypedefType>() == nullptr);
    std::string inner = "*" + own.text() + name;
    if (name.empty() && inner.back() == ' ') inner.pop_back();
    return declare(pointee, needs_parentheses ? "(" + inner + ")" : inner, resolves_names, {});
  }
  if (const auto* array = dyn_cast<clang::ArrayType>(type)) {
    return declare(array->getElementType(), name + "[" + bound(array) + "]", resolves_names, own);
  }
  if (const auto* function = dyn_cast<clang::FunctionType>(type)) {
    return declare(function->getReturnType(),
                   name + "(" + parameters(function, resolves_names) + ")", resolves_names, own);
  }
  clang::PrintingPolicy policy(tree_.getLangOpts());
  policy.Bool = false;
  return joined(own.text() + clang::QualType(type, 0).getAsString(policy), name);
}

std::string type_words::bound(const clang::ArrayType* type) const {
  const auto* known = dyn_cast<clang::ConstantArrayType>(type);
  if (known == nullptr) return llvm::isa<clang::VariableArrayType>(type) ? "*" : "";
  std::uint64_t number = known->getSize().getZExtValue();
  std::string factors;
  while (has_dynamic_threads_ && number != 0 && number % threads_stand_in == 0) {
    number /= threads_stand_in;
    factors += "*THREADS";
  }
  if (number == 1 && !factors.empty()) return factors.substr(1);
  return std::to_string(number) + factors;
}

std::string type_words::parameters(const clang::FunctionType* type, bool resolves_names) const {
  const auto* prototype = dyn_cast<clang::FunctionProtoType>(type);
  if (prototype == nullptr) return "";
  std::string list;
  for (const clang::QualType each : prototype->param_types()) {
    list += (list.empty() ? "" : ", ") + declare(each, "", resolves_names, {});
  }
  if (prototype->isVariadic()) list += ", ...";
  return list.empty() ? "void" : list;
}

void type_words::show_types_in(clang::DiagnosticsEngine& engine) {
  static std::pair<const type_words*, clang::ASTContext*> cookie;
  cookie = {this, &tree_};
  engine.SetArgToStringFn(write_argument, &cookie);
}

}  // namespace atl::upc
