// SPDX-License-Identifier: BSD-3-Clause
//
// Reads the head of a loop and answers questions of transformations about its body. A local
// variable counts as unchanged when no pointer leads to it and the body does not assign to it; a
// global one, and a member that a private pointer leads to, only where the body does nothing that
// could change it by another name. Readers of owned loops, runs and strips derive from this one.
#pragma once

#include <front/upc/translator/owned_loop.hpp>

#include <clang/AST/Attr.h>
#include <clang/Basic/Builtins.h>

#include <algorithm>

namespace atl::upc {

class loop_reader {
 public:
  loop_reader(const program& source, const shared_types& types, const clang::ForStmt* loop)
      : source_(source), types_(types), loop_(loop) {}

  std::optional<owned_loop> run(const clang::Expr* step, const clang::Expr* affinity) {
    if (!read_count(step) || !read_affinity(affinity)) return std::nullopt;
    return result_;
  }

  // Calls `look` for a statement and all inside of it; stops below one for which it returns false.
  static void walk(const clang::Stmt* node, const std::function<bool(const clang::Stmt*)>& look) {
    if (node == nullptr || !look(node)) return;
    for (const clang::Stmt* child : node->children()) walk(child, look);
  }

  static const clang::Expr* bare(const clang::Expr* expression) {
    return expression->IgnoreParenImpCasts();
  }

  static const clang::VarDecl* variable_of(const clang::Expr* expression) {
    const auto* reference = llvm::dyn_cast<clang::DeclRefExpr>(bare(expression));
    return reference == nullptr ? nullptr : llvm::dyn_cast<clang::VarDecl>(reference->getDecl());
  }

 protected:
  bool read_count(const clang::Expr* step) {
    if (!read_start() || !read_condition() || !is_step_of_one(step)) return false;
    if (!is_counter_fit() || !is_body_fit() || !are_signs_fit()) return false;
    return is_unchanged(result_.bound, true) && !result_.first->HasSideEffects(source_.tree);
  }

  bool read_start() {
    if (const auto* declaration = llvm::dyn_cast_or_null<clang::DeclStmt>(loop_->getInit())) {
      if (!declaration->isSingleDecl()) return false;
      result_.counter = llvm::dyn_cast<clang::VarDecl>(declaration->getSingleDecl());
      result_.declares_counter = true;
      result_.first = result_.counter == nullptr ? nullptr : result_.counter->getInit();
      return result_.first != nullptr;
    }
    const auto* assignment = llvm::dyn_cast_or_null<clang::BinaryOperator>(loop_->getInit());
    if (assignment == nullptr || assignment->getOpcode() != clang::BO_Assign) return false;
    result_.counter = variable_of(assignment->getLHS());
    result_.first = assignment->getRHS();
    return result_.counter != nullptr;
  }

  bool is_counter(const clang::Expr* expression) const {
    return variable_of(expression) == result_.counter;
  }

  bool read_condition() {
    const auto* condition = llvm::dyn_cast_or_null<clang::BinaryOperator>(loop_->getCond());
    if (condition == nullptr) return false;
    const clang::BinaryOperatorKind kind = condition->getOpcode();
    const bool is_forward = kind == clang::BO_LT || kind == clang::BO_LE;
    if (!is_forward && kind != clang::BO_GT && kind != clang::BO_GE) return false;
    result_.includes_bound = kind == clang::BO_LE || kind == clang::BO_GE;
    result_.bound = is_forward ? condition->getRHS() : condition->getLHS();
    return is_counter(is_forward ? condition->getLHS() : condition->getRHS());
  }

  bool is_step_of_one(const clang::Expr* step) const {
    if (step == nullptr) return false;
    if (const auto* unary = llvm::dyn_cast<clang::UnaryOperator>(step->IgnoreParens())) {
      return unary->isIncrementOp() && is_counter(unary->getSubExpr());
    }
    const auto* sum = llvm::dyn_cast<clang::CompoundAssignOperator>(step->IgnoreParens());
    if (sum == nullptr || sum->getOpcode() != clang::BO_AddAssign || !is_counter(sum->getLHS()))
      return false;
    return constant_of(sum->getRHS()) == 1;
  }

  // The value of a constant that does not depend on THREADS.
  std::optional<std::int64_t> constant_of(const clang::Expr* expression) const {
    clang::Expr::EvalResult value;
    if (!expression->EvaluateAsInt(value, source_.tree)) return std::nullopt;
    const std::int64_t number = value.Val.getInt().getExtValue();
    constexpr auto limit = static_cast<std::int64_t>(threads_stand_in);
    if (number <= -limit || number >= limit) return std::nullopt;
    return number;
  }

