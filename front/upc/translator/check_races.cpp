// SPDX-License-Identifier: BSD-3-Clause
//
// Warnings about loops. -Wupc-race reports a race that the text of one upc_forall shows: an
// iteration writes an element that an iteration of another thread accesses, or all update one
// variable. -Wupc-remote-loop reports a loop that accesses remote elements one by one. Both compare
// subscripts as they are written and skip those that they cannot compare, so silence proves
// nothing.
#include <front/upc/translator/checks.hpp>
#include <front/upc/translator/owned_loop.hpp>

#include <llvm/ADT/FoldingSet.h>

namespace atl::upc {
namespace {

using clang::dyn_cast;

const clang::Expr* bare(const clang::Expr* expression) { return expression->IgnoreParenImpCasts(); }

const clang::ValueDecl* variable_of(const clang::Expr* expression) {
  const auto* reference = dyn_cast<clang::DeclRefExpr>(bare(expression));
  return reference == nullptr ? nullptr : reference->getDecl();
}

// One access to an element: array[first][second]...
struct element_access {
  const clang::Expr* lvalue = nullptr;
  const clang::ValueDecl* array = nullptr;
  std::vector<const clang::Expr*> subscripts;
  bool is_write = false;
  bool is_update = false;  // the new value depends on the old one
};

bool are_same(const clang::ASTContext& tree, const clang::Expr* expression,
              const clang::Expr* other) {
  llvm::FoldingSetNodeID first, second;
  bare(expression)->Profile(first, tree, true);
  bare(other)->Profile(second, tree, true);
  return first == second;
}

bool mentions(const clang::Stmt* node, const clang::ValueDecl* variable) {
  if (node == nullptr) return false;
  if (const auto* reference = dyn_cast<clang::DeclRefExpr>(node))
    return reference->getDecl() == variable;
  for (const clang::Stmt* child : node->children()) {
    if (mentions(child, variable)) return true;
  }
  return false;
}

// The subscript as counter + number; nothing if it has another form.
std::optional<std::int64_t> offset_from(const clang::ASTContext& tree, const clang::Expr* subscript,
                                        const clang::ValueDecl* counter) {
  const clang::Expr* expression = bare(subscript);
  if (variable_of(expression) == counter) return 0;
  const auto* sum = dyn_cast<clang::BinaryOperator>(expression);
  if (sum == nullptr || !sum->isAdditiveOp()) return std::nullopt;
  const bool is_difference = sum->getOpcode() == clang::BO_Sub;
  const clang::Expr *left = sum->getLHS(), *right = sum->getRHS();
  if (!is_difference && !mentions(left, counter)) std::swap(left, right);
  const auto inner = offset_from(tree, left, counter);
  const auto number = right->getIntegerConstantExpr(tree);
  if (!inner || !number || number->getSignificantBits() > 62) return std::nullopt;
  return is_difference ? *inner - number->getExtValue() : *inner + number->getExtValue();
}

std::optional<element_access> element_of(const rule_checks& rules, const clang::Expr* lvalue) {
  const clang::Expr* expression = lvalue->IgnoreParens();
  if (!rules.types.is_shared(expression->getType())) return std::nullopt;
  element_access result;
  result.lvalue = expression;
  while (const auto* subscript = dyn_cast<clang::ArraySubscriptExpr>(expression)) {
    result.subscripts.insert(result.subscripts.begin(), subscript->getIdx());
    expression = bare(subscript->getBase());
  }
  result.array = variable_of(expression);
  if (result.array == nullptr) return std::nullopt;
  return result;
}

// Collects the accesses of a loop's body to shared variables and elements; calls of locks are
// noted.
class access_walk {
 public:
  explicit access_walk(const rule_checks& rules) : rules_(rules) {}

  void walk(const clang::Stmt* node) {
    if (node == nullptr) return;
    if (const auto* change = dyn_cast<clang::BinaryOperator>(node);
        change != nullptr && change->isAssignmentOp()) {
      const bool is_update =
          change->isCompoundAssignmentOp() || reads(change->getRHS(), change->getLHS());
      take(change->getLHS(), true, is_update);
      walk_subscripts(change->getLHS());
      walk(change->getRHS());
      return;
    }
    if (const auto* change = dyn_cast<clang::UnaryOperator>(node);
        change != nullptr && change->isIncrementDecrementOp()) {
      take(change->getSubExpr(), true, true);
      walk_subscripts(change->getSubExpr());
      return;
    }
    if (const auto* cast = dyn_cast<clang::CastExpr>(node);
        cast != nullptr && cast->getCastKind() == clang::CK_LValueToRValue) {
      take(cast->getSubExpr(), false, false);
      walk_subscripts(cast->getSubExpr());
      return;
    }
    if (const auto* call = dyn_cast<clang::CallExpr>(node)) note_call(call);
    for (const clang::Stmt* child : node->children()) walk(child);
  }

