// SPDX-License-Identifier: BSD-3-Clause
//
// The analysis of upc_forall. A variable counts as unchanged when it is local, nothing in the
// function takes its address, and the body does not assign to it.
#include <front/upc/translator/owned_loop.hpp>

#include <llvm/ADT/FoldingSet.h>

#include <map>

namespace atl::upc {
namespace {

using clang::dyn_cast;

// Calls `look` for a statement and all inside of it; stops below one for which it returns false.
void walk(const clang::Stmt* node, const std::function<bool(const clang::Stmt*)>& look) {
  if (node == nullptr || !look(node)) return;
  for (const clang::Stmt* child : node->children()) walk(child, look);
}

const clang::Expr* bare(const clang::Expr* expression) { return expression->IgnoreParenImpCasts(); }

const clang::VarDecl* variable_of(const clang::Expr* expression) {
  const auto* reference = dyn_cast<clang::DeclRefExpr>(bare(expression));
  return reference == nullptr ? nullptr : dyn_cast<clang::VarDecl>(reference->getDecl());
}

class recogniser {
 public:
  recogniser(const program& source, const shared_types& types, const clang::ForStmt* loop)
      : source_(source), types_(types), loop_(loop) {}

  std::optional<owned_loop> run(const clang::Expr* step, const clang::Expr* affinity) {
    if (!read_count(step) || !read_affinity(affinity)) return std::nullopt;
    return result_;
  }

 protected:
  bool read_count(const clang::Expr* step) {
    if (!read_start() || !read_condition() || !is_step_of_one(step)) return false;
    if (!is_counter_fit() || !is_body_fit() || !are_signs_fit()) return false;
    return is_unchanged(result_.bound) && !result_.first->HasSideEffects(source_.tree);
  }