  // Whether the counter is an integer variable of this function that nothing but the loop changes.
  bool is_counter_fit() const {
    const clang::QualType type = result_.counter->getType();
    return type->isIntegerType() && !type->isBooleanType() && !type.isVolatileQualified() &&
           source_.tree.getTypeSize(type) >= 32 && is_private_local(result_.counter) &&
           !result_.counter->hasAttr<clang::CleanupAttr>() &&
           !changes(loop_->getBody(), result_.counter);
  }

  // Whether no pointer leads to the variable: it belongs to this function, which never uses its
  // address. The address of an array is used where the array is more than the base of a subscript.
  bool is_private_local(const clang::VarDecl* variable) const {
    const auto* function = llvm::dyn_cast<clang::FunctionDecl>(variable->getDeclContext());
    if (!variable->hasLocalStorage() || function == nullptr || function->getBody() == nullptr)
      return false;
    bool is_taken = false;
    std::set<const clang::Expr*> bases;
    walk(function->getBody(), [&](const clang::Stmt* node) {
      if (const auto* subscript = llvm::dyn_cast<clang::ArraySubscriptExpr>(node))
        bases.insert(subscript->getBase()->IgnoreParens());
      const auto* unary = llvm::dyn_cast<clang::UnaryOperator>(node);
      const auto* cast = llvm::dyn_cast<clang::CastExpr>(node);
      if (unary != nullptr && unary->getOpcode() == clang::UO_AddrOf)
        is_taken = is_taken || root_of(unary->getSubExpr()) == variable;
      if (cast != nullptr && cast->getCastKind() == clang::CK_ArrayToPointerDecay)
        is_taken = is_taken || (bases.count(cast) == 0 && root_of(cast->getSubExpr()) == variable);
      return !is_taken;
    });
    return !is_taken;
  }

  static bool changes(const clang::Stmt* body, const clang::VarDecl* variable) {
    bool is_changed = false;
    walk(body, [&](const clang::Stmt* node) {
      const auto* binary = llvm::dyn_cast<clang::BinaryOperator>(node);
      const auto* unary = llvm::dyn_cast<clang::UnaryOperator>(node);
      if (binary != nullptr && binary->isAssignmentOp())
        is_changed |= root_of(binary->getLHS()) == variable;
      if (unary != nullptr && unary->isIncrementDecrementOp())
        is_changed |= root_of(unary->getSubExpr()) == variable;
      return !is_changed;
    });
    return is_changed;
  }

  // Nothing leaves the body early or enters it except at its begin, and the meaning of nothing in
  // it changes when it is written twice.
  bool is_body_fit() const {
    bool is_repeatable = true;
    const std::function<void(const clang::Stmt*, bool, bool)> look =
        [&](const clang::Stmt* node, bool is_inner, bool is_in_switch) {
          if (node == nullptr || !is_repeatable) return;
          if (llvm::isa<clang::ReturnStmt>(node) || llvm::isa<clang::GotoStmt>(node) ||
              llvm::isa<clang::LabelStmt>(node) || llvm::isa<clang::IndirectGotoStmt>(node) ||
              llvm::isa<clang::AsmStmt>(node) || llvm::isa<clang::AddrLabelExpr>(node) ||
              (llvm::isa<clang::BreakStmt>(node) && !is_inner) ||
              (llvm::isa<clang::SwitchCase>(node) && !is_in_switch)) {
            is_repeatable = false;
            return;
          }
          if (const auto* declaration = llvm::dyn_cast<clang::DeclStmt>(node)) {
            for (const clang::Decl* each : declaration->decls()) {
              const auto* variable = llvm::dyn_cast<clang::VarDecl>(each);
              if (variable == nullptr || variable->hasGlobalStorage()) is_repeatable = false;
            }
          }
          const bool is_switch = llvm::isa<clang::SwitchStmt>(node);
          const bool is_loop = llvm::isa<clang::ForStmt>(node) ||
                               llvm::isa<clang::WhileStmt>(node) || llvm::isa<clang::DoStmt>(node);
          for (const clang::Stmt* child : node->children())
            look(child, is_inner || is_loop || is_switch, is_in_switch || is_switch);
        };
    look(loop_->getBody(), false, false);
    return is_repeatable;
  }