  [[nodiscard]] const std::vector<element_access>& accesses() const { return accesses_; }
  [[nodiscard]] bool has_synchronisation() const { return has_synchronisation_; }

 private:
  void take(const clang::Expr* lvalue, bool is_write, bool is_update) {
    std::optional<element_access> found = element_of(rules_, lvalue);
    if (!found || rules_.types.is_strict(lvalue)) return;
    found->is_write = is_write;
    found->is_update = is_update;
    accesses_.push_back(*found);
  }

  void walk_subscripts(const clang::Expr* lvalue) {
    const clang::Expr* expression = lvalue->IgnoreParens();
    if (const auto* subscript = dyn_cast<clang::ArraySubscriptExpr>(expression)) {
      walk(subscript->getIdx());
      const clang::Expr* base = bare(subscript->getBase());
      if (llvm::isa<clang::ArraySubscriptExpr>(base)) walk_subscripts(base);
      return;
    }
    for (const clang::Stmt* child : expression->children()) walk(child);
  }

  bool reads(const clang::Stmt* node, const clang::Expr* lvalue) const {
    if (node == nullptr) return false;
    const auto* cast = dyn_cast<clang::CastExpr>(node);
    if (cast != nullptr && cast->getCastKind() == clang::CK_LValueToRValue &&
        are_same(rules_.source.tree, cast->getSubExpr(), lvalue)) {
      return true;
    }
    for (const clang::Stmt* child : node->children()) {
      if (reads(child, lvalue)) return true;
    }
    return false;
  }

  void note_call(const clang::CallExpr* call) {
    const clang::FunctionDecl* callee = call->getDirectCallee();
    const std::string name =
        callee == nullptr || callee->getIdentifier() == nullptr ? "" : callee->getNameAsString();
    const bool is_lock = name.rfind("upc_lock", 0) == 0;
    has_synchronisation_ = has_synchronisation_ || callee == nullptr || is_lock ||
                           (callee->getBuiltinID() == 0 &&
                            !rules_.is_hidden(callee->getCanonicalDecl()->getLocation()));
  }

  const rule_checks& rules_;
  std::vector<element_access> accesses_;
  bool has_synchronisation_ = false;
};

// The variable that a loop counts by ones; null if it does not.
const clang::ValueDecl* counter_of(const rule_checks& rules, const clang::ForStmt* loop) {
  const clang::Expr* step = loop->getInc();
  if (step == nullptr) return nullptr;
  if (rules.is_forall(loop)) {
    const auto* comma = dyn_cast<clang::BinaryOperator>(step);
    if (comma == nullptr || comma->getOpcode() != clang::BO_Comma) return nullptr;
    step = comma->getLHS();
  }
  step = bare(step);
  if (const auto* unary = dyn_cast<clang::UnaryOperator>(step)) {
    return unary->isIncrementDecrementOp() ? variable_of(unary->getSubExpr()) : nullptr;
  }
  const auto* sum = dyn_cast<clang::CompoundAssignOperator>(step);
  if (sum == nullptr) return nullptr;
  const auto number = sum->getRHS()->getIntegerConstantExpr(rules.source.tree);
  const bool is_one = number && (*number == 1 || *number == -1);
  return is_one && (sum->getOpcode() == clang::BO_AddAssign ||
                    sum->getOpcode() == clang::BO_SubAssign)
             ? variable_of(sum->getLHS())
             : nullptr;
}

// Whether iterations some steps apart access one element of an array through these two.
bool may_overlap(const clang::ASTContext& tree, const element_access& write,
                 const element_access& other, const clang::ValueDecl* counter) {
  if (write.array != other.array || write.subscripts.size() != other.subscripts.size())
    return false;
  bool lies_apart = false;
  for (std::size_t i = 0; i < write.subscripts.size(); ++i) {
    const auto first = offset_from(tree, write.subscripts[i], counter),
               second = offset_from(tree, other.subscripts[i], counter);
    if (first && second) {
      lies_apart = lies_apart || *first != *second;
    } else if (!are_same(tree, write.subscripts[i], other.subscripts[i])) {
      return false;
    }
  }
  return lies_apart;
}

bool is_on_one_thread(const rule_checks& rules, const clang::Expr* affinity) {
  if (!rules.types.is_pointer_to_shared(affinity->getType())) return false;
  const auto found = rules.types.find_pointee_layout(affinity);
  return found && !found->is_generic && found->block == 0;
}

std::string text_of(const rule_checks& rules, const clang::Expr* expression) {
  const std::size_t begin = rules.source.place(expression->getBeginLoc());
  const clang::SourceLocation last = clang::Lexer::getLocForEndOfToken(
      expression->getEndLoc(), 0, rules.source.sources(), rules.source.tree.getLangOpts());
  const std::size_t end = rules.source.place(last);
  const std::string& text = rules.source.source.text;
  std::string result = begin < end && end <= text.size() ? text.substr(begin, end - begin) : "";
  for (const auto& [from, to] :
       {std::pair<std::string, std::string>{"(+__upc_mythread)", "MYTHREAD"},
        {"__upc_threads", "THREADS"}}) {
    for (std::size_t position; (position = result.find(from)) != std::string::npos;)
      result.replace(position, from.size(), to);
  }
  return result.find("__upc_") == std::string::npos ? result : "an element";
}

// Whether all iterations update one variable, or one element with a constant subscript.
bool is_common_update(const rule_checks& rules, const element_access& access) {
  if (!access.is_update) return false;
  for (const clang::Expr* each : access.subscripts) {
    if (!each->getIntegerConstantExpr(rules.source.tree)) return false;
  }
  const clang::QualType type = access.array->getType();
  return !access.subscripts.empty() || rules.types.is_shared(type);
}

// --- Loops that access remote elements one by one ------------------------------------------------
//
// A loop whose elements are copied run by run (emit_runs) is not such a loop.

class remote_walk {
 public:
  explicit remote_walk(rule_checks& rules) : rules_(rules) {}

