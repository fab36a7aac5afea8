// SPDX-License-Identifier: BSD-3-Clause
//
// Statements. They are copied like expressions. After a statement whose text has another number of
// lines than the user's, a #line corrects the compiler's count. upc_forall has its general form
// here (section 6.6.2): each iteration asks whether it is this thread's, unless another upc_forall
// around it, also one in a caller, has chosen the iterations already.
#include <front/upc/translator/emitter.hpp>

#include <utility>

namespace atl::upc {
namespace {

using clang::dyn_cast;

bool is_of_library(const program& source, const clang::FunctionDecl* callee) {
  const std::size_t offset =
      source.sources().getFileOffset(callee->getCanonicalDecl()->getLocation());
  return offset < prelude_size() || source.source.is_hidden(offset - prelude_size());
}

}  // namespace

// Whether a upc_forall may run inside: the statement calls functions of the program or contains
// one.
bool emitter::may_run_forall(const clang::Stmt* node) const {
  if (node == nullptr) return false;
  if (const auto* call = dyn_cast<clang::CallExpr>(node)) {
    const clang::FunctionDecl* callee = call->getDirectCallee();
    if (callee == nullptr) return true;
    if (callee->getBuiltinID() == 0 && !is_of_library(program_, callee)) return true;
  }
  if (is_forall(node)) return true;
  for (const clang::Stmt* child : node->children()) {
    if (may_run_forall(child)) return true;
  }
  return false;
}

std::string emitter::statement(const clang::Stmt* node) {
  const std::string text = statement_text(node);
  return text + line_after(begin_of(node), end_of(node), text);
}

std::string emitter::statement_text(const clang::Stmt* node) {
  if (const auto* expression = dyn_cast<clang::Expr>(node)) return discard(expression);
  if (const auto* declaration = dyn_cast<clang::DeclStmt>(node))
    return declaration_statement(declaration);
  if (const auto* loop = dyn_cast<clang::ForStmt>(node)) {
    const auto found = program_.source.foralls.find(program_.place(loop->getForLoc()));
    return found == program_.source.foralls.end() ? for_loop(loop) : forall(loop, found->second);
  }
  if (const auto* choice = dyn_cast<clang::IfStmt>(node))
    return conditional_statement(node, choice->getCond());
  if (const auto* loop = dyn_cast<clang::WhileStmt>(node))
    return conditional_statement(node, loop->getCond());
  if (const auto* loop = dyn_cast<clang::DoStmt>(node))
    return conditional_statement(node, loop->getCond());
  if (const auto* result = dyn_cast<clang::ReturnStmt>(node)) {
    if (result->getRetValue() == nullptr) return copy(begin_of(node), end_of(node));
    const clang::Expr* expression = result->getRetValue();
    return copy(begin_of(node), end_of(node),
                {{begin_of(expression), end_of(expression), value(expression)}});
  }
  pieces found;
  for (const clang::Stmt* child : node->children()) {
    if (child != nullptr) found.push_back({begin_of(child), end_of(child), statement(child)});
  }
  return copy(begin_of(node), end_of(node), std::move(found));
}

// if, while and do: their condition may be a pointer-to-shared.
std::string emitter::conditional_statement(const clang::Stmt* node, const clang::Expr* expression) {
  pieces found;
  for (const clang::Stmt* child : node->children()) {
    if (child == nullptr) continue;
    found.push_back({begin_of(child), end_of(child),
                     child == expression ? condition(expression) : statement(child)});
  }
  return copy(begin_of(node), end_of(node), std::move(found));
}

// A pragma must have a loop behind it.
std::string emitter::for_loop(const clang::ForStmt* loop) {
  const loop_pragmas pragmas = pragmas_before(loop);
  const bool outer_keeps = keeps_loops_;
  const std::string outer_hints = std::exchange(hints_, pragmas.hints);
  keeps_loops_ = keeps_loops_ || pragmas.describes_nest;
  std::string text =
      pragmas.describes_loop || keeps_loops_ ? copied_loop(loop) : transformed_loop(loop);
  if (pragmas.exist && text.compare(0, 1, "{") == 0) text = "do " + text + " while (0);";
  keeps_loops_ = outer_keeps;
  hints_ = outer_hints;
  return text;
}

// Writes to other hosts in a loop that waits for nothing may be sent together when it ends.
std::string emitter::transformed_loop(const clang::ForStmt* loop) {
  const lvalue_test is_owned = [&](const clang::Expr* lvalue) { return !owned(lvalue).empty(); };
  const bool holds = !holds_writes_ && program_.options.is_enabled("writes") &&
                     may_hold_writes(program_, types_, loop, is_owned);
  holds_writes_ = holds_writes_ || holds;
  std::string text = loop_in_runs(loop);
  if (text.empty()) text = (holds ? hints_ : "") + copied_loop(loop);
  if (!holds) return text;
  holds_writes_ = false;
  const std::string hold =
      "ATOLL_UPC_HOLD_WRITES(atoll_upc_held_" + std::to_string(++names_) + "); ";
  // A pragma before the loop may require a loop behind it.
  const bool is_open = needs_semicolon(loop->getBody());
  return "do { " + hold + text + (is_open ? "; } while (0)" : " } while (0);");
}

std::string emitter::copied_loop(const clang::ForStmt* loop) {
  pieces found;
  for (const clang::Stmt* child : loop->children()) {
    if (child == nullptr) continue;
    found.push_back({begin_of(child), end_of(child),
                     child == loop->getCond() ? condition(loop->getCond()) : statement(child)});
  }
  return copy(begin_of(loop), end_of(loop), std::move(found));
}

// The same for upc_forall.
std::string emitter::forall(const clang::ForStmt* loop, affinity_kind kind) {
  const loop_pragmas pragmas = pragmas_before(loop);
  const std::string outer = std::exchange(hints_, pragmas.hints);
  const std::string text = forall_as_block(loop, kind);
  hints_ = outer;
  if (pragmas.divides_loop) {
    refuse(loop,
           "a pragma of OpenMP or OpenACC divides 'for' loops, and upc_forall is none; write "
           "a 'for' loop over the elements of this thread");
  }
  return pragmas.exist ? "do " + text + " while (0);" : text;
}

// Separates the step and the affinity, which the normaliser has put into one expression.
std::string emitter::forall_as_block(const clang::ForStmt* loop, affinity_kind kind) {
  const clang::Expr* step = nullptr;
  const clang::Expr* last = loop->getInc();
  if (const auto* both = dyn_cast<clang::BinaryOperator>(last);
      both != nullptr && both->getOpcode() == clang::BO_Comma) {
    step = both->getLHS()->IgnoreParens();
    last = both->getRHS();
  }
  const auto* to_void = dyn_cast<clang::CStyleCastExpr>(last);
  const clang::Expr* affinity =
      kind == affinity_kind::none ? nullptr : to_void->getSubExpr()->IgnoreParenLValueCasts();
  if (affinity != nullptr && program_.options.is_enabled("ownership")) {
    const std::string text = owned_forall(loop, step, affinity);
    if (!text.empty()) return text;
  }
  return general_forall(loop, step, affinity);
}

std::string emitter::general_forall(const clang::ForStmt* loop, const clang::Expr* step,
                                    const clang::Expr* affinity) {
  const bool counts = may_run_forall(loop->getBody());
  const bool is_inner = is_controlled_;
  is_controlled_ = is_controlled_ || affinity != nullptr;
  const clang::Stmt* start = loop->getInit();
  std::string head =
      std::exchange(hints_, "") + "for (" + (start == nullptr ? ";" : statement_text(start));
  if (start != nullptr && llvm::isa<clang::Expr>(start)) head += ";";
  head += " " + (loop->getCond() == nullptr ? "" : condition(loop->getCond())) + "; " +
          (step == nullptr ? "" : discard(step)) + ") ";
  const bool is_open = needs_semicolon(loop->getBody()) && !ends_in_forall(loop->getBody());
  const std::string body = statement(loop->getBody()) + (is_open ? ";" : "");
  is_controlled_ = is_inner;
  // Only a upc_forall with an affinity controls those inside (section 6.6.2).
  if (affinity == nullptr || is_inner) return "{ " + head + body + " }";
  const bool is_pointer = types_.is_pointer_to_shared(affinity->getType());
  const bool is_array = affinity->getType()->isArrayType();
  const std::string owner = is_pointer || is_array
                                ? "ATOLL_UPC_AFFINITY_POINTER(" +
                                      (is_array ? address(affinity) : argument(affinity)) + ")"
                                : "ATOLL_UPC_AFFINITY_INTEGER(" + argument(affinity) + ")";
  // A return or a goto that leaves the loop also restores the depth.
  const std::string nested = counts ? "ATOLL_UPC_ENTER_FORALL(atoll_upc_nested)"
                                    : "const int atoll_upc_nested = atoll_upc_forall_depth";
  return "{ " + nested + "; " + head + "if (atoll_upc_nested != 0 || " + owner + ") " + body + " }";
}

}  // namespace atl::upc
