// SPDX-License-Identifier: BSD-3-Clause
//
// Rules of declarations: the constraints of sections 6.4.2 and 6.4.3 of the specification of UPC
// 1.3. A type is walked level by level, since each pointer has qualifiers of its own; typedefs are
// resolved.
#include <front/upc/translator/checks.hpp>

namespace atl::upc {
namespace {

using clang::dyn_cast;

// One layout that was written: its tag and whether it has brackets.
struct written_layout {
  std::string tag;
  bool has_brackets = false;
};

// The qualifiers of one level of a type, through arrays to their elements.
struct type_level {
  std::vector<written_layout> layouts;
  bool is_strict = false, is_relaxed = false;
  clang::QualType bare;  // the pointer, function or plain type below
};

enum class use_of_type { object, alias, pointee, other };

class type_check {
 public:
  type_check(rule_checks& rules, clang::SourceLocation place) : rules_(rules), place_(place) {}

  void walk(clang::QualType type, use_of_type use) {
    const type_level level = read(type);
    for (const written_layout& each : level.layouts) {
      if (!is_known(each.tag)) return;  // Clang has reported that it is no constant
    }
    const bool is_shared = rules_.types.is_shared(type);
    check_access(level, is_shared);
    if (is_shared) check_layouts(level, type, use);
    if (is_shared && type->isArrayType()) check_bounds(type, level, use);
    const clang::QualType inner = level.bare;
    if (const auto* pointer = inner->getAs<clang::PointerType>()) {
      walk(pointer->getPointeeType(), use_of_type::pointee);
    } else if (const auto* function = inner->getAs<clang::FunctionType>()) {
      walk_function(function);
    }
  }

 private:
  bool is_known(const std::string& tag) const {
    return tag[0] != '#' || rules_.source.blocks[std::stoul(tag.substr(1))].getBitWidth() > 1;
  }

  void walk_function(const clang::FunctionType* function) {
    const clang::QualType result = function->getReturnType();
    if (rules_.types.is_shared(result)) {
      rules_.error(place_, "a function cannot return a shared value (" +
                               rules_.words.quoted(result) +
                               "); return the value, or a pointer-to-shared");
    }
    walk(result, use_of_type::other);
    const auto* prototype = dyn_cast<clang::FunctionProtoType>(function);
    if (prototype == nullptr) return;
    for (const clang::QualType each : prototype->param_types()) walk(each, use_of_type::other);
  }

  type_level read(clang::QualType type) const {
    type_level level;
    for (;;) {
      const clang::Type* bare = type.getTypePtr();
      if (const auto* tagged = dyn_cast<clang::BTFTagAttributedType>(bare)) {
        read_tag(level, tagged);
        type = tagged->getWrappedType();
      } else if (const auto* attributed = dyn_cast<clang::AttributedType>(bare)) {
        type = attributed->getModifiedType();
      } else if (const auto* decayed = dyn_cast<clang::DecayedType>(bare)) {
        type = decayed->getDecayedType();
      } else if (const auto* array = dyn_cast<clang::ArrayType>(bare)) {
        type = array->getElementType();
      } else {
        const clang::QualType next =
            clang::QualType(bare, 0).getSingleStepDesugaredType(rules_.source.tree);
        if (next.getTypePtr() == bare) break;
        type = next;
      }
    }
    level.bare = type;
    return level;
  }

  void read_tag(type_level& level, const clang::BTFTagAttributedType* tagged) const {
    llvm::StringRef tag = tagged->getAttr()->getBTFTypeTag();
    if (!tag.consume_front("upc:")) return;
    if (tag == "strict" || tag == "relaxed") {
      (tag == "strict" ? level.is_strict : level.is_relaxed) = true;
      return;
    }
    const std::string written = rules_.written_at(tagged->getAttr()->getLocation());
    level.layouts.push_back({tag.str(), written.find('[') != std::string::npos || tag != "1"});
  }

  void check_access(const type_level& level, bool is_shared) {
    if (level.is_strict && level.is_relaxed) {
      rules_.error(place_, "an object cannot be both strict and relaxed");
    } else if ((level.is_strict || level.is_relaxed) && !is_shared) {
      const std::string name = level.is_strict ? "strict" : "relaxed";
      rules_.error(place_, "'" + name + "' stands only beside 'shared': this is private");
    }
  }

