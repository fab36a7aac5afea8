// SPDX-License-Identifier: BSD-3-Clause
//
// Finds loops whose writes to other hosts may wait for each other, so that many go out in one
// message. The memory model lets relaxed writes wait until the thread orders its accesses, but a
// thread that waits for the answer to one must have sent it. So nothing in such a loop may wait: it
// counts, as do the loops in it, and it calls nothing and accesses nothing that is strict.
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
    read(loop_->getBody());
    return never_waits_ && writes_;
  }

 private:
  // The step moves a counter, which the condition compares with something else.
  bool counts() {
    const auto* condition = llvm::dyn_cast_or_null<clang::BinaryOperator>(loop_->getCond());
    if (condition == nullptr || !condition->isComparisonOp()) return false;
    for (const clang::Expr* side : {condition->getLHS(), condition->getRHS()}) {
      const clang::VarDecl* counter = variable_of(side);
      if (counter == nullptr || !changes(loop_->getInc(), counter)) continue;
      result_.counter = counter;
      read(loop_->getCond());
      read(loop_->getInc());
      return is_counter_fit() && is_body_fit();
    }
    return false;
  }

  void read(const clang::Stmt* node) {
    walk(node, [&](const clang::Stmt* part) {
      never_waits_ = never_waits_ && is_quick(part);
      writes_ = writes_ || writes(part);
      return never_waits_;
    });
  }

  bool is_quick(const clang::Stmt* part) const {
    if (llvm::isa<clang::WhileStmt, clang::DoStmt, clang::StmtExpr>(part)) return false;
    if (const auto* inner = dyn_cast<clang::ForStmt>(part)) {
      held_write_reader reader(source_, types_, inner, is_owned_);
      return source_.source.foralls.count(source_.place(inner->getForLoc())) == 0 &&
             reader.counts() && reader.never_waits_;
    }
    if (const auto* call = dyn_cast<clang::CallExpr>(part)) {
      const clang::FunctionDecl* callee = call->getDirectCallee();
      return callee != nullptr && callee->getBuiltinID() != 0 && !callee->isNoReturn();
    }
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
