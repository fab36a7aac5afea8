// SPDX-License-Identifier: BSD-3-Clause
//
// Statements: the affinity of upc_forall and ways out of it (UPC 1.3, 6.6.2), barriers that do not
// alternate (6.6.1). Undefined behaviour is a warning; only faults that show inside one function
// are reported.
#include <front/upc/translator/checks.hpp>

#include <algorithm>
#include <map>

namespace atl::upc {
namespace {

using clang::dyn_cast;

std::string name_of_callee(const clang::Stmt* node) {
  const auto* call = dyn_cast<clang::CallExpr>(node);
  const clang::FunctionDecl* callee = call == nullptr ? nullptr : call->getDirectCallee();
  return callee == nullptr || callee->getIdentifier() == nullptr ? "" : callee->getNameAsString();
}

enum class barrier_step { plain, notify, wait, barrier, collective, unknown };

barrier_step step_of(const rule_checks& rules, const clang::Stmt* node) {
  const std::string name = name_of_callee(node);
  if (name == "__upc_notify") return barrier_step::notify;
  if (name == "__upc_wait") return barrier_step::wait;
  if (name == "__upc_barrier") return barrier_step::barrier;
  const auto* call = dyn_cast<clang::CallExpr>(node);
  if (call == nullptr || name == "__upc_fence") return barrier_step::plain;
  const clang::FunctionDecl* callee = call->getDirectCallee();
  if (callee == nullptr) return barrier_step::unknown;
  const bool is_of_library =
      callee->getBuiltinID() != 0 || rules.is_hidden(callee->getCanonicalDecl()->getLocation());
  if (is_of_library && name.rfind("upc_all_", 0) == 0) return barrier_step::collective;
  return is_of_library ? barrier_step::plain : barrier_step::unknown;
}

// Walks a function and keeps the upc_forall statements around each statement.
class forall_walk {
 public:
  explicit forall_walk(rule_checks& rules) : rules_(rules) {}

  void run(const clang::Stmt* body) {
    walk(body, false);
    for (const clang::GotoStmt* each : gotos_) check_goto(each);
  }

 private:
  using loops = std::vector<const clang::ForStmt*>;

  // `may_break`: a break leaves an inner loop or switch.
  void walk(const clang::Stmt* node, bool may_break) {
    if (node == nullptr) return;
    if (const auto* loop = dyn_cast<clang::ForStmt>(node);
        loop != nullptr && rules_.is_forall(loop)) {
      walk_forall(loop);
      return;
    }
    look_at(node, may_break);
    const bool takes_breaks =
        llvm::isa<clang::ForStmt, clang::WhileStmt, clang::DoStmt, clang::SwitchStmt>(node);
    for (const clang::Stmt* child : node->children()) walk(child, may_break || takes_breaks);
  }

  void walk_forall(const clang::ForStmt* loop) {
    check_affinity(loop);
    walk(loop->getInit(), false);
    walk(loop->getCond(), false);
    walk(loop->getInc(), false);
    around_.push_back(loop);
    walk(loop->getBody(), false);
    around_.pop_back();
    if (around_.empty()) check_races(rules_, loop);
  }

  void check_affinity(const clang::ForStmt* loop) {
    const clang::Expr* affinity = rules_.affinity_of(loop);
    if (affinity == nullptr || affinity->containsErrors()) return;
    const clang::QualType type = affinity->getType();
    const bool is_shared_array = type->isArrayType() && rules_.types.is_shared(type);
    if (type->isIntegralOrEnumerationType() || rules_.types.is_pointer_to_shared(type) ||
        is_shared_array)
      return;
    rules_.error(affinity->getBeginLoc(),
                 "the affinity of a upc_forall must be an integer or a pointer-to-shared, not " +
                     rules_.words.quoted(type));
  }

  void look_at(const clang::Stmt* node, bool may_break) {
    if (const auto* label = dyn_cast<clang::LabelStmt>(node))
      loops_of_labels_[label->getDecl()] = around_;
    if (const auto* jump = dyn_cast<clang::GotoStmt>(node)) {
      gotos_.push_back(jump);
      loops_of_gotos_[jump] = around_;
    }
    if (around_.empty()) return;
    if (llvm::isa<clang::ReturnStmt>(node)) {
      leaves(node, "a return");
    } else if (llvm::isa<clang::BreakStmt>(node) && !may_break) {
      leaves(node, "a break");
    }
    bool shares_work = false;
    for (const clang::ForStmt* each : around_)
      shares_work = shares_work || rules_.affinity_of(each) != nullptr;
    const barrier_step step = step_of(rules_, node);
    const bool is_collective = step != barrier_step::plain && step != barrier_step::unknown;
    if (!shares_work || !is_collective) return;
    const std::string name = name_of_callee(node);
    rules_.warn(node->getBeginLoc(), "upc-forall",
                (name.rfind("__", 0) == 0 ? name.substr(2) : name) +
                    " inside a upc_forall, whose iterations different threads run: all threads "
                    "must reach it together");
  }