  // The comparison means the same for numbers with a sign.
  bool are_signs_fit() const {
    const bool is_signed = result_.counter->getType()->isSignedIntegerOrEnumerationType();
    const clang::QualType bound = bare(result_.bound)->getType();
    if (!bound->isIntegerType()) return false;
    if (is_signed == bound->isSignedIntegerOrEnumerationType()) return true;
    const std::optional<std::int64_t> first = constant_of(result_.first);
    const std::optional<std::int64_t> last = constant_of(result_.bound);
    return is_signed ? first && *first >= 0 : last && *last >= 0;
  }

  // Whether the expression has one value in all iterations. `follows`: it may name a member that a
  // private pointer leads to, so it must not be evaluated where the loop would not evaluate it.
  bool is_unchanged(const clang::Expr* expression, bool follows = false) const {
    bool is_same = true;
    walk(expression, [&](const clang::Stmt* node) {
      if (llvm::isa<clang::UnaryExprOrTypeTraitExpr>(node)) return false;
      if (const auto* reference = llvm::dyn_cast<clang::DeclRefExpr>(node)) {
        is_same = is_same && is_unchanged_name(reference->getDecl());
        return is_same;
      }
      const auto* unary = llvm::dyn_cast<clang::UnaryOperator>(node);
      const auto* member = llvm::dyn_cast<clang::MemberExpr>(node);
      const bool is_member =
          member != nullptr && (!member->isArrow() || (follows && is_member_unchanged(member))) &&
          !types_.is_shared(member->getType()) && !member->getType().isVolatileQualified() &&
          !member->getType()->isAtomicType();
      const bool is_plain = llvm::isa<clang::IntegerLiteral>(node) || is_member ||
                            llvm::isa<clang::ParenExpr>(node) || llvm::isa<clang::CastExpr>(node) ||
                            llvm::isa<clang::ConstantExpr>(node) ||
                            (unary != nullptr && unary->isArithmeticOp());
      const auto* binary = llvm::dyn_cast<clang::BinaryOperator>(node);
      is_same =
          is_same &&
          (is_plain || (binary != nullptr && !binary->isAssignmentOp() && !binary->isCommaOp()));
      return is_same;
    });
    return is_same;
  }

  bool is_unchanged_name(const clang::ValueDecl* name) const {
    if (llvm::isa<clang::EnumConstantDecl>(name)) return true;
    const auto* variable = llvm::dyn_cast<clang::VarDecl>(name);
    if (allowed_.count(variable) != 0) return true;
    if (variable == nullptr || variable == result_.counter || is_declared_inside(variable))
      return false;
    const clang::QualType type = variable->getType();
    if (type.isVolatileQualified() || type->isAtomicType() || types_.is_shared(type)) return false;
    if (type.isConstQualified()) return true;
    if (variable->hasGlobalStorage())
      return has_known_writes() && !changes(loop_->getBody(), variable);
    return is_private_local(variable) && !changes(loop_->getBody(), variable);
  }

  // Each iteration has its own such variable, and outside of the body the name means another one.
  bool is_declared_inside(const clang::VarDecl* variable) const {
    bool is_found = false;
    walk(loop_->getBody(), [&](const clang::Stmt* node) {
      const auto* declaration = llvm::dyn_cast<clang::DeclStmt>(node);
      is_found = is_found || (declaration != nullptr &&
                              std::find(declaration->decl_begin(), declaration->decl_end(),
                                        variable) != declaration->decl_end());
      return !is_found;
    });
    return is_found;
  }

  // The variable that a member, an element of a private array, or half of a complex number is part
  // of.
  static const clang::VarDecl* root_of(const clang::Expr* lvalue) {
    for (;;) {
      lvalue = lvalue->IgnoreParenImpCasts();
      if (const auto* member = llvm::dyn_cast<clang::MemberExpr>(lvalue); member != nullptr) {
        if (member->isArrow()) return nullptr;
        lvalue = member->getBase();
      } else if (const auto* subscript = llvm::dyn_cast<clang::ArraySubscriptExpr>(lvalue)) {
        if (!subscript->getBase()->IgnoreParenImpCasts()->getType()->isArrayType()) return nullptr;
        lvalue = subscript->getBase();
      } else if (const auto* unary = llvm::dyn_cast<clang::UnaryOperator>(lvalue);
                 unary != nullptr &&
                 (unary->getOpcode() == clang::UO_Real || unary->getOpcode() == clang::UO_Imag)) {
        lvalue = unary->getSubExpr();
      } else {
        return variable_of(lvalue);
      }
    }
  }

