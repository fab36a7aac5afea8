// SPDX-License-Identifier: BSD-3-Clause
//
// Declarations. A group of declarators that mentions nothing shared is copied, and only the
// expressions in it are replaced; of any other group each declarator is written anew.
#include <front/upc/translator/emitter.hpp>

#include <algorithm>

namespace atl::upc {
namespace {

using clang::dyn_cast;

bool is_made_by_normaliser(const clang::Decl* declaration) {
  const auto* named = dyn_cast<clang::NamedDecl>(declaration);
  return named != nullptr && named->getIdentifier() != nullptr &&
         named->getName().starts_with(own_prefix);
}

// Without `register`: the functions that move a pointer-to-shared take the address of the variable
// or of the structure that has it.
std::string storage(const clang::VarDecl* declaration) {
  std::string result;
  if (declaration->getTSCSpec() != clang::TSCS_unspecified) result = "__thread ";
  switch (declaration->getStorageClass()) {
    case clang::SC_Static:
      return "static " + result;
    case clang::SC_Extern:
      return "extern " + result;
    default:
      return result;
  }
}

// For an inline function C99 leaves open whether a call takes this definition or that of another
// unit. Programs for other compilers of UPC have no other one, so each unit keeps its own.
bool needs_own_copy(const clang::FunctionDecl* declaration) {
  return declaration->isInlineSpecified() && declaration->isFirstDecl() &&
         declaration->getMostRecentDecl() == declaration &&
         declaration->getStorageClass() == clang::SC_None &&
         !declaration->isInlineDefinitionExternallyVisible();
}

}  // namespace

std::string emitter::declaration_statement(const clang::DeclStmt* node) {
  const declarations members(node->decl_begin(), node->decl_end());
  return group(members, begin_of(node), end_of(node));
}

bool emitter::needs_rewriting(const clang::Decl* declaration) const {
  if (const auto* variable = dyn_cast<clang::VarDecl>(declaration)) {
    return types_.is_spelled_anew(variable->getType()) || starts_with_pointer(variable) ||
           (variable->getStorageClass() == clang::SC_Register &&
            !variable->hasAttr<clang::AsmLabelAttr>());
  }
  if (const auto* function = dyn_cast<clang::FunctionDecl>(declaration)) {
    return types_.is_spelled_anew(function->getType()) || is_main(function);
  }
  if (const auto* alias = dyn_cast<clang::TypedefNameDecl>(declaration)) {
    return types_.is_without_name(alias) || types_.is_spelled_anew(alias->getUnderlyingType());
  }
  if (const auto* field = dyn_cast<clang::FieldDecl>(declaration))
    return types_.is_spelled_anew(field->getType());
  return false;
}

// The declarators of one declaration, whose text is [begin, end) with its semicolon.
std::string emitter::group(const declarations& members, std::size_t begin, std::size_t end) {
  bool is_rewritten = false;
  for (const clang::Decl* each : members) is_rewritten = is_rewritten || needs_rewriting(each);
  pieces found;
  if (!is_rewritten) {
    for (const clang::Decl* each : members) {
      if (!is_made_by_normaliser(each)) collect(each, found);
    }
    return copy(begin, end, std::move(found));
  }
  std::string text;
  for (const clang::Decl* each : members) {
    if (is_made_by_normaliser(each)) continue;
    const auto* tag = dyn_cast<clang::TagDecl>(each);
    if (tag == nullptr) {
      const std::string declarator = rewritten(each);
      if (!declarator.empty()) text += declarator + "; ";
    } else if (tag->isThisDeclarationADefinition()) {
      collect(tag, found);
      text += copy(begin_of(tag), end_of_token(tag->getEndLoc()), std::move(found)) + "; ";
      found.clear();
    } else {
      text += record_name(tag) + "; ";
    }
  }
  return text.empty() ? ";" : text.substr(0, text.size() - 1);
}

// Collects the expressions inside a declaration that is copied.
void emitter::collect(const clang::Decl* declaration, pieces& found) {
  if (const auto* record = dyn_cast<clang::RecordDecl>(declaration)) {
    if (record->isThisDeclarationADefinition()) collect_record(record, found);
  } else if (const auto* enumeration = dyn_cast<clang::EnumDecl>(declaration)) {
    if (!enumeration->isThisDeclarationADefinition()) return;
    for (const clang::EnumConstantDecl* each : enumeration->enumerators()) {
      const clang::Expr* number = each->getInitExpr();
      if (number != nullptr) found.push_back({begin_of(number), end_of(number), value(number)});
    }
  } else if (const auto* assertion = dyn_cast<clang::StaticAssertDecl>(declaration)) {
    const clang::Expr* expression = assertion->getAssertExpr();
    found.push_back({begin_of(expression), end_of(expression), value(expression)});
  } else if (const auto* declarator = dyn_cast<clang::DeclaratorDecl>(declaration)) {
    if (declarator->getTypeSourceInfo() != nullptr)
      collect_type(declarator->getTypeSourceInfo()->getTypeLoc(), found);
    if (const auto* field = dyn_cast<clang::FieldDecl>(declaration);
        field != nullptr && field->isBitField()) {
      const clang::Expr* width = field->getBitWidth();
      found.push_back({begin_of(width), end_of(width), value(width)});
    }
    const auto* variable = dyn_cast<clang::VarDecl>(declaration);
    if (variable == nullptr || variable->getInit() == nullptr) return;
    found.push_back(
        {begin_of(variable->getInit()), end_of(variable->getInit()), value(variable->getInit())});
  } else if (const auto* alias = dyn_cast<clang::TypedefNameDecl>(declaration)) {
    collect_type(alias->getTypeSourceInfo()->getTypeLoc(), found);
  }
}

// Collects the expressions inside a type as it is written: bounds of arrays, operands of typeof.
void emitter::collect_type(clang::TypeLoc type, pieces& found) {
  for (; !type.isNull(); type = type.getNextTypeLoc()) {
    const clang::Expr* expression = nullptr;
    if (const auto array = type.getAs<clang::ArrayTypeLoc>()) expression = array.getSizeExpr();
    if (const auto typeof_type = type.getAs<clang::TypeOfExprTypeLoc>()) {
      const clang::Expr* operand = typeof_type.getUnderlyingExpr()->IgnoreParens();
      const std::size_t begin = begin_of(operand), end = end_of(operand);
      bool is_known = false;  // the declarators of a group share their specifiers
      for (const replacement& each : found) is_known = is_known || each.begin == begin;
      if (!is_known)
        found.push_back(
            {begin, end, types_.is_shared(operand->getType()) ? load(operand) : value(operand)});
    }
    if (const auto function = type.getAs<clang::FunctionTypeLoc>()) {
      for (const clang::ParmVarDecl* parameter : function.getParams()) {
        if (parameter != nullptr) collect(parameter, found);
      }
    }
    if (expression != nullptr)
      found.push_back({begin_of(expression), end_of(expression), value(expression)});
  }
}

void emitter::collect_record(const clang::RecordDecl* record, pieces& found) {
  const clang::TypedefNameDecl* alias = record->getTypedefNameForAnonDecl();
  const bool has_alias = alias != nullptr && !types_.is_shared(alias->getUnderlyingType());
  if (record->getName().empty() && !record->isAnonymousStructOrUnion() && !has_alias) {
    const std::size_t place = end_of_token(record->getBeginLoc());
    found.push_back({place, place, " atoll_upc_record_" + std::to_string(begin_of(record))});
  }
  declarations members;
  std::size_t begin = 0, end = 0;
  const auto flush = [&] {
    if (!members.empty()) found.push_back({begin, end, group(members, begin, end)});
    members.clear();
  };
  for (clang::Decl* each : record->decls()) {
    if (each->isImplicit() || llvm::isa<clang::IndirectFieldDecl>(each)) continue;
    const std::size_t start = begin_of(each);
    if (!members.empty() && start >= end) flush();
    if (members.empty()) begin = start;
    begin = std::min(begin, start);
    end = std::max(end, end_of_declarator(end_of_token(each->getEndLoc())));
    members.push_back(each);
  }
  flush();
}

// Writes one declarator anew, without its semicolon.
std::string emitter::rewritten(const clang::Decl* declaration) {
  if (const auto* variable_declaration = dyn_cast<clang::VarDecl>(declaration))
    return variable(variable_declaration);
  if (const auto* function_declaration = dyn_cast<clang::FunctionDecl>(declaration)) {
    return function_header(function_declaration);
  }
  if (const auto* field = dyn_cast<clang::FieldDecl>(declaration)) {
    const std::string width =
        field->isBitField() ? " : " + std::to_string(field->getBitWidthValue(program_.tree)) : "";
    return declare(field->getType(), field->getName().str()) + width + attributes(field);
  }
  if (const auto* alias = dyn_cast<clang::TypedefNameDecl>(declaration)) {
    // A shared array may have no type in C before THREADS is known, and C has no use for one.
    const clang::QualType type = alias->getUnderlyingType();
    const bool is_unknown = types_.is_shared(type) && (type->isArrayType() || type->isVoidType());
    if (is_unknown || types_.is_without_name(alias)) return "";
    return "typedef " + declare(type, alias->getName().str()) + attributes(alias);
  }
  if (llvm::isa<clang::EmptyDecl>(declaration)) return "";
  program_.error(declaration->getLocation(),
                 std::string("the translator cannot write this declaration (") +
                     declaration->getDeclKindName() + "; a defect of atoll-upc)");
  return "";
}

std::string emitter::attributes(const clang::Decl* declaration) const {
  std::string result;
  for (const clang::Attr* each : declaration->attrs()) {
    if (each->isImplicit() || each->isInherited() || each->getRange().isInvalid()) continue;
    if (program_.sources().getFileOffset(each->getLocation()) < prelude_size()) continue;
    const std::string text =
        copy(program_.place(each->getRange().getBegin()), end_of_token(each->getRange().getEnd()));
    if (each->isGNUAttribute()) result += " __attribute__((" + text + "))";
  }
  return result;
}

std::string emitter::variable(const clang::VarDecl* declaration) {
  if (types_.is_shared(declaration->getType())) return declare_object(declaration);
  clang::QualType type = declaration->getType();
  const bool is_static = declaration->hasGlobalStorage();
  if (is_static) type.removeLocalConst();  // it may get its value at the start of the program
  std::string text =
      storage(declaration) + declare(type, declaration->getName().str()) + attributes(declaration);
  if (declaration->getInit() == nullptr) return text;
  if (starts_with_pointer(declaration)) {
    return text + (declaration->isLocalVarDecl() ? "; " + initialise_in_place(declaration)
                                                 : initialise_at_start(declaration));
  }
  return text + " = " + value(declaration->getInit());
}

// --- Functions ----------------------------------------------------------------------------------

bool emitter::is_main(const clang::FunctionDecl* declaration) {
  return declaration->getIdentifier() != nullptr && declaration->getName() == "main" &&
         declaration->getDeclContext()->getRedeclContext()->isTranslationUnit();
}

std::string emitter::function_header(const clang::FunctionDecl* declaration) {
  std::string prefix;
  if (declaration->getStorageClass() == clang::SC_Static) prefix += "static ";
  if (declaration->getStorageClass() == clang::SC_Extern) prefix += "extern ";
  if (declaration->isInlineSpecified()) prefix += "inline ";
  const std::string given = attributes(declaration);
  if (!given.empty()) prefix += given.substr(1) + " ";
  const std::string name =
      is_main(declaration) ? "atoll_upc_user_main" : declaration->getName().str();
  const auto* type = declaration->getType()->castAs<clang::FunctionType>();
  return prefix + declare_function(type, name, declaration->parameters());
}

// int f(p, n) shared int *p; int n; { ... }
std::string emitter::old_style_header(const clang::FunctionDecl* declaration) {
  std::string names, declared;
  for (const clang::ParmVarDecl* each : declaration->parameters()) {
    names += (names.empty() ? "" : ", ") + each->getName().str();
    declared += " " + declare(each->getType(), each->getName().str()) + ";";
  }
  const std::string prefix = declaration->getStorageClass() == clang::SC_Static ? "static " : "";
  return prefix +
         declare(declaration->getReturnType(), declaration->getName().str() + "(" + names + ")") +
         declared;
}

std::string emitter::function(const clang::FunctionDecl* declaration, std::size_t begin) {
  const clang::Stmt* body = declaration->getBody();
  function_ = declaration;
  std::string header;
  if (is_main(declaration)) {
    main_ = declaration;
    header = function_header(declaration);
  } else if (!needs_rewriting(declaration)) {
    pieces found;
    if (declaration->getTypeSourceInfo() != nullptr) {
      collect_type(declaration->getTypeSourceInfo()->getTypeLoc(), found);
    }
    header = copy(begin, begin_of(body), std::move(found));
  } else if (!declaration->hasWrittenPrototype() && declaration->getNumParams() > 0) {
    header = old_style_header(declaration);
  } else {
    header = function_header(declaration);
  }
  if (needs_own_copy(declaration)) header = "static " + header;
  const std::string text = header + (header.back() == ' ' || header.back() == '\n' ? "" : " ") +
                           line_after(begin, begin_of(body), header) + function_body(declaration);
  function_ = nullptr;
  return is_main(declaration) ? text + "\n" + main_wrapper(declaration) : text;
}

// main returns 0 at its end; the function that replaces it needs a return statement for that.
std::string emitter::function_body(const clang::FunctionDecl* declaration) {
  std::string text = statement_text(declaration->getBody());
  if (is_main(declaration) && declaration->getReturnType()->isIntegerType()) {
    text.insert(text.rfind('}'), "return 0; ");
  }
  return text;
}

std::string emitter::main_wrapper(const clang::FunctionDecl* declaration) {
  std::string call = "atoll_upc_user_main(";
  if (declaration->getNumParams() > 0) call += "argc";
  if (declaration->getNumParams() > 1) call += ", (void*)argv";
  if (declaration->getNumParams() > 2) call += ", (void*)environ";
  call += ")";
  const std::string environment = declaration->getNumParams() > 2 ? "extern char** environ; " : "";
  const std::string body = declaration->getReturnType()->isVoidType() ? call + "; return 0;"
                                                                      : "return (int)" + call + ";";
  return "int atoll_upc_program(int argc, char** argv) { (void)argc; (void)argv; " + environment +
         body + " }\n";
}

}  // namespace atl::upc