  void leaves(const clang::Stmt* node, const std::string& jump) {
    rules_.warn(node->getBeginLoc(), "upc-forall",
                jump + " out of a upc_forall ends it on this thread only; the result is undefined");
  }

  void check_goto(const clang::GotoStmt* jump) {
    const auto found = loops_of_labels_.find(jump->getLabel());
    if (found == loops_of_labels_.end()) return;
    const loops &goto_loops = loops_of_gotos_[jump], &label_loops = found->second;
    const std::size_t common = std::min(goto_loops.size(), label_loops.size());
    if (goto_loops.size() > common ||
        !std::equal(goto_loops.begin(), goto_loops.begin() + static_cast<std::ptrdiff_t>(common),
                    label_loops.begin())) {
      leaves(jump, "a goto");
    } else if (label_loops.size() > common) {
      rules_.warn(jump->getBeginLoc(), "upc-forall",
                  "a goto into a upc_forall; the result is undefined");
    }
  }

  rule_checks& rules_;
  loops around_;
  std::map<const clang::LabelDecl*, loops> loops_of_labels_;
  std::map<const clang::GotoStmt*, loops> loops_of_gotos_;
  std::vector<const clang::GotoStmt*> gotos_;
};

// The notifies and waits of one compound statement, in their order.
class barrier_walk {
 public:
  barrier_walk(rule_checks& rules, bool is_start_of_program) : rules_(rules) {
    if (is_start_of_program) state_ = state::outside;
  }

  void run(const clang::CompoundStmt* block) {
    for (const clang::Stmt* each : block->body()) statement(each);
  }
  void end_of_program(clang::SourceLocation place) {
    if (state_ == state::notified) {
      rules_.warn(place, "upc-barrier",
                  "the program ends between upc_notify (line " + line(last_) + ") and upc_wait");
    }
  }

 private:
  enum class state { unknown, outside, notified };

  void statement(const clang::Stmt* node) {
    if (const auto* expression = dyn_cast<clang::Expr>(node)) {
      const barrier_step step = step_of(rules_, expression->IgnoreParens());
      if (step != barrier_step::plain && step != barrier_step::unknown) {
        take(step, node->getBeginLoc(), name_of_callee(expression->IgnoreParens()));
        return;
      }
    }
    if (changes_state(node)) state_ = state::unknown;
  }

  void take(barrier_step step, clang::SourceLocation place, const std::string& callee) {
    const std::string name = callee.rfind("__", 0) == 0 ? callee.substr(2) : callee;
    if (step == barrier_step::wait) {
      if (state_ == state::outside)
        rules_.warn(place, "upc-barrier", "upc_wait without a upc_notify before it");
      state_ = state::outside;
      return;
    }
    if (state_ == state::notified) {
      rules_.warn(place, "upc-barrier",
                  name + " after the upc_notify of line " + line(last_) +
                      ": the next operation of all threads must be upc_wait");
    }
    if (step == barrier_step::collective) return;
    state_ = step == barrier_step::notify ? state::notified : state::outside;
    last_ = place;
  }

  // Whether a statement may contain a barrier, call a function that does, or be reached or left by
  // a jump.
  bool changes_state(const clang::Stmt* node) const {
    if (node == nullptr) return false;
    if (llvm::isa<clang::LabelStmt, clang::GotoStmt, clang::ReturnStmt, clang::BreakStmt,
                  clang::ContinueStmt, clang::SwitchCase>(node)) {
      return true;
    }
    if (step_of(rules_, node) != barrier_step::plain) return true;
    for (const clang::Stmt* child : node->children()) {
      if (changes_state(child)) return true;
    }
    return false;
  }

  std::string line(clang::SourceLocation place) const {
    return std::to_string(rules_.source.sources().getPresumedLoc(place).getLine());
  }

  rule_checks& rules_;
  state state_ = state::unknown;
  clang::SourceLocation last_;
};

void check_blocks(rule_checks& rules, const clang::Stmt* node) {
  if (node == nullptr) return;
  if (const auto* block = dyn_cast<clang::CompoundStmt>(node))
    barrier_walk(rules, false).run(block);
  for (const clang::Stmt* child : node->children()) check_blocks(rules, child);
}

}  // namespace

void check_statements(rule_checks& rules, const clang::FunctionDecl* function) {
  const auto* body = llvm::dyn_cast_or_null<clang::CompoundStmt>(function->getBody());
  if (body == nullptr) return;
  forall_walk(rules).run(body);
  const bool is_main = function->getNameAsString() == "main";
  barrier_walk barriers(rules, is_main);
  barriers.run(body);
  if (is_main) barriers.end_of_program(body->getRBracLoc());
  for (const clang::Stmt* child : body->body()) check_blocks(rules, child);
  check_remote_loops(rules, function);
}

}  // namespace atl::upc