  void walk(const clang::Stmt* node, const clang::Expr* own) {
    if (node == nullptr) return;
    const auto* loop = dyn_cast<clang::ForStmt>(node);
    if (loop != nullptr) {
      const clang::Expr* affinity = rules_.is_forall(loop) ? rules_.affinity_of(loop) : nullptr;
      const bool is_nested = affinity != nullptr && own != nullptr;
      if (affinity != nullptr) own = affinity;
      if (!has_loop(loop->getBody())) look_at(loop, own, is_nested);
    }
    for (const clang::Stmt* child : node->children()) walk(child, own);
  }

 private:
  static bool has_loop(const clang::Stmt* node) {
    if (node == nullptr) return false;
    if (llvm::isa<clang::ForStmt, clang::WhileStmt, clang::DoStmt>(node)) return true;
    for (const clang::Stmt* child : node->children()) {
      if (has_loop(child)) return true;
    }
    return false;
  }

  void look_at(const clang::ForStmt* loop, const clang::Expr* own, bool is_nested) {
    const clang::ValueDecl* counter = counter_of(rules_, loop);
    if (counter == nullptr) return;
    access_walk body(rules_);
    body.walk(loop->getBody());
    const std::optional<run_loop> runs = is_nested ? std::nullopt : runs_of(loop, own);
    std::set<const clang::ValueDecl*> reported;
    for (const element_access& each : body.accesses()) {
      bool follows_counter = false;
      for (const clang::Expr* subscript : each.subscripts)
        follows_counter = follows_counter || mentions(subscript, counter);
      if (!follows_counter || is_own(each, own) || is_copied(each, runs)) continue;
      if (reported.insert(each.array).second) tell(each, reason_of(each, runs));
    }
  }

  void tell(const element_access& access, const std::string& reason) {
    rules_.warn(access.lvalue->getBeginLoc(), "upc-remote-loop",
                "each iteration " + std::string(access.is_write ? "writes" : "reads") +
                    " one element, " + text_of(rules_, access.lvalue) +
                    ", that may lie on another thread" + reason + ": copy a block by " +
                    (access.is_write ? "upc_memput after" : "upc_memget before") +
                    " the loop, or let upc_forall give each iteration to the thread that owns "
                    "the element");
  }

  // The runs as which the loop is emitted; empty where it accesses element by element.
  std::optional<run_loop> runs_of(const clang::ForStmt* loop, const clang::Expr* own) const {
    const program& source = rules_.source;
    if (source.complaints.errors() != 0 || !source.options.is_enabled("runs")) return std::nullopt;
    const clang::Expr* step = loop->getInc();
    if (rules_.is_forall(loop)) {
      const auto* comma = dyn_cast<clang::BinaryOperator>(step);
      const clang::Expr* affinity = rules_.affinity_of(loop);
      if (affinity == nullptr || comma == nullptr) return std::nullopt;
      step = comma->getLHS();
      const auto owned = recognise(source, rules_.types, loop, step, affinity);
      if (!owned || owned->block == 1) return std::nullopt;
    }
    const lvalue_test is_own_counter = [&](const clang::Expr* lvalue) {
      const std::optional<element_access> access = element_of(rules_, lvalue);
      return access && is_own(*access, own);
    };
    auto runs = recognise_runs(source, rules_.types, loop, step, is_own_counter);
    if (runs || rules_.is_forall(loop)) return runs;
    auto walks = recognise_walks(source, rules_.types, loop, step, is_own_counter);
    return walks && walks->has_any_order ? walks : std::nullopt;
  }