  // The block size of a tag; nothing, with a message, if it is none.
  std::optional<std::uint64_t> block_of(const std::string& tag, clang::QualType type) {
    const std::string written = type_words::layout(tag, rules_.source.source);
    const llvm::APSInt number =
        tag == "*"      ? llvm::APSInt::getUnsigned(rules_.types.block_of_tag(tag, type))
        : tag[0] == '#' ? rules_.source.blocks[std::stoul(tag.substr(1))]
                        : llvm::APSInt(llvm::APInt(128, tag, 10), true);
    if (number.isSigned() && number.isNegative()) {
      rules_.error(place_, "the block size " + written + " is negative");
      return std::nullopt;
    }
    if (number.getActiveBits() > 31) {
      rules_.error(place_,
                   "the block size " + written + " is larger than UPC_MAX_BLOCK_SIZE (2147483647)");
      return std::nullopt;
    }
    return number.getZExtValue();
  }

  void check_layouts(const type_level& level, clang::QualType type, use_of_type use) {
    std::optional<std::uint64_t> first;
    std::string first_tag;
    for (const written_layout& each : level.layouts) {
      if (!each.has_brackets) continue;
      const std::string written = type_words::layout(each.tag, rules_.source.source);
      if (each.tag == "*" && !may_be_star(type, use)) return;
      if (level.bare->isVoidType()) {
        rules_.error(place_, "a pointer to shared void has no block size: remove " +
                                 (written.empty() ? "[1]" : written));
        return;
      }
      const std::optional<std::uint64_t> block = block_of(each.tag, type);
      if (!block) return;
      if (first && *first != *block) {
        rules_.error(place_, "two block sizes for one object, " + named(first_tag) + " and " +
                                 named(each.tag));
        return;
      }
      first = block;
      first_tag = each.tag;
    }
    check_threads_in_layout(level);
  }

  std::string named(const std::string& tag) const {
    const std::string written = type_words::layout(tag, rules_.source.source);
    return written.empty() ? "[1]" : written;
  }

  bool may_be_star(clang::QualType type, use_of_type use) {
    if (use == use_of_type::pointee) {
      rules_.error(place_,
                   "a pointer cannot have the layout [*]: there is no array whose size could tell "
                   "the block size");
    } else if (use == use_of_type::alias) {
      rules_.error(place_,
                   "a typedef cannot have the layout [*]: write it where the array is declared");
    } else if (type->isIncompleteArrayType()) {
      rules_.error(place_, "the layout [*] needs an array whose size is known");
    } else {
      return true;
    }
    return false;
  }

  void check_threads_in_layout(const type_level& level) {
    if (!rules_.is_dynamic()) return;
    for (const written_layout& each : level.layouts) {
      if (each.tag[0] != '#') continue;
      const std::string& text = rules_.source.source.layouts[std::stoul(each.tag.substr(1))];
      if (text.find("THREADS") != std::string::npos) {
        rules_.error(place_, "the block size [" + text +
                                 "] depends on THREADS, which is no constant here; compile for a "
                                 "number of threads (-T)");
      }
    }
  }

  // Where the number of threads is not known, it must be a factor of one dimension of an array with
  // a block size.
  void check_bounds(clang::QualType type, const type_level& level, use_of_type use) {
    unsigned threads = 0;
    bool is_open = false;
    for (const auto* array = rules_.source.tree.getAsArrayType(type); array != nullptr;
         array = rules_.source.tree.getAsArrayType(array->getElementType())) {
      if (llvm::isa<clang::VariableArrayType>(array)) {
        rules_.error(place_,
                     "a shared array cannot have a variable length: its size must be a constant" +
                         std::string(rules_.is_dynamic() ? ", or a multiple of THREADS" : ""));
        return;
      }
      if (llvm::isa<clang::IncompleteArrayType>(array)) is_open = true;
      threads += factors(array);
    }
    if (!rules_.is_dynamic()) return;
    const std::optional<layout> spread = rules_.types.declared_layout(type);
    const bool is_indefinite = spread && spread->block == 0 && !is_star(level);
    if (is_indefinite && threads > 0) {
      rules_.error(
          place_,
          "an array with the layout [] lies on one thread, so its size cannot depend on THREADS");
    } else if (threads > 1) {
      rules_.error(place_,
                   "THREADS may be a factor of one dimension of a shared array only, and once; "
                   "compile for a "
                   "number of threads (-T) if more is meant");
    } else if (threads == 0 && !is_indefinite && use == use_of_type::object && !is_open) {
      rules_.error(
          place_,
          "the size of a shared array must be a multiple of THREADS, as in 'shared int "
          "a[10*THREADS]'; "
          "the layout [] puts all of it on one thread, and -T compiles for a number of threads");
    }
  }

