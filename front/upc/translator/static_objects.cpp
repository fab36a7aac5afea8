// SPDX-License-Identifier: BSD-3-Clause
//
// Static shared objects. Their place is known only when the program has started. Each has a symbol
// that holds it, which the linker merges where several units declare the object, and a row in the
// table of its unit. Variables that hold such places are initialised by a function that the start
// of the program calls.
#include <front/upc/translator/emitter.hpp>

namespace atl::upc {
namespace {

using clang::dyn_cast;

// The declaration that stands for all of one variable.
const clang::VarDecl* first_of(const clang::VarDecl* variable) {
  return variable->getCanonicalDecl();
}

// Whether the initialiser has a pointer-to-shared that is not null: its value is known at the
// start.
bool holds_pointer(const shared_types& types, const clang::Stmt* node) {
  if (node == nullptr || llvm::isa<clang::UnaryExprOrTypeTraitExpr>(node)) return false;
  const auto* cast = dyn_cast<clang::CastExpr>(node);
  if (cast != nullptr && cast->getCastKind() == clang::CK_NullToPointer) return false;
  const bool is_wrapper =
      llvm::isa<clang::InitListExpr>(node) || llvm::isa<clang::ImplicitValueInitExpr>(node) ||
      llvm::isa<clang::CStyleCastExpr>(node) || llvm::isa<clang::ParenExpr>(node) ||
      llvm::isa<clang::ImplicitCastExpr>(node);
  const auto* expression = dyn_cast<clang::Expr>(node);
  if (!is_wrapper && expression != nullptr && types.is_pointer_to_shared(expression->getType()))
    return true;
  if (cast != nullptr && cast->getCastKind() == clang::CK_ArrayToPointerDecay &&
      types.is_pointer_to_shared(cast->getType())) {
    return true;
  }
  for (const clang::Stmt* child : node->children()) {
    if (holds_pointer(types, child)) return true;
  }
  return false;
}

}  // namespace

std::string emitter::object_name(const clang::VarDecl* variable) {
  const clang::VarDecl* first = first_of(variable);
  const auto found = object_names_.find(first);
  if (found != object_names_.end()) return found->second;
  std::string name = first->getName().str();
  if (first->isStaticLocal()) {
    const auto* owner = dyn_cast<clang::FunctionDecl>(first->getDeclContext());
    name = (owner != nullptr ? owner->getName().str() : "local") + "__" + name + "__" +
           std::to_string(++names_);
  }
  object_names_[first] = name;
  return name;
}

// Declares the symbol that holds the object's place. The object itself becomes a row of the table
// (object_table).
std::string emitter::declare_object(const clang::VarDecl* variable) {
  const clang::VarDecl* first = first_of(variable);
  const std::string declaration = "extern const uint64_t " + object_name(variable) + "__offset";
  if (known_objects_.insert(first).second) objects_.push_back(first);
  if (variable->getInit() != nullptr) initialise_shared(variable);
  if (!variable->isLocalVarDecl() && function_ == nullptr) return declaration;
  before_ += declaration + ";\n";
  return "";
}

// --- Initialisers -------------------------------------------------------------------------------

bool emitter::starts_with_pointer(const clang::VarDecl* variable) const {
  if (!variable->hasGlobalStorage() || variable->getInit() == nullptr ||
      types_.is_shared(variable->getType())) {
    return false;
  }
  return holds_pointer(types_, variable->getInit());
}

// A statement that gives a private variable its value.
std::string emitter::initialise_at_start(const clang::VarDecl* variable) {
  initialise_on_all_.push_back(initial_value(variable->getInit(), variable->getType()));
  const std::string name = variable->getName().str();
  std::string& text = initialise_on_all_.back();
  const bool is_array = variable->getType()->isArrayType();
  const std::string type = type_name(variable->getType().getUnqualifiedType());
  if (is_array) {
    text =
        "__builtin_memcpy((void*)" + name + ", &(" + type + ")" + text + ", sizeof(" + name + "));";
  } else {
    const bool is_list =
        llvm::isa<clang::InitListExpr>(variable->getInit()) && variable->getType()->isRecordType();
    text = name + " = " + (is_list ? "(" + type + ")" : "") + text + ";";
  }
  return "";
}

std::string emitter::initialise_in_place(const clang::VarDecl* variable) {
  (void)initialise_at_start(variable);
  const std::string statement = initialise_on_all_.back();
  initialise_on_all_.pop_back();
  const std::string flag = "atoll_upc_is_set_" + std::to_string(++names_);
  return "static int " + flag + "; if (!" + flag + ") { " + flag + " = 1; " + statement + " }";
}

// The value of an initialiser with all of its braces.
std::string emitter::initial_value(const clang::Expr* initialiser, clang::QualType type) {
  const bool is_aggregate = type->isRecordType() || type->isArrayType();
  if (llvm::isa<clang::ImplicitValueInitExpr>(initialiser) ||
      llvm::isa<clang::NoInitExpr>(initialiser)) {
    return types_.is_pointer_to_shared(type) ? "ATOLL_UPC_NULL" : is_aggregate ? "{0}" : "0";
  }
  const auto* list = dyn_cast<clang::InitListExpr>(initialiser);
  if (list == nullptr) return value(initialiser);
  if (list->getSyntacticForm() == nullptr && list->getSemanticForm() != nullptr)
    list = list->getSemanticForm();
  if (!is_aggregate) return list->getNumInits() == 0 ? "0" : initial_value(list->getInit(0), type);
  std::string text = "{";
  if (type->isUnionType() && list->getInitializedFieldInUnion() != nullptr) {
    text += "." + list->getInitializedFieldInUnion()->getName().str() + " = ";
  }
  for (unsigned i = 0; i < list->getNumInits(); ++i) {
    text += (i > 0 ? ", " : "") + initial_value(list->getInit(i), list->getInit(i)->getType());
  }
  return text + (list->getNumInits() == 0 ? "0}" : "}");
}

// Thread 0 writes the initial value of a shared object.
void emitter::initialise_shared(const clang::VarDecl* variable) {
  if (variable->getType()->isArrayType()) {
    initialise_elements(variable, variable->getInit(), 0);
    return;
  }
  const std::string type = type_name(variable->getType().getUnqualifiedType());
  const std::string text = initial_value(variable->getInit(), variable->getType());
  const bool is_list = variable->getType()->isRecordType() && !text.empty() && text[0] == '{';
  initialise_on_first_.push_back("ATOLL_UPC_PUT(" + type + ", ATOLL_UPC_OBJECT(" +
                                 object_name(variable) + "), (" +
                                 (is_list ? "(" + type + ")" : "") + text + "));");
}

// The elements of an array of arrays, from the element with number `first` on.
void emitter::initialise_elements(const clang::VarDecl* variable, const clang::Expr* initialiser,
                                  std::uint64_t first) {
  const clang::QualType element = types_.element_of(variable->getType());
  const std::string type = type_name(element.getUnqualifiedType());
  const std::uint64_t block = types_.declared_layout(variable->getType()).value_or(layout{}).block;
  const auto put = [&](std::uint64_t number, const std::string& text) {
    initialise_on_first_.push_back("ATOLL_UPC_PUT(" + type + ", atoll_upc_index(ATOLL_UPC_OBJECT(" +
                                   object_name(variable) + "), " + std::to_string(number) +
                                   ", sizeof(" + type + "), " + std::to_string(block) + "), (" +
                                   text + "));");
  };
  if (const auto* string = dyn_cast<clang::StringLiteral>(initialiser->IgnoreParens())) {
    for (unsigned i = 0; i < string->getLength(); ++i) {
      if (string->getCodeUnit(i) != 0) put(first + i, std::to_string(string->getCodeUnit(i)));
    }
    return;
  }
  const auto* list = dyn_cast<clang::InitListExpr>(initialiser);
  if (list == nullptr) return;
  if (list->getSyntacticForm() == nullptr && list->getSemanticForm() != nullptr)
    list = list->getSemanticForm();
  for (unsigned i = 0; i < list->getNumInits(); ++i) {
    const clang::Expr* each = list->getInit(i);
    if (llvm::isa<clang::ImplicitValueInitExpr>(each)) continue;
    const std::uint64_t inner = types_.elements_of(each->getType()).number;
    if (each->getType()->isArrayType()) {
      initialise_elements(variable, each, first + i * inner);
    } else {
      const std::string text = initial_value(each, each->getType());
      put(first + i, (text[0] == '{' ? "(" + type + ")" : "") + text);
    }
  }
}

// --- The table of the unit ----------------------------------------------------------------------

// The rows of the objects that are defined here, the function that initialises them, and the unit's
// registration.
std::string emitter::object_table() {
  std::string rows, symbols;
  unsigned count_of_rows = 0;
  for (const clang::VarDecl* first : objects_) {
    const clang::VarDecl* defined = first->getDefinition();
    // A tentative definition may follow a declaration with extern.
    for (const clang::VarDecl* each : first->redecls()) {
      const bool is_tentative =
          each->isThisDeclarationADefinition() == clang::VarDecl::TentativeDefinition;
      if (defined == nullptr && is_tentative) defined = each;
    }
    if (defined == nullptr) continue;
    const std::string name = object_name(first);
    const clang::QualType type = defined->getType(), element = types_.element_of(type);
    const element_count elements = types_.elements_of(type);
    const std::string bytes = "sizeof(" + type_name(element.getUnqualifiedType()) + ")";
    const std::string total = std::to_string(elements.number) + " * " + bytes;
    const auto spread = types_.declared_layout(type);
    if (!spread) {
      program_.error(defined->getLocation(),
                     "the translator does not know the block size of this object");
      continue;
    }
    const bool is_local = !first->hasExternalFormalLinkage();
    symbols += "__asm__(\"" + std::string(is_local ? ".local " + name + "__offset\\n" : "") +
               ".comm " + name + "__offset,8,8\");\n";
    rows += "  {\"" + first->getName().str() + "\", (uintptr_t)&" + name + "__offset, " +
            (elements.times_threads ? "0, " + total : total + ", 0") + ", " + bytes + ", " +
            std::to_string(spread->block) + ", " +
            std::to_string(program_.tree.getDeclAlign(defined).getQuantity()) + ", 0},\n";
    ++count_of_rows;
  }
  const unsigned threads = program_.options.static_threads;
  std::string text = symbols + "__asm__(\".comm atoll_upc_threads_are_" +
                     (threads == 0 ? "dynamic" : std::to_string(threads)) + ",1,1\");\n";
  if (count_of_rows > 0)
    text += "static const struct atoll_upc_object atoll_upc_objects[] = {\n" + rows + "};\n";
  const bool initialises = !initialise_on_all_.empty() || !initialise_on_first_.empty();
  if (initialises) {
    text += "static void atoll_upc_initialise(void) {\n";
    for (const std::string& each : initialise_on_all_) text += "  " + each + "\n";
    if (!initialise_on_first_.empty()) {
      text += "  if (atoll_upc_mythread != 0) return;\n";
      for (const std::string& each : initialise_on_first_) text += "  " + each + "\n";
    }
    text += "}\n";
  }
  return text +
         "__attribute__((constructor)) static void atoll_upc_register(void) {\n"
         "  const struct atoll_upc_unit unit = {ATOLL_UPC_ABI_VERSION, " +
         std::to_string(threads) + ", " + string_of_c(program_.options.input) + ", " +
         (count_of_rows > 0 ? "atoll_upc_objects" : "0") + ", " + std::to_string(count_of_rows) +
         ", " + (initialises ? "atoll_upc_initialise" : "0") + ", " +
         (program_.options.has_openmp || program_.options.has_openacc ? "ATOLL_UPC_SEVERAL_THREADS"
                                                                      : "0") +
         "};\n  atoll_upc_register_unit(&unit);\n}\n";
}

}  // namespace atl::upc