  // Calls `use` for each operand that an assignment, ++ or -- in the body changes.
  void for_each_written(const std::function<void(const clang::Expr*)>& use) const {
    walk(loop_->getBody(), [&](const clang::Stmt* node) {
      const auto* binary = llvm::dyn_cast<clang::BinaryOperator>(node);
      const auto* unary = llvm::dyn_cast<clang::UnaryOperator>(node);
      if (binary != nullptr && binary->isAssignmentOp()) use(binary->getLHS());
      if (unary != nullptr && unary->isIncrementDecrementOp()) use(unary->getSubExpr());
      return true;
    });
  }

  // Whether the body cannot change this number, which a private pointer leads to: it calls nothing,
  // has no strict access, and writes only objects of other types (ISO C 6.5) and variables that no
  // pointer leads to.
  bool is_member_unchanged(const clang::MemberExpr* member) const {
    const clang::QualType type = member->getType();
    if (!type->isIntegerType() || type->isAnyCharacterType() || has_other_types(member) ||
        !source_.options.has_strict_aliasing || !has_known_writes() || has_strict_access())
      return false;
    bool is_so = true;
    for_each_written([&](const clang::Expr* lvalue) {
      const clang::VarDecl* root = root_of(lvalue);
      const bool is_hidden =
          root != nullptr && !types_.is_shared(root->getType()) && is_private_local(root);
      const bool differs =
          lvalue->getType()->isRealFloatingType() ||
          (lvalue->getType()->isIntegerType() && !lvalue->getType()->isAnyCharacterType() &&
           source_.tree.getTypeSize(lvalue->getType()) != source_.tree.getTypeSize(type));
      is_so = is_so && (is_hidden || (differs && !has_other_types(lvalue)));
    });
    return is_so;
  }

  // Whether the object may also be accessed by another type: it lies in a union, or its type or
  // that of an object around it has the attribute may_alias.
  bool has_other_types(const clang::Expr* lvalue) const {
    for (;;) {
      lvalue = lvalue->IgnoreParenImpCasts();
      if (may_alias(lvalue->getType())) return true;
      if (const auto* member = llvm::dyn_cast<clang::MemberExpr>(lvalue)) {
        const auto* record = llvm::cast<clang::FieldDecl>(member->getMemberDecl())->getParent();
        if (record->isUnion() || record->hasAttr<clang::MayAliasAttr>()) return true;
        lvalue = member->getBase();
      } else if (const auto* subscript = llvm::dyn_cast<clang::ArraySubscriptExpr>(lvalue)) {
        lvalue = subscript->getBase();
      } else {
        return false;
      }
    }
  }

  bool may_alias(clang::QualType type) const {
    for (;;) {
      const auto* alias = llvm::dyn_cast<clang::TypedefType>(type.getTypePtr());
      if (alias != nullptr && alias->getDecl()->hasAttr<clang::MayAliasAttr>()) return true;
      const clang::QualType next = type.getSingleStepDesugaredType(source_.tree);
      if (next.getTypePtr() == type.getTypePtr()) break;
      type = next;
    }
    const clang::TagDecl* tag = type->getAsTagDecl();
    return tag != nullptr && tag->hasAttr<clang::MayAliasAttr>();
  }

  bool has_strict_access() const {
    bool is_found = false;
    walk(loop_->getBody(), [&](const clang::Stmt* node) {
      const auto* lvalue = llvm::dyn_cast<clang::Expr>(node);
      is_found = is_found ||
                 (lvalue != nullptr && types_.is_shared_lvalue(lvalue) && types_.is_strict(lvalue));
      return !is_found;
    });
    return is_found;
  }

  // A function of C whose value depends on its arguments alone.
  bool is_pure_call(const clang::CallExpr* call) const {
    const clang::FunctionDecl* callee = call->getDirectCallee();
    const unsigned builtin = callee == nullptr ? 0 : callee->getBuiltinID();
    return builtin != 0 && (source_.tree.BuiltinInfo.isConst(builtin) ||
                            source_.tree.BuiltinInfo.isConstWithoutErrnoAndExceptions(builtin));
  }

  // The body calls nothing and writes only shared objects and variables that it names.
  bool has_known_writes() const {
    bool is_so = true;
    walk(loop_->getBody(), [&](const clang::Stmt* node) {
      is_so = is_so && !llvm::isa<clang::CallExpr, clang::AtomicExpr>(node) && !cleans_up(node);
      return is_so;
    });
    for_each_written([&](const clang::Expr* lvalue) {
      is_so = is_so && (types_.is_shared(lvalue->getType()) || root_of(lvalue) != nullptr);
    });
    return is_so;
  }