  bool read_start() {
    if (const auto* declaration = llvm::dyn_cast_or_null<clang::DeclStmt>(loop_->getInit())) {
      if (!declaration->isSingleDecl()) return false;
      result_.counter = dyn_cast<clang::VarDecl>(declaration->getSingleDecl());
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
    if (const auto* unary = dyn_cast<clang::UnaryOperator>(step->IgnoreParens())) {
      return unary->isIncrementOp() && is_counter(unary->getSubExpr());
    }
    const auto* sum = dyn_cast<clang::CompoundAssignOperator>(step->IgnoreParens());
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

  // The counter is an integer variable of this function that nothing but the loop changes.
  bool is_counter_fit() const {
    const clang::QualType type = result_.counter->getType();
    return type->isIntegerType() && !type->isBooleanType() && !type.isVolatileQualified() &&
           source_.tree.getTypeSize(type) >= 32 && is_private_local(result_.counter) &&
           !changes(loop_->getBody(), result_.counter);
  }

  bool is_private_local(const clang::VarDecl* variable) const {
    const auto* function = dyn_cast<clang::FunctionDecl>(variable->getDeclContext());
    if (!variable->hasLocalStorage() || function == nullptr || function->getBody() == nullptr)
      return false;
    bool is_taken = false;
    walk(function->getBody(), [&](const clang::Stmt* node) {
      const auto* unary = dyn_cast<clang::UnaryOperator>(node);
      const bool takes = unary != nullptr && unary->getOpcode() == clang::UO_AddrOf;
      is_taken = is_taken || (takes && root_of(unary->getSubExpr()) == variable);
      return !is_taken;
    });
    return !is_taken;
  }

  static bool changes(const clang::Stmt* body, const clang::VarDecl* variable) {
    bool is_changed = false;
    walk(body, [&](const clang::Stmt* node) {
      const auto* binary = dyn_cast<clang::BinaryOperator>(node);
      const auto* unary = dyn_cast<clang::UnaryOperator>(node);
      if (binary != nullptr && binary->isAssignmentOp())
        is_changed |= root_of(binary->getLHS()) == variable;
      if (unary != nullptr && unary->isIncrementDecrementOp())
        is_changed |= root_of(unary->getSubExpr()) == variable;
      return !is_changed;
    });
    return is_changed;
  }

  // Nothing leaves the body early, and nothing in it would be another thing when it is written
  // twice.
  bool is_body_fit() const {
    bool is_fit = true;
    const std::function<void(const clang::Stmt*, bool)> look = [&](const clang::Stmt* node,
                                                                   bool is_inner) {
      if (node == nullptr || !is_fit) return;
      if (llvm::isa<clang::ReturnStmt>(node) || llvm::isa<clang::GotoStmt>(node) ||
          llvm::isa<clang::LabelStmt>(node) || llvm::isa<clang::IndirectGotoStmt>(node) ||
          llvm::isa<clang::AsmStmt>(node) || llvm::isa<clang::AddrLabelExpr>(node) ||
          (llvm::isa<clang::BreakStmt>(node) && !is_inner)) {
        is_fit = false;
        return;
      }
      if (const auto* declaration = dyn_cast<clang::DeclStmt>(node)) {
        for (const clang::Decl* each : declaration->decls()) {
          const auto* variable = dyn_cast<clang::VarDecl>(each);
          if (variable == nullptr || variable->hasGlobalStorage()) is_fit = false;
        }
      }
      const bool is_loop = llvm::isa<clang::ForStmt>(node) || llvm::isa<clang::WhileStmt>(node) ||
                           llvm::isa<clang::DoStmt>(node) || llvm::isa<clang::SwitchStmt>(node);
      for (const clang::Stmt* child : node->children()) look(child, is_inner || is_loop);
    };
    look(loop_->getBody(), false);
    return is_fit;
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

  // The expression has one value in all iterations.
  bool is_unchanged(const clang::Expr* expression) const {
    bool is_same = true;
    walk(expression, [&](const clang::Stmt* node) {
      if (llvm::isa<clang::UnaryExprOrTypeTraitExpr>(node)) return false;
      if (const auto* reference = dyn_cast<clang::DeclRefExpr>(node)) {
        is_same = is_same && is_unchanged_name(reference->getDecl());
        return is_same;
      }
      const auto* unary = dyn_cast<clang::UnaryOperator>(node);
      const auto* member = dyn_cast<clang::MemberExpr>(node);
      const bool is_member = member != nullptr && !member->isArrow() &&
                             !types_.is_shared(member->getType()) &&
                             !member->getType().isVolatileQualified();
      const bool is_plain = llvm::isa<clang::IntegerLiteral>(node) || is_member ||
                            llvm::isa<clang::ParenExpr>(node) || llvm::isa<clang::CastExpr>(node) ||
                            llvm::isa<clang::ConstantExpr>(node) ||
                            (unary != nullptr && unary->isArithmeticOp());
      const auto* binary = dyn_cast<clang::BinaryOperator>(node);
      is_same =
          is_same &&
          (is_plain || (binary != nullptr && !binary->isAssignmentOp() && !binary->isCommaOp()));
      return is_same;
    });
    return is_same;
  }

  bool is_unchanged_name(const clang::ValueDecl* name) const {
    if (llvm::isa<clang::EnumConstantDecl>(name)) return true;
    const auto* variable = dyn_cast<clang::VarDecl>(name);
    if (variable == nullptr || variable == result_.counter) return false;
    const clang::QualType type = variable->getType();
    if (type.isVolatileQualified() || types_.is_shared(type)) return false;
    if (type.isConstQualified()) return true;
    if (variable->hasGlobalStorage()) return is_quiet() && !changes(loop_->getBody(), variable);
    return is_private_local(variable) && !changes(loop_->getBody(), variable);
  }

  // The variable that a member, or an element of a private array, is part of.
  static const clang::VarDecl* root_of(const clang::Expr* lvalue) {
    for (;;) {
      lvalue = lvalue->IgnoreParenImpCasts();
      if (const auto* member = dyn_cast<clang::MemberExpr>(lvalue); member != nullptr) {
        if (member->isArrow()) return nullptr;
        lvalue = member->getBase();
      } else if (const auto* subscript = dyn_cast<clang::ArraySubscriptExpr>(lvalue)) {
        if (!subscript->getBase()->IgnoreParenImpCasts()->getType()->isArrayType()) return nullptr;
        lvalue = subscript->getBase();
      } else {
        return variable_of(lvalue);
      }
    }
  }

  // The body calls nothing and writes only shared objects and variables that it names.
  bool is_quiet() const {
    bool is_so = true;
    const auto writes = [&](const clang::Expr* lvalue) {
      is_so = is_so && (types_.is_shared(lvalue->getType()) || root_of(lvalue) != nullptr);
    };
    walk(loop_->getBody(), [&](const clang::Stmt* node) {
      const auto* binary = dyn_cast<clang::BinaryOperator>(node);
      const auto* unary = dyn_cast<clang::UnaryOperator>(node);
      if (llvm::isa<clang::CallExpr>(node)) is_so = false;
      if (binary != nullptr && binary->isAssignmentOp()) writes(binary->getLHS());
      if (unary != nullptr && unary->isIncrementDecrementOp()) writes(unary->getSubExpr());
      return is_so;
    });
    return is_so;
  }

  // counter, counter + c, c + counter, counter - c
  std::optional<std::int64_t> shift_of(const clang::Expr* expression) const {
    const clang::Expr* number = bare(expression);
    if (is_counter(number)) return 0;
    const auto* sum = dyn_cast<clang::BinaryOperator>(number);
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
    if (const auto* address = dyn_cast<clang::UnaryOperator>(expression)) {
      if (address->getOpcode() != clang::UO_AddrOf) return false;
      return read_element(address->getSubExpr()->IgnoreParens());
    }
    if (llvm::isa<clang::ArraySubscriptExpr>(expression)) return read_element(expression);
    const auto* sum = dyn_cast<clang::BinaryOperator>(expression);
    if (sum == nullptr || sum->getOpcode() != clang::BO_Add ||
        !types_.is_pointer_to_shared(sum->getLHS()->getType())) {
      return false;
    }
    return read_base(sum->getLHS(), sum->getRHS());
  }

  // a[i + c], or a[i + c][0] of rows.
  bool read_element(const clang::Expr* lvalue) {
    const auto* subscript = dyn_cast<clang::ArraySubscriptExpr>(lvalue);
    if (subscript == nullptr) return false;
    const auto* inner = dyn_cast<clang::ArraySubscriptExpr>(bare(subscript->getBase()));
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
    const extent row = types_.elements_of(base->getType()->getPointeeType());
    const layout spread = types_.pointee_layout(base);
    if (row.times_threads || spread.is_generic || row.number == 0 || spread.block % row.number != 0)
      return false;
    // A pointer into the middle of a row would move the rows against the blocks.
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

  friend std::vector<owned_element> atl::upc::owned_elements(const program&, const shared_types&,
                                                             const owned_loop&, const clang::Stmt*);
};

// Reads the body of a counted loop for runs.
class run_reader : public recogniser {
 public:
  run_reader(const program& source, const shared_types& types, const clang::ForStmt* loop,
             const lvalue_test& is_owned)
      : recogniser(source, types, loop), is_owned_(is_owned) {}

  std::optional<run_loop> run(const clang::Expr* step) {
    if (!read_count(step) || has_loop(loop_->getBody())) return std::nullopt;
    find_moved();
    read(loop_->getBody(), {.is_always = true});
    if (found_.sites.empty()) return std::nullopt;
    compare_all();
    found_.counted = result_;
    found_.may_copy = *found_.reason == '\0';
    return std::move(found_);
  }

 private:
  // How an expression is met: in every iteration or only in some, read or written, as a whole or a
  // part of it.
  struct use {
    bool is_always = false, is_read = true, is_written = false, is_part = false;
    [[nodiscard]] use sometimes() const {
      return {.is_read = is_read, .is_written = is_written, .is_part = is_part};
    }
    [[nodiscard]] use of_value() const { return {.is_always = is_always}; }
  };
  struct other_access {
    const clang::Expr* lvalue;
    bool is_written;
  };

  static bool has_loop(const clang::Stmt* node) {
    bool has_one = false;
    walk(node, [&](const clang::Stmt* each) {
      has_one = has_one || llvm::isa<clang::ForStmt, clang::WhileStmt, clang::DoStmt>(each);
      return !has_one;
    });
    return has_one;
  }

  // Pointers that the body names once, as *p++.
  void find_moved() {
    walk(loop_->getBody(), [&](const clang::Stmt* node) {
      has_continue_ = has_continue_ || llvm::isa<clang::ContinueStmt>(node);
      if (const auto* reference = dyn_cast<clang::DeclRefExpr>(node))
        ++mentions_[reference->getDecl()];
      return true;
    });
  }

  void refuse_copies(const char* reason) {
    if (*found_.reason == '\0') found_.reason = reason;
  }

  void read(const clang::Stmt* node, use how) {
    if (node == nullptr || llvm::isa<clang::UnaryExprOrTypeTraitExpr>(node)) return;
    if (const auto* expression = dyn_cast<clang::Expr>(node);
        expression != nullptr && expression->isGLValue() && read_lvalue(expression, how))
      return;
    if (const auto* call = dyn_cast<clang::CallExpr>(node)) {
      const clang::FunctionDecl* callee = call->getDirectCallee();
      if (callee == nullptr || callee->getBuiltinID() == 0)
        refuse_copies("it calls a function or synchronizes");
    }
    if (const auto* binary = dyn_cast<clang::BinaryOperator>(node)) return read_binary(binary, how);
    if (const auto* unary = dyn_cast<clang::UnaryOperator>(node);
        unary != nullptr && unary->isIncrementDecrementOp()) {
      return read(unary->getSubExpr(), {.is_always = how.is_always, .is_written = true});
    }
    if (const auto* choice = dyn_cast<clang::ConditionalOperator>(node)) {
      read(choice->getCond(), how.of_value());
      read(choice->getTrueExpr(), how.sometimes());
      return read(choice->getFalseExpr(), how.sometimes());
    }
    const bool is_choice = llvm::isa<clang::IfStmt, clang::SwitchStmt, clang::StmtExpr,
                                     clang::BinaryConditionalOperator>(node);
    for (const clang::Stmt* child : node->children())
      read(child, {.is_always = how.is_always && !is_choice});
  }

  void read_binary(const clang::BinaryOperator* binary, use how) {
    if (binary->isAssignmentOp()) {
      read(binary->getLHS(), {.is_always = how.is_always,
                              .is_read = binary->isCompoundAssignmentOp(),
                              .is_written = true});
      return read(binary->getRHS(), how.of_value());
    }
    read(binary->getLHS(), how.of_value());
    read(binary->getRHS(), binary->isLogicalOp() ? how.of_value().sometimes() : how.of_value());
  }

  // True if all inside is read as well.
  bool read_lvalue(const clang::Expr* expression, use how) {
    const clang::Expr* lvalue = expression->IgnoreParens();
    if (!types_.is_shared(lvalue->getType()) || llvm::isa<clang::CastExpr>(lvalue)) return false;
    if (const auto* member = dyn_cast<clang::MemberExpr>(lvalue);
        member != nullptr && !member->isArrow()) {
      how.is_part = true;
      read(member->getBase(), how);
      return true;
    }
    if (lvalue->getType()->isArrayType()) return false;
    if (is_owned_(lvalue)) {
      if (const auto* subscript = dyn_cast<clang::ArraySubscriptExpr>(lvalue))
        read(subscript->getIdx(), how.of_value());
      return true;
    }
    if (types_.is_strict(lvalue)) refuse_copies("an access is strict");
    if (add_site(lvalue, how)) return true;
    others_.push_back({lvalue, how.is_written});
    return false;
  }

  bool add_site(const clang::Expr* lvalue, use how) {
    const clang::VarDecl* moved = moved_pointer(lvalue, how);
    if (types_.is_strict(lvalue) || lvalue->getType().isVolatileQualified() ||
        lvalue->getType()->isIncompleteType() || (moved == nullptr && !is_next(lvalue)))
      return false;
    const std::optional<layout> spread = types_.find_layout(lvalue);
    if (!spread || spread->is_generic || (spread->block != 0 && spread->block < shortest_run))
      return false;
    run_site& site = site_of(lvalue, *spread, moved);
    site.lvalues.push_back(lvalue);
    site.is_read = site.is_read || how.is_read || how.is_part;
    site.is_written = site.is_written || how.is_written;
    const bool is_whole = !how.is_part && how.is_always && !has_continue_;
    if (how.is_written && !is_whole) refuse_copies("not every iteration writes the whole element");
    if (types_.is_pointer_to_shared(lvalue->getType()))
      refuse_copies("the elements are pointers-to-shared");
    return true;
  }

  run_site& site_of(const clang::Expr* lvalue, layout spread, const clang::VarDecl* moved) {
    for (run_site& each : found_.sites) {
      if (moved == nullptr && each.moved == nullptr && has_same_text(each.lvalues[0], lvalue))
        return each;
    }
    found_.sites.push_back({.lvalues = {}, .moved = moved, .block = spread.block});
    return found_.sites.back();
  }

  bool has_same_text(const clang::Expr* lvalue, const clang::Expr* other) const {
    llvm::FoldingSetNodeID first, second;
    lvalue->Profile(first, source_.tree, true);
    other->Profile(second, source_.tree, true);
    return first == second;
  }

  // *p++ in every iteration, and nothing else with p.
  const clang::VarDecl* moved_pointer(const clang::Expr* lvalue, use how) {
    const auto* star = dyn_cast<clang::UnaryOperator>(lvalue);
    if (star == nullptr || star->getOpcode() != clang::UO_Deref) return nullptr;
    const auto* step = dyn_cast<clang::UnaryOperator>(star->getSubExpr()->IgnoreParens());
    if (step == nullptr || step->getOpcode() != clang::UO_PostInc) return nullptr;
    const clang::VarDecl* pointer = variable_of(step->getSubExpr());
    if (pointer == nullptr || mentions_[pointer] != 1 || !how.is_always || has_continue_ ||
        !is_private_local(pointer))
      return nullptr;
    return pointer;
  }

  // a[...][i + c], where all but the counter stays as it is.
  bool is_next(const clang::Expr* lvalue) const {
    const auto* subscript = dyn_cast<clang::ArraySubscriptExpr>(lvalue);
    if (subscript == nullptr || !moves_by_one(subscript->getIdx())) return false;
    const clang::Expr* base = bare(subscript->getBase());
    while (const auto* outer = dyn_cast<clang::ArraySubscriptExpr>(base)) {
      if (!outer->getType()->isArrayType() || !is_safe(outer->getIdx())) return false;
      base = bare(outer->getBase());
    }
    const clang::VarDecl* variable = variable_of(base);
    if (variable == nullptr) return false;
    const clang::QualType type = variable->getType();
    if (types_.is_shared(type)) return type->isArrayType();
    return types_.is_pointer_to_shared(type) && is_private_local(variable) &&
           is_unchanged_name(variable);
  }

  // The value grows by one from iteration to iteration, also where types are converted.
  bool moves_by_one(const clang::Expr* expression) const {
    const clang::Expr* number = bare(expression);
    const clang::QualType type = number->getType();
    if (!type->isIntegerType()) return false;
    if (is_counter(number)) return true;
    const bool wraps =
        type->isUnsignedIntegerOrEnumerationType() && source_.tree.getTypeSize(type) < 64;
    if (wraps) return shift_of(number).has_value();
    const auto* sum = dyn_cast<clang::BinaryOperator>(number);
    if (sum == nullptr || !sum->isAdditiveOp()) return false;
    const bool is_left = moves_by_one(sum->getLHS()) && is_safe(sum->getRHS());
    if (sum->getOpcode() == clang::BO_Sub) return is_left;
    return is_left || (moves_by_one(sum->getRHS()) && is_safe(sum->getLHS()));
  }

  // Unchanged, and may be evaluated in an iteration that does not.
  bool is_safe(const clang::Expr* expression) const {
    bool divides = false;
    walk(expression, [&](const clang::Stmt* node) {
      const auto* binary = dyn_cast<clang::BinaryOperator>(node);
      if (binary != nullptr && (binary->isMultiplicativeOp() || binary->isShiftOp())) {
        divides =
            divides || (binary->getOpcode() != clang::BO_Mul && !constant_of(binary->getRHS()));
      }
      return !divides;
    });
    return !divides && is_unchanged(expression);
  }

  static const clang::VarDecl* array_of(const clang::Expr* lvalue) {
    while (const auto* subscript = dyn_cast<clang::ArraySubscriptExpr>(lvalue))
      lvalue = bare(subscript->getBase());
    const clang::VarDecl* variable = variable_of(lvalue);
    return variable != nullptr && variable->getType()->isArrayType() ? variable : nullptr;
  }

  // A copy of elements must be the only way to them while it is used.
  void compare_all() {
    for (const run_site& site : found_.sites) {
      for (const run_site& other : found_.sites)
        if (&site != &other && site.is_written) compare(site.lvalues[0], other.lvalues[0]);
      for (const other_access& other : others_)
        if (site.is_written || other.is_written) compare(site.lvalues[0], other.lvalue);
    }
  }
  void compare(const clang::Expr* lvalue, const clang::Expr* other) {
    const clang::VarDecl *first = array_of(lvalue), *second = array_of(other);
    if (first == nullptr || second == nullptr || first == second)
      refuse_copies("what it writes may be what it accesses in another way");
  }

  const lvalue_test& is_owned_;
  run_loop found_;
  std::vector<other_access> others_;
  std::map<const clang::ValueDecl*, unsigned> mentions_;
  bool has_continue_ = false;
};

}  // namespace

std::optional<owned_loop> recognise(const program& source, const shared_types& types,
                                    const clang::ForStmt* loop, const clang::Expr* step,
                                    const clang::Expr* affinity) {
  return recogniser(source, types, loop).run(step, affinity);
}

std::optional<run_loop> recognise_runs(const program& source, const shared_types& types,
                                       const clang::ForStmt* loop, const clang::Expr* step,
                                       const lvalue_test& is_owned) {
  return run_reader(source, types, loop, is_owned).run(step);
}

std::vector<owned_element> owned_elements(const program& source, const shared_types& types,
                                          const owned_loop& loop, const clang::Stmt* body) {
  std::vector<owned_element> found;
  recogniser reader(source, types, nullptr);
  reader.result_ = loop;
  const clang::VarDecl* own = loop.base == nullptr ? nullptr : variable_of(loop.base);
  const bool is_own_array = own == nullptr || own->getType()->isArrayType();
  walk(body, [&](const clang::Stmt* node) {
    const auto* subscript = dyn_cast<clang::ArraySubscriptExpr>(node);
    if (subscript == nullptr || !types.is_shared(subscript->getType())) return true;
    const clang::VarDecl* array = variable_of(subscript->getBase());
    const std::optional<std::int64_t> shift = reader.shift_of(subscript->getIdx());
    if (array == nullptr || !shift || *shift != loop.shift || types.is_strict(subscript))
      return true;
    const bool is_array = types.is_shared(array->getType()) && array->getType()->isArrayType();
    if (array != own && !(is_array && is_own_array)) return true;
    const extent row = types.elements_of(subscript->getType());
    const layout spread = types.pointee_layout(subscript->getBase());
    const clang::QualType element = types.element_of(subscript->getType());
    if (row.times_threads || row.number == 0 || spread.block != loop.block * row.number)
      return true;
    if (element.isVolatileQualified() || element->isIncompleteType()) return true;
    found.push_back({subscript, array});
    return true;
  });
  return found;
}

}  // namespace atl::upc