  static bool is_star(const type_level& level) {
    return !level.layouts.empty() && level.layouts.front().tag == "*";
  }

  static unsigned factors(const clang::ArrayType* array) {
    const auto* known = dyn_cast<clang::ConstantArrayType>(array);
    if (known == nullptr) return 0;
    std::uint64_t number = known->getSize().getZExtValue();
    unsigned result = 0;
    for (; number != 0 && number % threads_stand_in == 0; number /= threads_stand_in) ++result;
    return result;
  }

  rule_checks& rules_;
  clang::SourceLocation place_;
};

// Refuses a private array of static storage, or one in a structure, whose size depends on the
// number of threads.
void check_private_bounds(rule_checks& rules, clang::QualType type, clang::SourceLocation place,
                          const std::string& subject) {
  if (!rules.is_dynamic() || rules.types.is_shared(type)) return;
  if (!rules.types.elements_of(type).times_threads) return;
  rules.error(
      place,
      subject +
          " cannot depend on THREADS, which is known only when the program starts; compile for a "
          "number of threads (-T), or allocate it");
}

// Two declarations of one object must agree in what Clang does not compare.
bool agree(const rule_checks& rules, clang::QualType type, clang::QualType other) {
  if (rules.types.is_shared(type) && rules.types.is_shared(other)) {
    const std::optional<layout> first = rules.types.declared_layout(type),
                                second = rules.types.declared_layout(other);
    const bool is_star = rules.types.qualifiers_of(type).block == "*" ||
                         rules.types.qualifiers_of(other).block == "*";
    const bool is_open = type->isIncompleteArrayType() || other->isIncompleteArrayType();
    if (first && second && !(is_star && is_open) && first->block != second->block) return false;
  }
  type = rules.types.element_of(type);
  other = rules.types.element_of(other);
  if (type->isPointerType() && other->isPointerType()) {
    return agree(rules, type->getPointeeType(), other->getPointeeType());
  }
  const auto* first = type->getAs<clang::FunctionProtoType>();
  const auto* second = other->getAs<clang::FunctionProtoType>();
  if (first == nullptr || second == nullptr || first->getNumParams() != second->getNumParams())
    return true;
  for (unsigned i = 0; i < first->getNumParams(); ++i) {
    if (!agree(rules, first->getParamType(i), second->getParamType(i))) return false;
  }
  return agree(rules, first->getReturnType(), second->getReturnType());
}

// The type as it was written; Clang merges the type of a second declaration with the first.
clang::QualType written_type(const clang::DeclaratorDecl* declaration) {
  const clang::TypeSourceInfo* written = declaration->getTypeSourceInfo();
  return written == nullptr ? declaration->getType() : written->getType();
}

void check_redeclaration(rule_checks& rules, const clang::DeclaratorDecl* now,
                         const clang::DeclaratorDecl* previous) {
  if (previous == nullptr || previous->isInvalidDecl() || rules.is_hidden(previous->getLocation()))
    return;
  if (agree(rules, written_type(now), written_type(previous))) return;
  const clang::PresumedLoc line = rules.source.sources().getPresumedLoc(previous->getLocation());
  rules.error(now->getLocation(), "'" + now->getNameAsString() + "' is declared as " +
                                      rules.words.quoted(written_type(now)) + " here and as " +
                                      rules.words.quoted(written_type(previous)) + " in line " +
                                      std::to_string(line.getLine()));
}

// Old programs declare main in other ways, and work as long as they do not use the arguments.
void check_main(rule_checks& rules, const clang::FunctionDecl* function) {
  if (function->getIdentifier() == nullptr || function->getName() != "main") return;
  for (unsigned i = 0; i < function->getNumParams(); ++i) {
    const clang::QualType type = function->getParamDecl(i)->getType();
    const bool is_right = i == 0 ? type->isIntegerType()
                                 : type->isPointerType() && type->getPointeeType()->isPointerType();
    if (is_right) continue;
    rules.warn(function->getLocation(), "main",
               "parameter " + std::to_string(i + 1) + " of main is " + rules.words.quoted(type) +
                   ", and main is called with " + (i == 0 ? "'int'" : "'char **'"));
  }
}

bool is_shared_object(const rule_checks& rules, const clang::VarDecl* variable) {
  return rules.types.is_shared(variable->getType()) && !llvm::isa<clang::ParmVarDecl>(variable);
}

}  // namespace

void check_type(rule_checks& rules, clang::QualType type, clang::SourceLocation place) {
  type_check(rules, place).walk(type, use_of_type::other);
}

void check_variable(rule_checks& rules, const clang::VarDecl* variable) {
  if (variable->isInvalidDecl() || variable->getType()->isDependentType()) return;
  const bool is_parameter = llvm::isa<clang::ParmVarDecl>(variable);
  const clang::SourceLocation place = variable->getLocation();
  const clang::QualType type = variable->getType();
  type_check(rules, place).walk(type, is_parameter ? use_of_type::other : use_of_type::object);
  check_threads_factor(rules, variable->getTypeSourceInfo());
  check_redeclaration(rules, variable, variable->getPreviousDecl());
  if (is_shared_object(rules, variable) && variable->getTSCSpec() != clang::TSCS_unspecified) {
    rules.error(place, "a shared object cannot be thread-local");
  }
  if (is_shared_object(rules, variable) && variable->hasLocalStorage()) {
    rules.error(
        place,
        "an automatic variable cannot be shared; declare it static, or outside of functions");
  }
  if (is_parameter) return;
  if (variable->hasGlobalStorage()) {
    check_private_bounds(rules, type, place, "the size of a static private array");
    const clang::Expr* threads = variable->getInit() == nullptr || rules.types.mentions_shared(type)
                                     ? nullptr
                                     : find_threads(rules, variable->getInit());
    if (threads != nullptr)
      check_constant(rules, variable->getInit(), "an initialiser of a static private object");
  } else if (variable->getInit() != nullptr) {
    check_private_bounds(rules, type, place, "the size of an array with an initialiser");
  }
  if (variable->getInit() != nullptr)
    check_conversion(rules, variable->getInit(), type, "initialising");
}

void check_function(rule_checks& rules, const clang::FunctionDecl* function) {
  if (function->isInvalidDecl()) return;
  type_check(rules, function->getLocation()).walk(function->getType(), use_of_type::other);
  check_redeclaration(rules, function, function->getPreviousDecl());
  check_main(rules, function);
  if (const auto* result = function->getReturnType()->getAs<clang::PointerType>())
    check_private_bounds(rules, result->getPointeeType(), function->getLocation(),
                         "the size of an array to which a function returns a pointer");
}

void check_field(rule_checks& rules, const clang::FieldDecl* field) {
  if (field->isInvalidDecl()) return;
  type_check(rules, field->getLocation()).walk(field->getType(), use_of_type::other);
  check_threads_factor(rules, field->getTypeSourceInfo());
  check_private_bounds(rules, field->getType(), field->getLocation(),
                       "the size of an array in a structure");
  if (field->isBitField()) check_constant(rules, field->getBitWidth(), "the width of a bit-field");
}

void check_alias(rule_checks& rules, const clang::TypedefNameDecl* alias) {
  if (alias->isInvalidDecl()) return;
  type_check(rules, alias->getLocation()).walk(alias->getUnderlyingType(), use_of_type::alias);
  check_threads_factor(rules, alias->getTypeSourceInfo());
}

}  // namespace atl::upc
