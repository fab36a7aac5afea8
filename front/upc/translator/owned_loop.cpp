// SPDX-License-Identifier: BSD-3-Clause
//
// The analysis of upc_forall, and of loops over elements that follow each other. An element counts
// as the thread's own, or as the next one, only where that is certain for every iteration.
#include <front/upc/translator/loop_reader.hpp>

#include <llvm/ADT/FoldingSet.h>

#include <map>

namespace atl::upc {
namespace {

using clang::dyn_cast;

// Reads the body of a counted loop for runs.
class run_reader : public loop_reader {
 public:
  run_reader(const program& source, const shared_types& types, const clang::ForStmt* loop,
             const lvalue_test& is_owned, bool short_blocks, bool cyclic_pointers = false)
      : loop_reader(source, types, loop),
        is_owned_(is_owned),
        short_blocks_(short_blocks),
        cyclic_pointers_(cyclic_pointers) {}

  std::optional<run_loop> run(const clang::Expr* step) {
    if (!read_count(step) || has_loop(loop_->getBody())) return std::nullopt;
    find_moved();
    read(loop_->getBody(), {.is_always = true});
    if (found_.sites.empty()) return std::nullopt;
    compare_all();
    found_.counted = result_;
    found_.may_copy = *found_.reason == '\0';
    found_.has_any_order = short_blocks_ && found_.may_copy && are_cyclic() && has_any_order();
    return std::move(found_);
  }

 private:
  // How an expression is used: in every iteration or only in some, read or written, as a whole or
  // as a part.
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

  void read(const clang::Stmt* node, use access) {
    if (node == nullptr || llvm::isa<clang::UnaryExprOrTypeTraitExpr>(node)) return;
    if (const auto* expression = dyn_cast<clang::Expr>(node);
        expression != nullptr && expression->isGLValue() && read_lvalue(expression, access))
      return;
    if (const auto* call = dyn_cast<clang::CallExpr>(node)) {
      const clang::FunctionDecl* callee = call->getDirectCallee();
      if (callee == nullptr || callee->getBuiltinID() == 0)
        refuse_copies("it calls a function or synchronizes");
    }
    if (const auto* binary = dyn_cast<clang::BinaryOperator>(node))
      return read_binary(binary, access);
    if (const auto* unary = dyn_cast<clang::UnaryOperator>(node);
        unary != nullptr && unary->isIncrementDecrementOp()) {
      return read(unary->getSubExpr(), {.is_always = access.is_always, .is_written = true});
    }
    if (const auto* choice = dyn_cast<clang::ConditionalOperator>(node)) {
      read(choice->getCond(), access.of_value());
      read(choice->getTrueExpr(), access.sometimes());
      return read(choice->getFalseExpr(), access.sometimes());
    }
    const bool is_choice = llvm::isa<clang::IfStmt, clang::SwitchStmt, clang::StmtExpr,
                                     clang::BinaryConditionalOperator>(node);
    for (const clang::Stmt* child : node->children())
      read(child, {.is_always = access.is_always && !is_choice});
  }

  void read_binary(const clang::BinaryOperator* binary, use access) {
    if (binary->isAssignmentOp()) {
      read(binary->getLHS(), {.is_always = access.is_always,
                              .is_read = binary->isCompoundAssignmentOp(),
                              .is_written = true});
      return read(binary->getRHS(), access.of_value());
    }
    read(binary->getLHS(), access.of_value());
    read(binary->getRHS(),
         binary->isLogicalOp() ? access.of_value().sometimes() : access.of_value());
  }

