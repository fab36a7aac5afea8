// SPDX-License-Identifier: BSD-3-Clause
//
// Counted loops over elements that lie side by side. Such a loop is emitted run by run. A run ends
// where one of its elements is the last of its block, and a private pointer reaches all elements in
// it, so that the host's compiler can vectorise the loop over them:
//
//   for (i = 0; i < n; i++) sum += a[i];                     a: shared [B]
//
//   for (at = 0; at < n;) {
//     q = &a[at]; run = elements from q to the end of its block, at most n - at;
//     p = private address of q;
//     for (j = 0; j < run; j++) sum += p[j];
//     at += run; }
//
// Elements of a thread whose memory is not mapped here are copied: one transfer fetches them before
// the run, and one stores them after it. Where a copy is not allowed, or an address is outside of
// shared memory, the run has no elements and one iteration is made in the general way.
//
// Elements in blocks of one lie side by side on each thread. A loop over them whose order makes no
// difference goes from thread to thread, and has runs on each.
#include <front/upc/translator/emitter.hpp>
#include <front/upc/translator/owned_loop.hpp>

#include <utility>

namespace atl::upc {

std::string emitter::address_of_site(const run_site& site) {
  if (site.moved == nullptr) return address(site.lvalues[0]);
  return site.walker.empty() ? site.moved->getName().str() : site.walker;
}

// "sizeof(int), 4096" for the elements of a site.
std::string emitter::arguments_of_site(const run_site& site) {
  const clang::QualType type = site.lvalues[0]->getType().getUnqualifiedType();
  return "sizeof(" + type_name(type) + "), " + std::to_string(site.block);
}

// The iterations `from` to `to` of a loop, run by run. `place` is the name of a variable with the
// number of the iteration, for the rest of the body's text; `set` is the text before such a number
// that sets the counter.
std::string emitter::in_runs(const run_loop& loop, const std::string& place,
                             const std::string& from, const std::string& to, const std::string& set,
                             const clang::Stmt* body) {
  const std::string number = std::to_string(++names_);
  const auto name = [&](const char* what) {
    return std::string("atoll_upc_") + what + "_" + number;
  };
  const std::string at = name("at"), run = name("run"), step = name("j");
  const std::string close = needs_semicolon(body) ? ";" : "";
  const std::string hints = std::exchange(hints_, "");
  const std::string general = one_by_one(loop, body) + close;
  std::string lengths, begins, ends;
  const std::size_t outer = owned_.size();
  for (std::size_t i = 0; i < loop.sites.size(); ++i) {
    const run_site& site = loop.sites[i];
    const std::string suffix = std::to_string(i) + "_" + number;
    const std::string pointer = "atoll_upc_q" + suffix, elements = "atoll_upc_p" + suffix,
                      copied = "atoll_upc_c" + suffix;
    const clang::QualType type = site.lvalues[0]->getType().getUnqualifiedType();
    lengths += "const atoll_upc_pointer " + pointer + " = " + address_of_site(site) + "; " + run +
               " = atoll_upc_run_length(" + pointer + ", " + arguments_of_site(site) + ", " +
               (loop.may_copy ? "1" : "0") + ", " + run + ");\n";
    begins += "atoll_upc_run " + copied + "; " + declare(type, "*" + elements) +
              " = atoll_upc_run_begin_ahead(&" + copied + ", " + pointer + ", " + run +
              " * sizeof(" + type_name(type) + "), " + arguments_of_site(site) + ", " + to + " - " +
              at + ", " + (site.is_read ? "1" : "0") + ", " + (site.is_written ? "1" : "0") +
              ");\n";
    ends += " atoll_upc_run_end(&" + copied + ");";
    if (site.moved != nullptr) {
      const std::string moved = address_of_site(site);
      ends += " " + moved + " = atoll_upc_add(" + pointer + ", " + run + ", " +
              arguments_of_site(site) + ");";
    }
    for (const clang::Expr* lvalue : site.lvalues)
      owned_.push_back({lvalue, elements + "[" + step + "]"});
  }
  const std::string fast = statement(body) + close;
  owned_.resize(outer);
  return "for (ptrdiff_t " + at + " = " + from + "; " + at + " < " + to + ";) { " + set + at +
         "; ptrdiff_t " + run + " = " + to + " - " + at + ";\n" + lengths + "if (" + run +
         " > 0) {\n" + begins + hints + "for (ptrdiff_t " + step + " = 0; " + step + " < " + run +
         "; ++" + step + ") { const ptrdiff_t " + place + " = " + at + " + " + step + "; " + set +
         place + ";\n" + fast + " }\n" + ends + " " + at + " += " + run +
         ";\n} else { const ptrdiff_t " + place + " = " + at + "; do { (void)" + place + ";\n" +
         general + " } while (0); ++" + at + "; } }";
}

// The body as it is written, except that other pointers move in place of the program's.
std::string emitter::one_by_one(const run_loop& loop, const clang::Stmt* body) {
  const std::size_t outer = walked_.size();
  std::string steps;
  for (const run_site& site : loop.sites) {
    if (site.walker.empty()) continue;
    for (const clang::Expr* lvalue : site.lvalues)
      walked_.push_back({lvalue->IgnoreParens(), site.walker});
    steps += " " + site.walker + " = atoll_upc_next(" + site.walker + ", " +
             arguments_of_site(site) + ");";
  }
  std::string text = statement(body);
  walked_.resize(outer);
  if (!steps.empty()) text += (needs_semicolon(body) ? ";" : "") + steps;
  return text;
}

// The counter's first value in the counter's type.
std::string emitter::first_value(const owned_loop& loop) {
  return "(" + type_name(loop.counter->getType().getUnqualifiedType()) + ")(" + value(loop.first) +
         ")";
}

// The same for elements of short blocks: a pointer-to-shared steps from each to the next.
std::string emitter::walks(const run_loop& loop, const std::string& number,
                           const std::string& declared, const clang::Stmt* body) {
  const std::string set = declared + loop.counted.counter->getName().str() + " = ",
                    place = "atoll_upc_i_" + number, begin = "atoll_upc_begin_" + number,
                    end = "atoll_upc_end_" + number;
  std::string pointers, starts, steps;
  std::vector<owned_access> added;
  for (std::size_t i = 0; i < loop.sites.size(); ++i) {
    const run_site& site = loop.sites[i];
    const std::string pointer = "atoll_upc_w" + std::to_string(i) + "_" + number;
    pointers += (i == 0 ? "atoll_upc_pointer " : ", ") + pointer;
    starts += pointer + " = " + address_of_site(site) + ";\n";
    steps += ", " + pointer + " = atoll_upc_next(" + pointer + ", " + arguments_of_site(site) + ")";
    for (const clang::Expr* lvalue : site.lvalues)
      added.push_back({lvalue->IgnoreParens(), pointer});
  }
  const std::size_t outer = walked_.size();
  walked_.insert(walked_.end(), added.begin(), added.end());
  const std::string hints = std::exchange(hints_, "");
  const std::string run = statement(body) + (needs_semicolon(body) ? ";" : "");
  walked_.resize(outer);
  // The test comes first: an address may read things that only an iteration may read.
  return pointers + ";\nif (" + begin + " < " + end + ") { " + set + begin + "; (void)" +
         loop.counted.counter->getName().str() + ";\n" + starts + "}\n" + hints +
         "for (ptrdiff_t " + place + " = " + begin + "; " + place + " < " + end + "; ++" + place +
         steps + ") { " + set + place + ";\n" + run + " }";
}

// Elements in blocks of one, in any order: iterations first, first + THREADS and so on of a thread
// have elements that lie side by side.
std::string emitter::by_threads(run_loop loop, const std::string& number,
                                const std::string& declared, const clang::Stmt* body) {
  const std::string thread = "atoll_upc_t_" + number, first = "atoll_upc_first_" + number,
                    end = "atoll_upc_end_" + number;
  std::string walkers, steps;
  for (std::size_t i = 0; i < loop.sites.size(); ++i) {
    run_site& site = loop.sites[i];
    if (site.moved != nullptr) {
      const std::string pointer = site.moved->getName().str();
      const auto moved_by = [&](const std::string& number_of_elements) {
        return " = atoll_upc_add(" + pointer + ", " + number_of_elements + ", " +
               arguments_of_site(site) + ");\n";
      };
      site.walker = "atoll_upc_w" + std::to_string(i) + "_" + number;
      walkers += "atoll_upc_pointer " + site.walker + moved_by(thread);
      steps += pointer + moved_by(end + " > atoll_upc_begin_" + number + " ? " + end +
                                  " - atoll_upc_begin_" + number + " : 0");
    }
    site.block = 0;
  }
  wrapped_.insert(loop.sums.begin(), loop.sums.end());
  return "for (ptrdiff_t " + thread + " = 0; " + thread + " < (ptrdiff_t)ATOLL_UPC_THREADS; ++" +
         thread + ") { const ptrdiff_t " + first + " = atoll_upc_begin_" + number + " + " + thread +
         ";\n" + walkers +
         in_runs(loop, "atoll_upc_i_" + number, "0",
                 "atoll_upc_count_of_cycle(" + first + ", " + end + ")",
                 declared + loop.counted.counter->getName().str() + " = " + first +
                     " + (ptrdiff_t)ATOLL_UPC_THREADS * ",
                 body) +
         " }\n" + steps;
}

// v += e in unsigned numbers of the same width: the result is the same in every order.
std::string emitter::wrapped_sum(const clang::CompoundAssignOperator* sum) {
  const clang::QualType type = sum->getLHS()->getType();
  const std::string wide =
      program_.tree.getTypeSize(type) <= 32 ? "(unsigned)" : "(unsigned long long)";
  const std::string variable = value(sum->getLHS());
  const char* const operation = sum->getOpcode() == clang::BO_AddAssign ? " + " : " - ";
  return "(" + variable + " = (" + type_name(type.getUnqualifiedType()) + ")(" + wide + variable +
         operation + wide + "(" + value(sum->getRHS()) + ")))";
}

// A loop that is no upc_forall; empty if it has no runs. The semicolon behind the user's body also
// ends the text that is written here.
std::string emitter::loop_in_runs(const clang::ForStmt* loop) {
  if (!program_.options.is_enabled("runs")) return "";
  const lvalue_test is_owned = [&](const clang::Expr* lvalue) { return !owned(lvalue).empty(); };
  const auto runs = recognise_runs(program_, types_, loop, loop->getInc(), is_owned);
  const auto found =
      runs ? runs : recognise_walks(program_, types_, loop, loop->getInc(), is_owned);
  if (!found) return "";
  const std::string number = std::to_string(++names_);
  const std::string begin = "atoll_upc_begin_" + number, end = "atoll_upc_end_" + number;
  const owned_loop& counted = found->counted;
  const std::string counter = counted.counter->getName().str();
  const std::string declared =
      counted.declares_counter ? type_name(counted.counter->getType().getUnqualifiedType()) + " "
                               : "";
  const bool is_open = needs_semicolon(loop->getBody());
  std::string text = is_open ? "do { " : "{ ";
  text += "const ptrdiff_t " + begin + " = " + first_value(counted) + ", " + end +
          " = (ptrdiff_t)(" + value(counted.bound) + ")" + (counted.includes_bound ? " + 1" : "") +
          ";\n" +
          (runs ? in_runs(*found, "atoll_upc_i_" + number, begin, end, declared + counter + " = ",
                          loop->getBody())
           : found->has_any_order ? by_threads(*found, number, declared, loop->getBody())
                                  : walks(*found, number, declared, loop->getBody()));
  if (!counted.declares_counter)
    text += "\n" + counter + " = " + begin + " < " + end + " ? " + end + " : " + begin + ";";
  return text + (is_open ? " } while (0)" : " }");
}

}  // namespace atl::upc