  // Whether one of the declared variables has a function that is called where its block ends.
  static bool cleans_up(const clang::Stmt* node) {
    const auto* declaration = llvm::dyn_cast<clang::DeclStmt>(node);
    return declaration != nullptr &&
           std::any_of(declaration->decl_begin(), declaration->decl_end(),
                       [](const clang::Decl* each) { return each->hasAttr<clang::CleanupAttr>(); });
  }

  // counter, counter + c, c + counter, counter - c
  std::optional<std::int64_t> shift_of(const clang::Expr* expression) const {
    const clang::Expr* number = bare(expression);
    if (is_counter(number)) return 0;
    const auto* sum = llvm::dyn_cast<clang::BinaryOperator>(number);
    if (sum == nullptr || !sum->isAdditiveOp()) return std::nullopt;
    const bool is_difference = sum->getOpcode() == clang::BO_Sub;
    std::optional<std::int64_t> shift;
    if (is_counter(sum->getLHS())) shift = constant_of(sum->getRHS());
    if (!is_difference && is_counter(sum->getRHS())) shift = constant_of(sum->getLHS());
    if (shift && is_difference) shift = -*shift;
    const bool is_unsigned = result_.counter->getType()->isUnsignedIntegerOrEnumerationType();
    if (shift && is_unsigned && *shift < 0) return std::nullopt;
    return shift;
  }

  bool read_affinity(const clang::Expr* affinity) {
    const clang::Expr* expression = affinity->IgnoreParenImpCasts();
    if (!types_.is_pointer_to_shared(affinity->getType()) && !affinity->getType()->isArrayType()) {
      const std::optional<std::int64_t> shift = shift_of(expression);
      if (!affinity->getType()->isIntegerType() || !shift) return false;
      result_.shift = *shift;
      return true;
    }
    if (const auto* address = llvm::dyn_cast<clang::UnaryOperator>(expression)) {
      if (address->getOpcode() != clang::UO_AddrOf) return false;
      return read_element(address->getSubExpr()->IgnoreParens());
    }
    if (llvm::isa<clang::ArraySubscriptExpr>(expression)) return read_element(expression);
    const auto* sum = llvm::dyn_cast<clang::BinaryOperator>(expression);
    if (sum == nullptr || sum->getOpcode() != clang::BO_Add ||
        !types_.is_pointer_to_shared(sum->getLHS()->getType())) {
      return false;
    }
    return read_base(sum->getLHS(), sum->getRHS());
  }

  // a[i + c], or a[i + c][0] of rows.
  bool read_element(const clang::Expr* lvalue) {
    const auto* subscript = llvm::dyn_cast<clang::ArraySubscriptExpr>(lvalue);
    if (subscript == nullptr) return false;
    const auto* inner = llvm::dyn_cast<clang::ArraySubscriptExpr>(bare(subscript->getBase()));
    if (inner != nullptr && inner->getType()->isArrayType()) {
      if (constant_of(subscript->getIdx()) != 0) return false;
      return read_base(inner->getBase(), inner->getIdx());
    }
    return read_base(subscript->getBase(), subscript->getIdx());
  }

  bool read_base(const clang::Expr* base, const clang::Expr* index) {
    const clang::VarDecl* variable = variable_of(base);
    const std::optional<std::int64_t> shift = shift_of(index);
    if (variable == nullptr || !shift) return false;
    const bool is_array =
        types_.is_shared(variable->getType()) && variable->getType()->isArrayType();
    if (!is_array &&
        (!types_.is_pointer_to_shared(variable->getType()) || !is_unchanged_name(variable)))
      return false;
    const element_count row = types_.elements_of(base->getType()->getPointeeType());
    const layout spread = types_.pointee_layout(base);
    if (row.times_threads || spread.is_generic || row.number == 0 || spread.block % row.number != 0)
      return false;
    // A pointer into the middle of a row would shift the rows against the blocks.
    if (!is_array && row.number != 1) return false;
    result_.base = base;
    result_.shift = *shift;
    result_.row = row.number;
    result_.block = spread.block / row.number;
    return true;
  }

  const program& source_;
  const shared_types& types_;
  const clang::ForStmt* loop_;
  owned_loop result_;

  // Variables that is_unchanged() accepts beside those that nothing changes.
  std::set<const clang::VarDecl*> allowed_;

  friend std::vector<owned_element> owned_elements(const program&, const shared_types&,
                                                   const owned_loop&, const clang::Stmt*);
};

}  // namespace atl::upc