  static bool has_run(const element_access& access, const std::optional<run_loop>& runs) {
    if (!runs) return false;
    for (const run_site& site : runs->sites) {
      for (const clang::Expr* lvalue : site.lvalues)
        if (lvalue == access.lvalue) return true;
    }
    return false;
  }
  static bool is_copied(const element_access& access, const std::optional<run_loop>& runs) {
    return has_run(access, runs) && runs->may_copy;
  }

  // The reason why the loop does not copy blocks of these elements, where that is known.
  std::string reason_of(const element_access& access, const std::optional<run_loop>& runs) const {
    if (has_run(access, runs))
      return std::string(" (the loop copies no block by itself, because ") + runs->reason + ")";
    const auto spread = rules_.types.find_layout(access.lvalue);
    if (!spread || spread->block == 0 || spread->block >= shortest_run) return "";
    return " (the loop copies no block by itself, because blocks of " +
           std::to_string(spread->block) + " are too short)";
  }

  // Whether this is the element that gives an iteration its affinity, or one at the same place of
  // an array with the same layout.
  bool is_own(const element_access& access, const clang::Expr* own) const {
    if (own == nullptr) return false;
    const auto* address = dyn_cast<clang::UnaryOperator>(bare(own));
    const clang::ASTContext& tree = rules_.source.tree;
    if (address != nullptr && address->getOpcode() == clang::UO_AddrOf) {
      const std::optional<element_access> affinity = element_of(rules_, address->getSubExpr());
      if (!affinity || affinity->subscripts.size() != access.subscripts.size()) return false;
      const auto access_layout = rules_.types.find_layout(access.lvalue),
                 affinity_layout = rules_.types.find_layout(affinity->lvalue);
      if (!access_layout || !affinity_layout || !(*access_layout == *affinity_layout)) return false;
      for (std::size_t i = 0; i < access.subscripts.size(); ++i) {
        if (!are_same(tree, access.subscripts[i], affinity->subscripts[i])) return false;
      }
      return true;
    }
    const auto spread = rules_.types.find_layout(access.lvalue);
    return spread && spread->block == 1 && access.subscripts.size() == 1 &&
           are_same(tree, access.subscripts[0], own);
  }

  rule_checks& rules_;
};

}  // namespace

void check_races(rule_checks& rules, const clang::ForStmt* loop) {
  const clang::Expr* affinity = rules.affinity_of(loop);
  if (affinity == nullptr || affinity->containsErrors() ||
      !rules.source.options.warned.is_on("upc-race"))
    return;
  if (is_on_one_thread(rules, affinity)) return;
  const clang::ValueDecl* counter = counter_of(rules, loop);
  access_walk body(rules);
  body.walk(loop->getBody());
  if (body.has_synchronisation()) return;
  std::set<const clang::ValueDecl*> reported;
  for (const element_access& write : body.accesses()) {
    if (!write.is_write || reported.count(write.array) > 0) continue;
    if (is_common_update(rules, write)) {
      reported.insert(write.array);
      rules.warn(write.lvalue->getBeginLoc(), "upc-race",
                 "all threads update " + text_of(rules, write.lvalue) +
                     " in this upc_forall without a lock: updates get lost; use a private variable "
                     "and add it up after "
                     "the loop (upc_all_reduce), a lock, or an atomic operation");
      continue;
    }
    for (const element_access& other : body.accesses()) {
      if (counter == nullptr || !may_overlap(rules.source.tree, write, other, counter)) continue;
      reported.insert(write.array);
      rules.warn(other.lvalue->getBeginLoc(), "upc-race",
                 text_of(rules, other.lvalue) + " is written by another iteration (as " +
                     text_of(rules, write.lvalue) +
                     "), which another thread may run at the same time; write to a second array, "
                     "or separate the two by "
                     "upc_barrier");
      break;
    }
  }
}

void check_remote_loops(rule_checks& rules, const clang::FunctionDecl* function) {
  if (!rules.source.options.warned.is_on("upc-remote-loop")) return;
  remote_walk(rules).walk(function->getBody(), nullptr);
}

}  // namespace atl::upc
