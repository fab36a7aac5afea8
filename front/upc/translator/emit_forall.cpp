// SPDX-License-Identifier: BSD-3-Clause
//
// upc_forall that visits only the elements which this thread owns, block by block according to the
// layout. The blocks of one thread follow each other in its memory, so a private pointer walks
// through them, and an access to the element of the iteration becomes one through that pointer,
// which the host's compiler can vectorise:
//
//   upc_forall (i = 0; i < n; i++; &a[i]) a[i] = b[i];     a, b: shared [B]
//
//   for (low = first of mine; low < n; low = next block of mine)
//     for (k = low; k < min(high, n); k++) { i = k; pa[k - low] = pb[k - low]; }
//
// Inside another upc_forall, which only the running program can know, all iterations run in the
// general form.
#include <front/upc/translator/emitter.hpp>
#include <front/upc/translator/owned_loop.hpp>

#include <utility>

namespace atl::upc {
namespace {

// A loop inside the loop may wait for what another thread writes; the load of such a value must
// stay an access to shared memory.
bool has_waiting_loop(const clang::Stmt* node) {
  if (node == nullptr) return false;
  const clang::Expr* condition = nullptr;
  if (const auto* loop = llvm::dyn_cast<clang::WhileStmt>(node)) condition = loop->getCond();
  if (const auto* loop = llvm::dyn_cast<clang::DoStmt>(node)) condition = loop->getCond();
  if (const auto* loop = llvm::dyn_cast<clang::ForStmt>(node)) {
    const bool is_empty = llvm::isa<clang::NullStmt>(loop->getBody());
    if (is_empty) condition = loop->getCond();
  }
  if (condition != nullptr) return true;
  for (const clang::Stmt* child : node->children()) {
    if (has_waiting_loop(child)) return true;
  }
  return false;
}

}  // namespace

std::string emitter::owned_forall(const clang::ForStmt* loop, const clang::Expr* step,
                                  const clang::Expr* affinity) {
  const std::optional<owned_loop> found = recognise(program_, types_, loop, step, affinity);
  if (!found || is_controlled_) return "";
  const std::string number = std::to_string(++names_);
  const std::string begin = "atoll_upc_begin_" + number, end = "atoll_upc_end_" + number;
  const std::string counter = found->counter->getName().str();
  const bool is_open = needs_semicolon(loop->getBody()) && !ends_in_forall(loop->getBody());
  const std::string close = is_open ? ";" : "";
  const std::string declared = found->declares_counter
                                   ? type_name(found->counter->getType().getUnqualifiedType()) + " "
                                   : "";
  is_controlled_ = true;
  const std::string hints = std::exchange(hints_, "");
  const std::string general = "for (" + declared + counter + " = " + begin + "; " + counter +
                              " < " + end + "; " + counter + "++) " + statement(loop->getBody()) +
                              close;
  hints_ = hints;
  const std::string own = owned_blocks(*found, loop, step, number, declared);
  is_controlled_ = false;
  const bool counts = may_run_forall(loop->getBody());
  std::string text = "{ const ptrdiff_t " + begin + " = " + first_value(*found) + ", " + end +
                     " = (ptrdiff_t)(" + value(found->bound) + ")" +
                     (found->includes_bound ? " + 1" : "") + ";\n";
  text += "if (atoll_upc_forall_depth != 0) { " + general + " } else {" +
          (counts ? " ++atoll_upc_forall_depth;" : "") + "\n" + own +
          (counts ? " --atoll_upc_forall_depth;" : "") + " }";
  if (!found->declares_counter)
    text += "\n" + counter + " = " + begin + " < " + end + " ? " + end + " : " + begin + ";";
  return text + " }";
}

// Blocks of one element: this thread's elements follow each other in its memory, so one loop counts
// them.
std::string emitter::owned_cycle(const owned_loop& loop, const std::string& number,
                                 const std::string& declared, const clang::Stmt* body) {
  const auto name = [&](const char* what) {
    return std::string("atoll_upc_") + what + "_" + number;
  };
  const std::size_t outer = owned_.size();
  std::string pointers, moves;
  if (!has_waiting_loop(body)) declare_owned(loop, number, body, pointers, moves);
  const bool is_open = needs_semicolon(body) && !ends_in_forall(body);
  const std::string hints = std::exchange(hints_, "");
  const std::string run = statement(body) + (is_open ? ";" : "");
  owned_.resize(outer);
  return "const ptrdiff_t " + name("low") + " = " + name("begin") + " + " + name("skip") + ", " +
         name("count") + " = atoll_upc_count_of_cycle(" + name("low") + ", " + name("end") +
         ");\n" + pointers + hints + "for (ptrdiff_t " + name("k") + " = 0; " + name("k") + " < " +
         name("count") + "; ++" + name("k") + ") { " + declared + loop.counter->getName().str() +
         " = " + name("low") + " + " + name("k") + " * (ptrdiff_t)ATOLL_UPC_THREADS;\n" + run +
         " }\n";
}

// The blocks of this thread. Names end in the number of the loop, since loops may be nested.
std::string emitter::owned_blocks(const owned_loop& loop, const clang::ForStmt* whole,
                                  const clang::Expr* step, const std::string& number,
                                  const std::string& declared) {
  const clang::Stmt* body = whole->getBody();
  const auto name = [&](const char* what) {
    return std::string("atoll_upc_") + what + "_" + number;
  };
  const std::string block = std::to_string(loop.block), threads = "(ptrdiff_t)ATOLL_UPC_THREADS";
  const std::string start = "(" + name("begin") + " + " + std::to_string(loop.shift) + ")";
  const std::string origin = loop.base == nullptr
                                 ? "atoll_upc_add(ATOLL_UPC_NULL, " + start + ", 1, 1)"
                                 : "atoll_upc_add(" + value(loop.base) + ", " + start + " * " +
                                       std::to_string(loop.row) + ", " +
                                       arguments_of_step(loop.base) + ")";
  std::string text = "const atoll_upc_pointer " + name("origin") + " = " + origin + ";\n";
  // The number of blocks between that of the first iteration and the first one of this thread.
  text += "const ptrdiff_t " + name("skip") + " = (ptrdiff_t)atoll_upc_mythread - (ptrdiff_t)" +
          name("origin") + ".thread + ((ptrdiff_t)atoll_upc_mythread < (ptrdiff_t)" +
          name("origin") + ".thread ? " + threads + " : 0);\n";
  if (loop.block == 1) return text + owned_cycle(loop, number, declared, body);
  if (loop.block == 0) {
    text += "ptrdiff_t " + name("low") + " = " + name("skip") + " == 0 ? " + name("begin") + " : " +
            name("end") + ", " + name("high") + " = " + name("end") + ";\n";
  } else {
    const std::string phase =
        "(ptrdiff_t)" + name("origin") + ".phase / " + std::to_string(loop.row);
    text += "ptrdiff_t " + name("high") + " = " + name("begin") + " + " + block + " - " + phase +
            " + " + name("skip") + " * " + block + ";\nptrdiff_t " + name("low") + " = " +
            name("skip") + " == 0 ? " + name("begin") + " : " + name("high") + " - " + block +
            ";\n";
  }
  const std::size_t outer = owned_.size();
  std::string pointers, moves;
  if (!has_waiting_loop(body)) declare_owned(loop, number, body, pointers, moves);
  const std::string run = owned_block(whole, step, number, declared, loop.counter->getName().str());
  owned_.resize(outer);
  const std::string next = loop.block == 0 ? name("low") + " = " + name("end")
                                           : name("low") + " = " + name("high") + " + (" + threads +
                                                 " - 1) * " + block + ", " + name("high") + " = " +
                                                 name("low") + " + " + block;
  text += pointers + "for (; " + name("low") + " < " + name("end") + "; " + next + ") {\n";
  text += "const ptrdiff_t " + name("stop") + " = " + name("high") + " < " + name("end") + " ? " +
          name("high") + " : " + name("end") + ";\n" + run + "\n" + moves + "}";
  return text;
}

// The iterations of one block: in strips where an inner loop reads elements of other places, in
// runs where the body also has elements that follow each other.
std::string emitter::owned_block(const clang::ForStmt* loop, const clang::Expr* step,
                                 const std::string& number, const std::string& declared,
                                 const std::string& counter) {
  const std::string low = "atoll_upc_low_" + number, stop = "atoll_upc_stop_" + number,
                    place = "atoll_upc_k_" + number;
  const clang::Stmt* body = loop->getBody();
  const lvalue_test is_owned = [&](const clang::Expr* lvalue) { return !owned(lvalue).empty(); };
  if (program_.options.is_enabled("strips")) {
    const auto strips = recognise_strips(program_, types_, loop, step, is_owned);
    if (strips) return in_strips(*strips, place, low, stop, declared + counter + " = ", body);
  }
  if (program_.options.is_enabled("runs")) {
    const auto runs = recognise_runs(program_, types_, loop, step, is_owned);
    if (runs) return in_runs(*runs, place, low, stop, declared + counter + " = ", body);
  }
  const bool is_open = needs_semicolon(body) && !ends_in_forall(body);
  const std::string hints = std::exchange(hints_, "");
  return hints + "for (ptrdiff_t " + place + " = " + low + "; " + place + " < " + stop + "; ++" +
         place + ") { " + declared + counter + " = " + place + ";\n" + statement(body) +
         (is_open ? ";" : "") + " }";
}

// Declares a private pointer for each array whose elements are this thread's; accesses in the body
// go through it.
void emitter::declare_owned(const owned_loop& loop, const std::string& number,
                            const clang::Stmt* body, std::string& pointers, std::string& moves) {
  const std::string low = "atoll_upc_low_" + number, high = "atoll_upc_high_" + number;
  std::map<const clang::VarDecl*, std::string> known;
  for (const owned_element& each : owned_elements(program_, types_, loop, body)) {
    const auto* subscript = llvm::cast<clang::ArraySubscriptExpr>(each.lvalue);
    std::string& name = known[each.array];
    if (name.empty()) {
      name = "atoll_upc_own_" + each.array->getName().str() + "_" + number;
      const element_count row = types_.elements_of(subscript->getType());
      const std::string place = "atoll_upc_add(" + value(subscript->getBase()) + ", (" + low +
                                " + " + std::to_string(loop.shift) + ") * " +
                                std::to_string(row.number) + ", " +
                                arguments_of_step(subscript->getBase()) + ")";
      const clang::QualType type = subscript->getType();
      pointers += declare(type, type->isArrayType() ? "(*" + name + ")" : "*" + name) +
                  " = atoll_upc_local(" + place + ");\n";
      moves += name + " += " + high + " - " + low + ";\n";
    }
    const std::string text =
        name + "[atoll_upc_k_" + number + (loop.block == 1 ? "" : " - " + low) + "]";
    owned_.push_back({each.lvalue, text});
  }
}

}  // namespace atl::upc