  // True if the expressions inside are to be read as well.
  bool read_lvalue(const clang::Expr* expression, use access) {
    const clang::Expr* lvalue = expression->IgnoreParens();
    if (!types_.is_shared(lvalue->getType()) || llvm::isa<clang::CastExpr>(lvalue)) return false;
    if (const auto* member = dyn_cast<clang::MemberExpr>(lvalue);
        member != nullptr && !member->isArrow()) {
      access.is_part = true;
      read(member->getBase(), access);
      return true;
    }
    if (lvalue->getType()->isArrayType()) return false;
    if (is_owned_(lvalue)) {
      if (const auto* subscript = dyn_cast<clang::ArraySubscriptExpr>(lvalue))
        read(subscript->getIdx(), access.of_value());
      return true;
    }
    if (types_.is_strict(lvalue)) refuse_copies("an access is strict");
    if (add_site(lvalue, access)) return true;
    others_.push_back({lvalue, access.is_written});
    return false;
  }

  bool add_site(const clang::Expr* lvalue, use access) {
    const clang::VarDecl* moved = moved_pointer(lvalue, access);
    if (types_.is_strict(lvalue) || lvalue->getType().isVolatileQualified() ||
        lvalue->getType()->isIncompleteType() ||
        (moved == nullptr && !is_next(lvalue, access.is_always && !has_continue_)))
      return false;
    const std::optional<layout> spread = types_.find_layout(lvalue);
    if (!spread || spread->is_generic) return false;
    const bool is_short = spread->block != 0 && spread->block < shortest_run;
    if (is_short != short_blocks_ || (short_blocks_ && moved != nullptr && !cyclic_pointers_))
      return false;
    run_site& site = site_of(lvalue, *spread, moved);
    site.lvalues.push_back(lvalue);
    site.is_read = site.is_read || access.is_read || access.is_part;
    site.is_written = site.is_written || access.is_written;
    const bool is_whole = !access.is_part && access.is_always && !has_continue_;
    if (access.is_written && !is_whole)
      refuse_copies("not every iteration writes the whole element");
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

  // p of a *p++ that is in every iteration, where nothing else uses p.
  const clang::VarDecl* moved_pointer(const clang::Expr* lvalue, use access) {
    const auto* star = dyn_cast<clang::UnaryOperator>(lvalue);
    if (star == nullptr || star->getOpcode() != clang::UO_Deref) return nullptr;
    const auto* step = dyn_cast<clang::UnaryOperator>(star->getSubExpr()->IgnoreParens());
    if (step == nullptr || step->getOpcode() != clang::UO_PostInc) return nullptr;
    const clang::VarDecl* pointer = variable_of(step->getSubExpr());
    if (pointer == nullptr || mentions_[pointer] != 1 || !access.is_always || has_continue_ ||
        !is_private_local(pointer))
      return nullptr;
    return pointer;
  }

  // a[...][i + c], where everything but the counter stays the same. `is_always`: the expression is
  // evaluated in each iteration.
  bool is_next(const clang::Expr* lvalue, bool is_always) const {
    const auto* subscript = dyn_cast<clang::ArraySubscriptExpr>(lvalue);
    if (subscript == nullptr || !moves_by_one(subscript->getIdx(), is_always)) return false;
    const clang::Expr* base = bare(subscript->getBase());
    while (const auto* outer = dyn_cast<clang::ArraySubscriptExpr>(base)) {
      if (!outer->getType()->isArrayType() || !is_safe(outer->getIdx(), is_always)) return false;
      base = bare(outer->getBase());
    }
    const clang::VarDecl* variable = variable_of(base);
    if (variable == nullptr) return false;
    const clang::QualType type = variable->getType();
    if (types_.is_shared(type)) return type->isArrayType();
    return types_.is_pointer_to_shared(type) && is_private_local(variable) &&
           is_unchanged_name(variable);
  }

  // Whether the value grows by one from iteration to iteration, also where types are converted.
  bool moves_by_one(const clang::Expr* expression, bool is_always) const {
    const clang::Expr* number = bare(expression);
    const clang::QualType type = number->getType();
    if (!type->isIntegerType()) return false;
    if (is_counter(number)) return true;
    const bool wraps =
        type->isUnsignedIntegerOrEnumerationType() && source_.tree.getTypeSize(type) < 64;
    if (wraps) return shift_of(number).has_value();
    const auto* sum = dyn_cast<clang::BinaryOperator>(number);
    if (sum == nullptr || !sum->isAdditiveOp()) return false;
    const bool is_left =
        moves_by_one(sum->getLHS(), is_always) && is_safe(sum->getRHS(), is_always);
    if (sum->getOpcode() == clang::BO_Sub) return is_left;
    return is_left || (moves_by_one(sum->getRHS(), is_always) && is_safe(sum->getLHS(), is_always));
  }

  // The expression is unchanged, and evaluating it does no harm in an iteration that would not.
  bool is_safe(const clang::Expr* expression, bool is_always) const {
    bool divides = false;
    walk(expression, [&](const clang::Stmt* node) {
      const auto* binary = dyn_cast<clang::BinaryOperator>(node);
      if (binary != nullptr && (binary->isMultiplicativeOp() || binary->isShiftOp())) {
        divides =
            divides || (binary->getOpcode() != clang::BO_Mul && !constant_of(binary->getRHS()));
      }
      return !divides;
    });
    return !divides && is_unchanged(expression, is_always);
  }

  static const clang::VarDecl* array_of(const clang::Expr* lvalue) {
    while (const auto* subscript = dyn_cast<clang::ArraySubscriptExpr>(lvalue))
      lvalue = bare(subscript->getBase());
    const clang::VarDecl* variable = variable_of(lvalue);
    return variable != nullptr && variable->getType()->isArrayType() ? variable : nullptr;
  }

  // While a copy of elements is used, nothing else may access them.
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

  // --- Iterations whose order cannot be seen --------------------------------------------------

  bool are_cyclic() const {
    return others_.empty() && std::all_of(found_.sites.begin(), found_.sites.end(),
                                          [](const run_site& each) { return each.block == 1; });
  }

  // The body assigns to elements of its own and adds to numbers, and does nothing else.
  bool has_any_order() {
    const clang::Stmt* body = loop_->getBody();
    if (!llvm::isa<clang::CompoundStmt>(body)) return is_any_order_part(body);
    return std::all_of(body->child_begin(), body->child_end(),
                       [&](const clang::Stmt* part) { return is_any_order_part(part); });
  }

  bool is_any_order_part(const clang::Stmt* part) {
    const auto* expression = dyn_cast<clang::Expr>(part);
    const auto* change = expression == nullptr
                             ? nullptr
                             : dyn_cast<clang::BinaryOperator>(expression->IgnoreParens());
    if (change == nullptr || !change->isAssignmentOp() || !is_pure(change->getRHS())) return false;
    return is_site(change->getLHS()) || is_sum(dyn_cast<clang::CompoundAssignOperator>(change));
  }

  bool is_site(const clang::Expr* lvalue) const {
    for (const run_site& site : found_.sites) {
      for (const clang::Expr* each : site.lvalues)
        if (each->IgnoreParens() == lvalue->IgnoreParens()) return true;
    }
    return false;
  }

  // A local number that nothing else in the body names. Additions of signed numbers must wrap,
  // since in another order they may leave the range for a while.
  bool is_sum(const clang::CompoundAssignOperator* change) {
    if (change == nullptr) return false;
    const clang::VarDecl* variable = variable_of(change->getLHS());
    if (variable == nullptr || variable == result_.counter || mentions_[variable] != 1 ||
        !is_private_local(variable))
      return false;
    const clang::QualType type = variable->getType();
    if (!type->isIntegerType() || type->isBooleanType() || type.isVolatileQualified() ||
        source_.tree.getTypeSize(type) > 64 || !change->getRHS()->getType()->isIntegerType())
      return false;
    switch (change->getOpcode()) {
      case clang::BO_AddAssign:
      case clang::BO_SubAssign:
        found_.sums.push_back(change);
        return true;
      case clang::BO_AndAssign:
      case clang::BO_OrAssign:
      case clang::BO_XorAssign:
        return true;
      default:
        return false;
    }
  }

  // The expression changes nothing, calls nothing, and reads nothing by a private pointer, which
  // could lead to elements that the loop writes.
  bool is_pure(const clang::Expr* expression) const {
    const bool writes = std::any_of(found_.sites.begin(), found_.sites.end(),
                                    [](const run_site& each) { return each.is_written; });
    bool is_so = true;
    walk(expression, [&](const clang::Stmt* node) {
      const auto* binary = dyn_cast<clang::BinaryOperator>(node);
      const auto* unary = dyn_cast<clang::UnaryOperator>(node);
      const auto* part = dyn_cast<clang::Expr>(node);
      if (part != nullptr && is_site(part)) return false;  // its index or pointer is known
      const bool is_change = (binary != nullptr && binary->isAssignmentOp()) ||
                             (unary != nullptr && unary->isIncrementDecrementOp());
      const bool is_volatile = part != nullptr && part->getType().isVolatileQualified();
      const bool is_private =
          part != nullptr && part->isGLValue() && !types_.is_shared(part->getType());
      const bool is_elsewhere = writes && is_private && root_of(part) == nullptr;
      is_so = is_so && !is_change && !is_volatile && !is_elsewhere &&
              !llvm::isa<clang::CallExpr, clang::StmtExpr, clang::VAArgExpr>(node);
      return is_so;
    });
    return is_so;
  }

  const lvalue_test& is_owned_;
  bool short_blocks_, cyclic_pointers_;  // the second: *p++ through short blocks is a site, too
  run_loop found_;
  std::vector<other_access> others_;
  std::map<const clang::ValueDecl*, unsigned> mentions_;
  bool has_continue_ = false;
};

}  // namespace

std::optional<owned_loop> recognise(const program& source, const shared_types& types,
                                    const clang::ForStmt* loop, const clang::Expr* step,
                                    const clang::Expr* affinity) {
  return loop_reader(source, types, loop).run(step, affinity);
}

std::optional<run_loop> recognise_runs(const program& source, const shared_types& types,
                                       const clang::ForStmt* loop, const clang::Expr* step,
                                       const lvalue_test& is_owned) {
  return run_reader(source, types, loop, is_owned, false).run(step);
}

std::optional<run_loop> recognise_walks(const program& source, const shared_types& types,
                                        const clang::ForStmt* loop, const clang::Expr* step,
                                        const lvalue_test& is_owned) {
  // A pointer that the program moves itself needs no walking one; by threads it has runs.
  const auto by_threads = run_reader(source, types, loop, is_owned, true, true).run(step);
  if (by_threads && by_threads->has_any_order) return by_threads;
  return run_reader(source, types, loop, is_owned, true).run(step);
}

std::vector<owned_element> owned_elements(const program& source, const shared_types& types,
                                          const owned_loop& loop, const clang::Stmt* body) {
  std::vector<owned_element> found;
  loop_reader reader(source, types, nullptr);
  reader.result_ = loop;
  const clang::VarDecl* own = loop.base == nullptr ? nullptr : loop_reader::variable_of(loop.base);
  const bool is_own_array = own == nullptr || own->getType()->isArrayType();
  loop_reader::walk(body, [&](const clang::Stmt* node) {
    const auto* subscript = dyn_cast<clang::ArraySubscriptExpr>(node);
    if (subscript == nullptr || !types.is_shared(subscript->getType())) return true;
    const clang::VarDecl* array = loop_reader::variable_of(subscript->getBase());
    const std::optional<std::int64_t> shift = reader.shift_of(subscript->getIdx());
    if (array == nullptr || !shift || *shift != loop.shift || types.is_strict(subscript))
      return true;
    const bool is_array = types.is_shared(array->getType()) && array->getType()->isArrayType();
    if (array != own && !(is_array && is_own_array)) return true;
    const element_count row = types.elements_of(subscript->getType());
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
