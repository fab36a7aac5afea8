// SPDX-License-Identifier: BSD-3-Clause
//
// Finds loops whose writes to other hosts may wait for each other, so that many go out in one
// message. The memory model lets relaxed writes wait until the thread orders its accesses. But a
// thread that waits for another thread's answer must have sent its writes, so such a loop may not
// wait: its number of iterations is known when it begins, as for the loops in it, and it calls
// nothing and has no strict access.
#include <front/upc/translator/loop_reader.hpp>

namespace atl::upc {
namespace {

using clang::dyn_cast;

class held_write_reader : public loop_reader {
 public:
  held_write_reader(const program& source, const shared_types& types, const clang::ForStmt* loop,
                    const lvalue_test& is_owned)
      : loop_reader(source, types, loop), is_owned_(is_owned) {}

  bool may_hold() {
    if (!counts()) return false;
    for (const clang::Stmt* part : loop_->children()) read(part);
    return never_waits_ && writes_;
  }

 private:
  // The condition compares a counter with a bound that stays the same, and the step moves the
  // counter by a number that stays the same. No other thread influences when such a loop ends.
  bool counts() {
    const auto* condition = llvm::dyn_cast_or_null<clang::BinaryOperator>(loop_->getCond());
    if (condition == nullptr || !condition->isComparisonOp()) return false;
    const clang::Expr* bound = condition->getRHS();
    result_.counter = variable_of(condition->getLHS());
    if (!is_step()) {
      bound = condition->getLHS();
      result_.counter = variable_of(condition->getRHS());
      if (!is_step()) return false;
    }
    return is_counter_fit() && is_body_fit() && is_unchanged(bound, true);
  }

  // counter++, --counter, counter += 3, counter -= stride
  bool is_step() const {
    if (result_.counter == nullptr || loop_->getInc() == nullptr) return false;
    const clang::Expr* step = loop_->getInc()->IgnoreParens();
    if (const auto* unary = dyn_cast<clang::UnaryOperator>(step))
      return unary->isIncrementDecrementOp() && is_counter(unary->getSubExpr());
    const auto* sum = dyn_cast<clang::CompoundAssignOperator>(step);
    if (sum == nullptr || !is_counter(sum->getLHS()) ||
        (sum->getOpcode() != clang::BO_AddAssign && sum->getOpcode() != clang::BO_SubAssign))
      return false;
    const clang::Expr* distance = sum->getRHS();
    return distance->getType()->isIntegerType() && is_unchanged(distance, true) &&
           constant_of(distance) != 0;
  }

  void read(const clang::Stmt* node) {
    walk(node, [&](const clang::Stmt* part) {
      never_waits_ = never_waits_ && is_quick(part);
      writes_ = writes_ || writes(part);
      return never_waits_;
    });
  }

  bool is_quick(const clang::Stmt* part) const {
    if (llvm::isa<clang::WhileStmt, clang::DoStmt, clang::StmtExpr, clang::AtomicExpr>(part))
      return false;
    if (const auto* inner = dyn_cast<clang::ForStmt>(part)) {
      held_write_reader reader(source_, types_, inner, is_owned_);
      return source_.source.foralls.count(source_.place(inner->getForLoc())) == 0 &&
             reader.counts();
    }
    if (const auto* call = dyn_cast<clang::CallExpr>(part)) return is_pure_call(call);
    if (llvm::isa<clang::DeclStmt>(part)) return !cleans_up(part);
    const auto* lvalue = dyn_cast<clang::Expr>(part);
    return lvalue == nullptr || !types_.is_shared_lvalue(lvalue) || !types_.is_strict(lvalue);
  }

  bool writes(const clang::Stmt* part) const {
    const auto* binary = dyn_cast<clang::BinaryOperator>(part);
    const auto* unary = dyn_cast<clang::UnaryOperator>(part);
    const clang::Expr* changed = nullptr;
    if (binary != nullptr && binary->isAssignmentOp()) changed = binary->getLHS();
    if (unary != nullptr && unary->isIncrementDecrementOp()) changed = unary->getSubExpr();
    return changed != nullptr && types_.is_shared_lvalue(changed) && !is_owned_(changed);
  }

  const lvalue_test& is_owned_;
  bool never_waits_ = true, writes_ = false;
};

}  // namespace

bool may_hold_writes(const program& source, const shared_types& types, const clang::ForStmt* loop,
                     const lvalue_test& is_owned) {
  return held_write_reader(source, types, loop, is_owned).may_hold();
}

}  // namespace atl::upc
